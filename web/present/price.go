package present

import (
	"strconv"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
)

// PricePart is a row in words.
func PricePart(tr *text.Printer, r agent.PriceRow) page.PriceRow {
	p := page.PriceRow{Known: r.Known, Source: tr.Recorded(r.Source), Odd: r.Odd()}
	if !r.ValidFrom.IsZero() {
		p.Since, p.ValidFrom = r.ValidFrom.Format(tr.T("date.short")), r.ValidFrom.Format(time.DateOnly)
	}
	if strings.HasPrefix(r.Source, "https://") || strings.HasPrefix(r.Source, "http://") {
		p.Href = r.Source
		p.Source, _, _ = strings.Cut(strings.SplitN(r.Source, "://", 2)[1], "/")
	}
	if !r.Known {
		return p
	}
	p.Input, p.Cached, p.Output = dollarsPerMillion(r.Input), dollarsPerMillion(r.Cached), dollarsPerMillion(r.Output)
	if r.Reasoning > 0 {
		p.Reasoning = dollarsPerMillion(r.Reasoning)
	}
	return p
}

// Dollars writes micro-USD as a field of a form holds them: with cents, and what is
// below them where there is something.
func Dollars(micros int64) string {
	text := strconv.FormatFloat(float64(micros)/1e6, 'f', -1, 64)
	if _, cents, _ := strings.Cut(text, "."); len(cents) < 2 {
		return strconv.FormatFloat(float64(micros)/1e6, 'f', 2, 64)
	}
	return text
}
