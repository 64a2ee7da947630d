package page

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/present"
)

// priceForm is what stands in the form of a price.
type priceForm struct {
	model, provider                  string
	input, cached, output, reasoning string
	from, source                     string
	problem                          string
	errors                           map[string]string
}

func priceHref(model string) string { return "/admin/models/price?model=" + url.QueryEscape(model) }

// Show shows what ?model= costs, and what it cost; without one the form is
// for a model that is not listed.
func (s *Prices) Show(c echo.Context) error {
	f := priceForm{model: c.QueryParam("model")}
	if row, known := s.Prices.Find(f.model, s.Clock.Now()); known {
		f.input, f.cached, f.output = present.Dollars(row.Input), present.Dollars(row.Cached), present.Dollars(row.Output)
		if row.Reasoning > 0 {
			f.reasoning = present.Dollars(row.Reasoning)
		}
	}
	return s.show(c, http.StatusOK, f)
}

func (s *Prices) show(c echo.Context, status int, f priceForm) error {
	rows, err := s.Store.Prices(c.Request().Context())
	if err != nil {
		return err
	}
	id := agent.Clip(f.model, agent.MaxPriceName)
	if f.provider != "" {
		id = f.provider + "/" + id
	}
	if f.from == "" {
		f.from = agent.Day(s.Clock.Now()).Format(time.DateOnly)
	}
	p := page.PriceProps{
		Model: id, Problem: f.problem, Errors: f.errors, Input: f.input, Cached: f.cached, Output: f.output,
		Reasoning: f.reasoning, From: f.from, Source: f.source,
		Now: presentPrice(s.Prices, s.Clock, id), History: s.history(id, rows),
	}
	return s.render(c, status, page.Price(s.shell(c, "Price", "models"), p))
}

// history are the rows of admins that a model may get its price from,
// newest first.
func (s *Prices) history(id string, rows []agent.PriceRow) []page.PriceRow {
	provider, model := s.Prices.Split(id)
	var history []page.PriceRow
	for _, r := range slices.Backward(rows) {
		if r.Model != model || r.Provider != "" && r.Provider != provider {
			continue
		}
		p := present.PricePart(r)
		p.Provider, p.Model, p.By, p.At = r.Provider, r.Model, r.CreatedBy, r.CreatedAt
		p.Future = r.ValidFrom.After(s.Clock.Now())
		history = append(history, p)
	}
	return history
}
