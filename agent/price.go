package agent

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Price is what a model costs, in micro-USD per million tokens.
type Price struct {
	Input     int64 `json:"input"`
	Cached    int64 `json:"cached"`
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning,omitempty"` // 0 prices reasoning as output
}

// PriceRow is a price from a day on. A removed price is a row with
// Known false: from that day it is unknown.
type PriceRow struct {
	// Provider is the endpoint's name, "" for whichever serves the model.
	Provider  string    `json:"provider,omitempty"`
	Model     string    `json:"model"`
	ValidFrom time.Time `json:"validFrom"`
	Known     bool      `json:"known"`
	Price
	// Source says where the price was read.
	Source    string    `json:"source"`
	CreatedBy string    `json:"createdBy,omitempty"`
	CreatedAt time.Time `json:"createdAt,omitzero"`
}

// perPrice is how many tokens a price is for.
const perPrice = 1_000_000

// Cost is the price of u in micro-USD, rounded half up once per call of Cost
// (so once per step). Cached input replaces the input price for its share, and
// reasoning the output price for its.
func (p Price) Cost(u Usage) int64 {
	reasoning := p.Reasoning
	if reasoning == 0 {
		reasoning = p.Output
	}
	sum := new(big.Int)
	for _, part := range [][2]int64{
		{u.InputTokens - u.CachedTokens, p.Input}, {u.CachedTokens, p.Cached},
		{u.OutputTokens - u.ReasoningTokens, p.Output}, {u.ReasoningTokens, reasoning},
	} {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(part[0]), big.NewInt(part[1])))
	}
	sum.Add(sum, big.NewInt(perPrice/2))
	return sum.Div(sum, big.NewInt(perPrice)).Int64()
}

// worst is the most that a call may cost: nothing of its input cached, all of
// its output at the higher of the two rates.
func (p Price) worst(prompt, output int64) int64 {
	p.Output = max(p.Output, p.Reasoning)
	p.Input = max(p.Input, p.Cached)
	p.Reasoning = 0
	return p.Cost(Usage{Tokens: Tokens{InputTokens: prompt, OutputTokens: output}})
}

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

// decimal is an amount as JSON and people write it, with an exponent that is no
// trap: 2.5e-06.
var decimal = regexp.MustCompile(`^[0-9]{1,20}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?$`)

// ParsePrice reads USD for a number of tokens as micro-USD per million tokens,
// exactly, and rounds half up once. It is false for what is not a price from 0 to
// MaxPrice.
func ParsePrice(text string, tokens int64) (int64, bool) {
	if !decimal.MatchString(text) {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false
	}
	r.Mul(r, big.NewRat(perPrice*microsPerDollar, tokens))
	r.Add(r, big.NewRat(1, 2))
	n := new(big.Int).Div(r.Num(), r.Denom())
	if !n.IsInt64() || n.Int64() > MaxPrice {
		return 0, false
	}
	return n.Int64(), true
}

const microsPerDollar = 1_000_000

// PriceList is the content of a price file.
type PriceList struct {
	Rows    []PriceRow
	Skipped []PriceSkip
}

// PriceSkip is an entry of a file that is not taken, and why.
type PriceSkip struct {
	Model string `json:"model"`
	Why   string `json:"why"`
}

// PriceChange is a row of a file and the price now in effect; Before has Known false
// if unknown a price.
type PriceChange struct{ Before, After PriceRow }

// PricePlan is what an import would change. New are models that had no price,
// Changed those whose price differs, Same is how many stay as they are.
type PricePlan struct {
	New, Changed []PriceChange
	Same         int
	Skipped      []PriceSkip
}

// Rows are those that the import writes.
func (p PricePlan) Rows() []PriceRow {
	rows := make([]PriceRow, 0, len(p.New)+len(p.Changed))
	for _, c := range slices.Concat(p.New, p.Changed) {
		rows = append(rows, c.After)
	}
	return rows
}

// PriceCounts are a plan in numbers, for people and the audit log.
type PriceCounts struct {
	New     int `json:"new"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
	Skipped int `json:"skipped"`
}

// Counts are the plan in numbers.
func (p PricePlan) Counts() PriceCounts {
	return PriceCounts{New: len(p.New), Changed: len(p.Changed), Same: p.Same, Skipped: len(p.Skipped)}
}
