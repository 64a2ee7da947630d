package money

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Prices shows the pages about prices and takes their forms.
type Prices struct {
	*site.Site
	NewID  agent.NewID
	Prices service.PriceBook
	lists  heldLists
}

// priceForm is what the form of a price contains.
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
		Now: PriceNow(site.Words(c), s.Prices, s.Clock, id), History: s.history(site.Words(c), id, rows),
	}
	title := site.Words(c).T("price.title")
	if id != "" {
		title = site.Words(c).T("price.title_of", id)
	}
	return s.Render(c, status, page.Price(s.Shell(c, title, "models"), p))
}

// history are the rows of admins that a model may get its price from,
// newest first.
func (s *Prices) history(tr *text.Printer, id string, rows []agent.PriceRow) []page.PriceRow {
	provider, model := s.Prices.Split(id)
	var history []page.PriceRow
	for _, r := range slices.Backward(rows) {
		if r.Model != model || r.Provider != "" && r.Provider != provider {
			continue
		}
		p := present.PricePart(tr, r)
		p.Provider, p.Model, p.By, p.At = r.Provider, r.Model, r.CreatedBy, r.CreatedAt
		p.Future = r.ValidFrom.After(s.Clock.Now())
		history = append(history, p)
	}
	return history
}

// PriceNow is what a model costs now, in words.
func PriceNow(tr *text.Printer, book service.PriceBook, clock agent.Clock, id string) page.PriceRow {
	row, known := book.Find(id, clock.Now())
	row.Known = known
	return present.PricePart(tr, row)
}

// tokensPerPrice is how many tokens the prices on pages are for.
const tokensPerPrice = 1_000_000

// Set takes the form of a price. Amounts are USD per million tokens.
func (s *Prices) Set(c echo.Context) error {
	f := priceForm{
		model: c.FormValue("model"), provider: c.FormValue("provider"), input: c.FormValue("input"), cached: c.FormValue("cached"),
		output: c.FormValue("output"), reasoning: c.FormValue("reasoning"), from: c.FormValue("validFrom"), source: c.FormValue("source"),
	}
	in, bad := f.typed(site.Words(c))
	return s.Answer(c, site.Form{
		Bad: bad,
		Save: func() (said, next string, err error) {
			row, err := s.Service.Prices.Set(c.Request().Context(), request.Viewer(c), in)
			return priceSaved(site.Words(c), row), priceHref(row.Name()), err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			f.errors, f.problem = fields, cmp.Or(problem, site.Words(c).T("page.prices.not_saved"))
			return s.show(c, status, f)
		},
	})
}

// priceSaved says from when on a price counts, and what is odd about it.
func priceSaved(tr *text.Printer, row agent.PriceRow) string {
	from := row.ValidFrom.Format(tr.T("date.short"))
	if odd := row.Odd(); odd != "" {
		return tr.T("page.prices.saved_odd", row.Name(), from, odd)
	}
	return tr.T("page.prices.saved", row.Name(), from)
}

// typed reads the amounts of the form; bad names those that are none.
func (f priceForm) typed(tr *text.Printer) (in service.PriceInput, bad map[string]string) {
	bad = map[string]string{}
	in = service.PriceInput{Provider: f.provider, Model: f.model, ValidFrom: f.from, Source: f.source}
	for _, a := range []struct {
		field, text string
		into        **int64
	}{{"input", f.input, &in.Input}, {"cached", f.cached, &in.Cached}, {"output", f.output, &in.Output}} {
		if *a.into = typedPrice(tr, bad, a.field, a.text); *a.into == nil && a.field != "cached" && bad[a.field] == "" {
			bad[a.field] = tr.T("page.prices.missing")
		}
	}
	if n := typedPrice(tr, bad, "reasoning", f.reasoning); n != nil {
		in.Reasoning = *n
	}
	return in, bad
}

// typedPrice reads an amount; nil is an empty field, or one that is named in bad.
func typedPrice(tr *text.Printer, bad map[string]string, field, amount string) *int64 {
	amount = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(amount), "$"))
	if amount == "" {
		return nil
	}
	n, ok := agent.ParsePrice(amount, tokensPerPrice)
	if !ok {
		bad[field] = tr.T("page.prices.bad")
		return nil
	}
	return &n
}

// Remove takes a price back from the page.
func (s *Prices) Remove(c echo.Context) error {
	row, err := s.Service.Prices.Remove(c.Request().Context(), request.Viewer(c), c.FormValue("provider"), c.FormValue("model"), c.FormValue("validFrom"))
	switch agent.CodeOf(err) {
	case "":
	case agent.Invalid:
		return s.show(c, http.StatusUnprocessableEntity, priceForm{
			model: c.FormValue("model"), provider: c.FormValue("provider"), problem: request.Said(site.Words(c), err),
		})
	default:
		return err
	}
	said := site.Words(c).T("page.prices.removed", row.Name(), row.ValidFrom.Format(site.Words(c).T("date.short")))
	return s.Back(c, priceHref(row.Name()), said)
}
