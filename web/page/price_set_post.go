package page

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// tokensPerPrice is how many tokens the prices on pages are for.
const tokensPerPrice = 1_000_000

// Set takes the form of a price. Amounts are USD per million tokens.
func (s *Prices) Set(c echo.Context) error {
	f := priceForm{
		model: c.FormValue("model"), provider: c.FormValue("provider"), input: c.FormValue("input"), cached: c.FormValue("cached"),
		output: c.FormValue("output"), reasoning: c.FormValue("reasoning"), from: c.FormValue("validFrom"), source: c.FormValue("source"),
	}
	in, bad := f.typed()
	if len(bad) == 0 {
		row, err := s.Service.Prices.Set(c.Request().Context(), request.Viewer(c), in)
		switch agent.CodeOf(err) {
		case "":
			s.Sessions.Flash(c, strings.TrimSpace("The price of "+row.Name()+" holds from "+row.ValidFrom.Format(time.DateOnly)+" on. "+row.Odd()))
			return c.Redirect(http.StatusSeeOther, priceHref(row.Name()))
		case agent.Invalid:
			bad = agent.FieldErrors(err)
		default:
			return err
		}
	}
	f.errors, f.problem = bad, "The price is not saved yet."
	return s.show(c, http.StatusUnprocessableEntity, f)
}

// typed reads the amounts of the form; bad names those that are none.
func (f priceForm) typed() (in service.PriceInput, bad map[string]string) {
	bad = map[string]string{}
	in = service.PriceInput{Provider: f.provider, Model: f.model, ValidFrom: f.from, Source: f.source}
	for _, a := range []struct {
		field, text string
		into        **int64
	}{{"input", f.input, &in.Input}, {"cached", f.cached, &in.Cached}, {"output", f.output, &in.Output}} {
		if *a.into = typedPrice(bad, a.field, a.text); *a.into == nil && a.field != "cached" && bad[a.field] == "" {
			bad[a.field] = "is missing; type 0 only for a model that costs nothing"
		}
	}
	if n := typedPrice(bad, "reasoning", f.reasoning); n != nil {
		in.Reasoning = *n
	}
	return in, bad
}

// typedPrice reads an amount; nil is an empty field, or one that is named in bad.
func typedPrice(bad map[string]string, field, text string) *int64 {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "$"))
	if text == "" {
		return nil
	}
	n, ok := agent.ParsePrice(text, tokensPerPrice)
	if !ok {
		bad[field] = "is no amount; allowed: 0 to 10000 USD per million tokens, such as 2.50"
		return nil
	}
	return &n
}
