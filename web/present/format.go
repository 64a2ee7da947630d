package present

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"fusebox/agent"
	"fusebox/views/text"
)

// Money writes micro-USD: cents from one cent up, four digits below.
func Money(micros int64) string { return agent.MoneyText(micros) }

// CostText writes what model calls cost. Where nobody knew a price, nothing is
// not the same as free.
func CostText(tr *text.Printer, micros int64, unpriced bool) string {
	if unpriced && micros == 0 {
		return tr.T("present.usage.no_price")
	}
	return Money(micros)
}

// emptyUnits are the minutes and seconds that a Go duration writes though there are none.
var emptyUnits = regexp.MustCompile(`\b(\d+h)0m0s\b|\b((?:\d+h)?\d+m)0s\b`)

// ShortSpans writes the durations in a text as a person would: 1m, not 1m0s.
func ShortSpans(s string) string { return emptyUnits.ReplaceAllString(s, "$1$2") }

// Seconds writes how long something took: 0.4 s, 12 s, 1:42.
func Seconds(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	default:
		return clockTime(d)
	}
}

// clockTime writes a duration as m:ss, or h:mm:ss.
func clockTime(d time.Duration) string {
	s := int(max(d, 0).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Millis writes a short time: 340 ms, 1.2 s.
func Millis(d time.Duration) string {
	if d < time.Second {
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return Seconds(d)
}

func dollarsPerMillion(micros int64) string {
	return "$" + Dollars(micros)
}

// Unit writes a coordinate with two digits at most.
func Unit(f float64) string {
	return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64)
}

// Person names somebody to others: with the address, which is theirs alone.
func Person(name, email string) string {
	if name == "" {
		return email
	}
	return name + " (" + email + ")"
}

// CountOfRuns counts runs. It is an argument of a sentence that counts more than one thing,
// since a message of the catalogue has one plural.
func CountOfRuns(tr *text.Printer, n int) string {
	return tr.T("page.count.runs", n, tr.Amount(int64(n)))
}

// CountOfCalls counts calls.
func CountOfCalls(tr *text.Printer, n int64) string {
	return tr.T("page.count.calls", n, tr.Amount(n))
}

// CountOfDays counts days.
func CountOfDays(tr *text.Printer, n int) string { return tr.T("page.count.days", n) }

// SpendCost formats the cost of a sum; it is unknown if none of its calls has a price.
func SpendCost(tr *text.Printer, r agent.SpendRow) string {
	return CostText(tr, r.CostMicros, r.Unpriced > 0 && r.Unpriced == r.Lines)
}

// ExactMoney is an amount to the last digit, for a pointer that rests on it.
func ExactMoney(tr *text.Printer, micros int64) string {
	return tr.T("page.spend.exact", strconv.FormatInt(micros, 10))
}
