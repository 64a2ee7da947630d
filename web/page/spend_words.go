package page

import (
	"cmp"
	"fmt"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
)

// cost is what a sum costs; where no call of it has a price, nobody knows it.
func cost(tr *text.Printer, r agent.SpendRow) string {
	return present.CostText(tr, r.CostMicros, r.Unpriced > 0 && r.Unpriced == r.Lines)
}

// exactMoney is an amount to the last digit, for a pointer that rests on it.
func exactMoney(micros int64) string { return fmt.Sprintf("%d micro-USD", micros) }

// totals are the big numbers above the chart.
func (b *bill) totals() []page.Total {
	list := spendTotals(b.words, b.total)
	if b.budget != nil {
		list[0].Note = fmt.Sprintf("of %s budget, %d %%", present.Money(b.budget.MicroLimit()), b.budget.Percent())
	}
	if f := b.ahead; f != nil {
		ahead := page.Total{
			Label: "Forecast", Value: b.m.show(f.amount), Exact: fmt.Sprint(f.amount), Note: "about, by " + f.by.Format("2 January"),
		}
		list = append(list[:1], append([]page.Total{ahead}, list[1:]...)...)
	}
	return list
}

func spendTotals(tr *text.Printer, t agent.SpendRow) []page.Total {
	return []page.Total{
		{Label: "Cost", Value: cost(tr, t), Exact: exactMoney(t.CostMicros)},
		{Label: "Runs", Value: present.Tokens(t.Runs), Note: present.Plural(t.Lines, "model call", "model calls"), Exact: fmt.Sprint(t.Runs)},
		{Label: "Tokens in", Value: present.Tokens(t.InputTokens), Note: present.Tokens(t.CachedTokens) + " of them cached", Exact: fmt.Sprint(t.InputTokens)},
		{Label: "Tokens out", Value: present.Tokens(t.OutputTokens), Note: present.Tokens(t.ReasoningTokens) + " of them reasoning", Exact: fmt.Sprint(t.OutputTokens)},
	}
}

// hints say what the sums do not: which calls have no price, how many tokens
// were estimated, and how the forecast is made.
func (b *bill) hints() []page.SpendHint {
	var hints []page.SpendHint
	models := 0
	for _, r := range b.top[agent.SpendByModel] {
		if r.Unpriced > 0 {
			models++
			hints = append(hints, unpricedHint(r.Unpriced, r.Key))
		}
	}
	if models > maxUnpriced {
		hints = []page.SpendHint{unpricedHint(b.total.Unpriced, present.Plural(int64(models), "model", "models"))}
	}
	if b.total.Estimated > 0 {
		hints = append(hints, page.SpendHint{
			Text: "The tokens of " + present.Plural(b.total.Estimated, "call are", "calls are") + " estimated: the provider did not tell them.",
		})
	}
	if f := b.ahead; f != nil {
		hints = append(hints, page.SpendHint{
			Text: "The forecast is what was spent so far, and the mean of the last " + present.Plural(int64(f.days), "full day", "full days") + " for the rest of the month.",
		})
	}
	return hints
}

// maxUnpriced is how many models are told of one by one.
const maxUnpriced = 3

func unpricedHint(calls int64, of string) page.SpendHint {
	verb := " have no price; their cost is not in these sums."
	if calls == 1 {
		verb = " has no price; its cost is not in these sums."
	}
	return page.SpendHint{Text: present.Plural(calls, "call", "calls") + " of " + of + verb, Href: "/admin/models", Do: "Set a price"}
}

// table is the first rows of one group.
func (b *bill) table(group agent.SpendGroup, title, column string) page.SpendTable {
	top := b.top[group]
	rows := top[:min(len(top), maxSpendRows)]
	t := page.SpendTable{ID: "by-" + string(group), Title: title, Column: column, CSV: b.csv(group), More: len(top) > len(rows)}
	if group == agent.SpendByTool {
		t.Note = "The cost of an answer is parted among the calls it made."
	}
	for _, r := range rows {
		t.Rows = append(t.Rows, b.line(group, r))
	}
	return t
}

func (b *bill) line(group agent.SpendGroup, r agent.SpendRow) page.SpendLine {
	line := page.SpendLine{
		Label: cmp.Or(r.Label, r.Key), Share: share(b.m.value(r), b.m.value(b.total)),
		Runs:   runsOf(r),
		Input:  page.Figured{Text: present.Tokens(r.InputTokens), Exact: fmt.Sprint(r.InputTokens)},
		Cached: page.Figured{Text: present.Tokens(r.CachedTokens), Exact: fmt.Sprint(r.CachedTokens)},
		Output: page.Figured{Text: present.Tokens(r.OutputTokens), Exact: fmt.Sprint(r.OutputTokens)},
		Amount: page.Figured{Text: cost(b.words, r), Exact: exactMoney(r.CostMicros)},
	}
	if group == agent.SpendByConversation && r.Label != "deleted conversation" {
		line.Href = chatHref(r.Key)
	}
	return line
}

// savedTable is what the breakers saved in the range, nil where none has spoken.
func (b *bill) savedTable() *page.SavedTable {
	var sum agent.GuardStat
	t := &page.SavedTable{}
	for _, g := range b.saved {
		if g.Pauses+g.Stops == 0 {
			continue
		}
		sum.Pauses, sum.Stops = sum.Pauses+g.Pauses, sum.Stops+g.Stops
		sum.Tokens, sum.CostMicros = sum.Tokens+g.Tokens, sum.CostMicros+g.CostMicros
		sum.SavedTokens, sum.SavedMicros = sum.SavedTokens+g.SavedTokens, sum.SavedMicros+g.SavedMicros
		t.Rows = append(t.Rows, savedRow(g))
	}
	if t.Rows == nil {
		return nil
	}
	sum.Detector = "All"
	t.Total = savedRow(sum)
	return t
}

func savedRow(g agent.GuardStat) page.SavedRow {
	return page.SavedRow{
		Detector: g.Detector, Pauses: fmt.Sprint(g.Pauses), Stops: fmt.Sprint(g.Stops),
		Spent: present.Tokens(g.Tokens) + " tokens, " + present.Money(g.CostMicros),
		Saved: present.Tokens(g.SavedTokens) + " tokens, " + present.Money(g.SavedMicros),
	}
}

// share is part of whole in per cent.
func share(part, whole int64) string {
	if whole == 0 {
		return "0"
	}
	return present.Unit(float64(part) / float64(whole) * 100)
}

// runsOf counts the runs that began in a sum. Where none did, its calls are those of
// runs that are counted elsewhere.
func runsOf(r agent.SpendRow) page.Figured {
	if r.Runs == 0 {
		return page.Figured{Text: "–", Exact: "its runs are counted where they began"}
	}
	return page.Figured{Text: present.Tokens(r.Runs), Exact: fmt.Sprint(r.Runs)}
}
