package api

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// importView is what an import changed, or would change.
type importView struct {
	Imported bool `json:"imported"`
	agent.PriceCounts
	Items   []changeView      `json:"items"`
	Skipped []agent.PriceSkip `json:"skippedItems"`
}

// changeView is one price beside the one before; null where none was known.
type changeView struct {
	Provider string       `json:"provider"`
	Model    string       `json:"model"`
	Before   *agent.Price `json:"before"`
	After    agent.Price  `json:"after"`
}

// Import is POST /api/v1/prices/import?models=offered|all&source=&preview=true
// with the list as its body.
func (s *Prices) Import(c echo.Context) error {
	models := c.QueryParam("models")
	if err := request.OneOf("models", models, "offered", "all"); err != nil {
		return err
	}
	if err := request.OneOf("preview", c.QueryParam("preview"), "true", "false"); err != nil {
		return err // who wants to look only must not change anything
	}
	list, err := s.Prices.ReadList(c.Request().Body)
	if err != nil {
		return err
	}
	plan := s.Service.Prices.Plan(list, models == "all")
	out := importView{Imported: c.QueryParam("preview") != "true", PriceCounts: plan.Counts(), Items: []changeView{}, Skipped: request.NotNull(plan.Skipped)}
	if out.Imported {
		if err := s.Service.Prices.Import(c.Request().Context(), request.Viewer(c), plan, cmp.Or(c.QueryParam("source"), request.PriceListSource)); err != nil {
			return err
		}
	}
	for _, change := range append(plan.New, plan.Changed...) {
		v := changeView{Provider: change.After.Provider, Model: change.After.Model, After: change.After.Price}
		if change.Before.Known {
			v.Before = &change.Before.Price
		}
		out.Items = append(out.Items, v)
	}
	return c.JSON(http.StatusOK, out)
}
