package present

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
)

var (
	dollarText = regexp.MustCompile(`^\$?\s*([0-9]{1,12}(?:\.[0-9]{1,6})?)$`)
	// A comma, a space or a line is between thousands only: elsewhere "1,5M" is one and a half.
	tokenText = regexp.MustCompile(`^([0-9]{1,15}|[0-9]{1,3}(?:[ \x{a0}\x{202f},_][0-9]{3}){1,4})(\.[0-9]{1,6})?\s*([kKmMbB万亿]?)$`)
	separator = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", ",", "", "_", "")
)

// TypedDollars reads an amount of money as people type it, "" as 0.
func TypedDollars(field, text string) (micros int64, err error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	found := dollarText.FindStringSubmatch(text)
	if found == nil {
		return 0, agent.InvalidField(field, "is not an amount of dollars; write one such as 5 or 0.50")
	}
	return scaled(found[1], 1_000_000), nil
}

// TypedTokens reads a number of tokens, also one in a unit that pages count in, "" as 0.
// Tokens have no fractions: someone who types 200.000 means thousands, or something else.
func TypedTokens(field, text string) (int64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	found := tokenText.FindStringSubmatch(text)
	if found == nil || found[2] != "" && found[3] == "" {
		return 0, agent.InvalidField(field, "is not a number of tokens; write one such as 200000, 200k or 1.5M")
	}
	unit := map[string]int64{"": 1, "k": 1_000, "m": 1_000_000, "b": 1_000_000_000, "万": 10_000, "亿": 100_000_000}[strings.ToLower(found[3])]
	return scaled(separator.Replace(found[1])+found[2], unit), nil
}

// scaled is a decimal number times a unit, what is smaller than one dropped.
// Its digits are bounded, so that it fits.
func scaled(decimal string, unit int64) int64 {
	r, _ := new(big.Rat).SetString(decimal)
	r.Mul(r, new(big.Rat).SetInt64(unit))
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if !n.IsInt64() {
		return 1<<63 - 1
	}
	return n.Int64()
}

// DollarsTyped writes an amount as one would type it: two to six decimals.
func DollarsTyped(micros int64) string {
	text := new(big.Rat).SetFrac64(micros, 1_000_000).FloatString(6)
	for strings.HasSuffix(text, "0") && len(text)-strings.Index(text, ".") > 3 {
		text = text[:len(text)-1]
	}
	return text
}

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

// WithoutMoney is an event with nothing in it that is money.
func WithoutMoney(e agent.Event) agent.Event {
	switch d := e.Data.(type) {
	case agent.RunStart:
		d.Limits.CostMicros = 0
		e.Data, e.Encoded = d, nil
	case agent.StepFinish:
		d.CostMicros = 0
		e.Data, e.Encoded = d, nil
	case agent.BudgetEvent:
		d.UsedMicros, d.LimitMicros = 0, 0
		e.Data, e.Encoded = d, nil
	case agent.GuardEvent:
		d.Message, d.Evidence = agent.WithoutAmounts(d.Message), evidenceWithoutMoney(d.Evidence)
		e.Data, e.Encoded = d, nil
	case agent.ApprovalRequestedEvent:
		d.Evidence = evidenceWithoutMoney(d.Evidence)
		if d.Kind == agent.KindBudget {
			d.Message = agent.WithoutAmounts(d.Message)
		}
		e.Data, e.Encoded = d, nil
	case agent.Notice:
		d.Message = agent.WithoutAmounts(d.Message)
		e.Data, e.Encoded = d, nil
	case agent.Finish:
		d.CostMicros, d.Message = 0, agent.WithoutAmounts(d.Message)
		e.Data, e.Encoded = d, nil
	}
	return e
}

// EventsWithoutMoney leaves the events alone that others read too.
func EventsWithoutMoney(events []agent.Event) []agent.Event {
	events = slices.Clone(events)
	for i, e := range events {
		events[i] = WithoutMoney(e)
	}
	return events
}

// evidenceWithoutMoney sets every amount of a JSON document to nothing; they all
// stand in fields that end in Micros.
func evidenceWithoutMoney(raw json.RawMessage) json.RawMessage {
	var value any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // arguments are shown as they are, long numbers too
	if dec.Decode(&value) != nil {
		return raw
	}
	clearMicros(value)
	out, err := json.Marshal(value)
	if err != nil {
		return raw
	}
	return out
}

func clearMicros(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if strings.HasSuffix(key, "Micros") {
				v[key] = 0
				continue
			}
			if key != "args" { // what a model asked for is its own
				clearMicros(inner)
			}
		}
	case []any:
		for _, inner := range v {
			clearMicros(inner)
		}
	}
}

// ApprovalWithoutMoney is an approval with nothing in it that is money.
func ApprovalWithoutMoney(a agent.Approval) agent.Approval {
	a.Evidence, a.RaiseMicrosBy = evidenceWithoutMoney(a.Evidence), 0
	if a.Kind == agent.KindBudget {
		a.Message = agent.WithoutAmounts(a.Message)
	}
	return a
}

// RunWithoutMoney is a run with nothing in it that is money.
func RunWithoutMoney(r agent.Run) agent.Run {
	r.CostMicros, r.Limits.CostMicros = 0, 0
	return r
}
