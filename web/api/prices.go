package api

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Prices answers the calls about prices.
type Prices struct {
	Store   service.PriceStore
	Prices  service.PriceBook
	Service *service.Service
}

// priceView is a row of prices, in micro-USD per million tokens.
type priceView struct {
	Provider  string  `json:"provider"` // "" for any endpoint
	Model     string  `json:"model"`
	ValidFrom *string `json:"validFrom"`
	Known     bool    `json:"known"`
	agent.Price
	Source    string  `json:"source"`
	CreatedBy string  `json:"createdBy,omitempty"`
	CreatedAt *string `json:"createdAt,omitempty"`
}

func viewPrice(r agent.PriceRow) priceView {
	return priceView{
		Provider: r.Provider, Model: r.Model, ValidFrom: request.RFC3339(r.ValidFrom), Known: r.Known, Price: r.Price,
		Source: r.Source, CreatedBy: r.CreatedBy, CreatedAt: request.RFC3339(r.CreatedAt),
	}
}

// defaultPrices is how many rows a page of the list has.
const defaultPrices = 100

// List is GET /api/v1/prices: the rows of admins, by endpoint, model and
// day. ?model= takes those of one model.
func (s *Prices) List(c echo.Context) error {
	p, err := request.Page(c)
	if err != nil {
		return err
	}
	rows, err := s.Store.Prices(c.Request().Context())
	if err != nil {
		return err
	}
	if model := c.QueryParam("model"); model != "" {
		rows = slices.DeleteFunc(rows, func(r agent.PriceRow) bool { return r.Name() != model && r.Model != model })
	}
	if rows, err = afterPrice(rows, p.Cursor); err != nil {
		return err
	}
	out := request.Listing[priceView]{Items: []priceView{}}
	limit := cmp.Or(p.Limit, defaultPrices)
	if len(rows) > limit {
		rows = rows[:limit]
		last, _ := json.Marshal(keyOf(rows[limit-1])) // strings and a number always encode
		out.NextCursor = base64.RawURLEncoding.EncodeToString(last)
	}
	for _, r := range rows {
		out.Items = append(out.Items, viewPrice(r))
	}
	return c.JSON(http.StatusOK, out)
}

// priceKey is where a row stands in the list.
type priceKey struct {
	Provider, Model string
	From            int64
}

func keyOf(r agent.PriceRow) priceKey { return priceKey{r.Provider, r.Model, r.ValidFrom.UnixMilli()} }

func (k priceKey) compare(o priceKey) int {
	return cmp.Or(cmp.Compare(k.Provider, o.Provider), cmp.Compare(k.Model, o.Model), cmp.Compare(k.From, o.From))
}

// afterPrice leaves the rows behind a cursor.
func afterPrice(rows []agent.PriceRow, cursor string) ([]agent.PriceRow, error) {
	if cursor == "" {
		return rows, nil
	}
	var last priceKey
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(text, &last) != nil {
		return nil, agent.InvalidField("cursor", "is none that was handed out")
	}
	return slices.DeleteFunc(rows, func(r agent.PriceRow) bool { return keyOf(r).compare(last) <= 0 }), nil
}

// Set is PUT /api/v1/prices: what a model costs from a day on.
func (s *Prices) Set(c echo.Context) error {
	var in service.PriceInput
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	row, err := s.Service.Prices.Set(c.Request().Context(), request.Viewer(c), in)
	return answer(c, http.StatusOK, viewPrice(row), err)
}

// Remove is DELETE /api/v1/prices?model=&provider=&validFrom=: from that
// day on, today where none is named, nobody knows the model's price.
func (s *Prices) Remove(c echo.Context) error {
	_, err := s.Service.Prices.Remove(c.Request().Context(), request.Viewer(c), c.QueryParam("provider"), c.QueryParam("model"), c.QueryParam("validFrom"))
	return noContent(c, http.StatusNoContent, err)
}

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
		return err // a preview must not change anything
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
