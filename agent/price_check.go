package agent

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of prices: the highest, in micro-USD per million tokens, how long names
// may be, and how many rows admins may have.
const (
	MaxPrice      = 10_000 * 1_000_000
	MaxPriceName  = 200
	MaxPriceRows  = 20_000
	maxPriceOther = 500
)

// Name is the model as people name it: with its endpoint where the row is for one.
func (r PriceRow) Name() string {
	if r.Provider == "" {
		return r.Model
	}
	return r.Provider + "/" + r.Model
}

// Day is the instant at which the day of t began in UTC: the days from which
// prices apply begin then.
func Day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// Check reports what is wrong with a row, naming the field and the remedy.
func (r PriceRow) Check() error {
	if r.Model == "" {
		return InvalidField("model", "is missing; enter the model's name as requests use it")
	}
	for _, text := range []struct {
		field, value string
		most         int
	}{{"model", r.Model, MaxPriceName}, {"provider", r.Provider, MaxPriceName}, {"source", r.Source, maxPriceOther}} {
		if len([]rune(text.value)) > text.most {
			return InvalidField(text.field, "is too long; allowed: at most %d characters", text.most)
		}
		unseen := func(r rune) bool { return !unicode.IsPrint(r) }
		if !utf8.ValidString(text.value) || strings.ContainsFunc(text.value, unseen) || strings.TrimSpace(text.value) != text.value {
			return InvalidField(text.field, "has invisible characters, or spaces at its start or end; remove them")
		}
	}
	if r.ValidFrom.IsZero() {
		return InvalidField("validFrom", "is missing; enter the day from which the price applies, such as 2026-01-31")
	}
	for _, n := range []struct {
		field string
		value int64
	}{{"input", r.Input}, {"cached", r.Cached}, {"output", r.Output}, {"reasoning", r.Reasoning}} {
		if n.value < 0 || n.value > MaxPrice {
			return InvalidField(n.field, "is not allowed; allowed: 0 to 10000 USD per million tokens")
		}
	}
	return nil
}

// Odd is what may be a slip in a row that is allowed, "" for nothing.
func (r PriceRow) Odd() string {
	switch {
	case !r.Known:
		return ""
	case r.Cached > r.Input:
		return "Cached input costs more than other input. That is rare; check that it is intended."
	case r.Input == 0 && r.Output == 0:
		return "Its calls count as free. Remove the price if it is unknown."
	default:
		return ""
	}
}
