package money

import (
	"cmp"
	"fmt"
	"net/url"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
)

// totals are the big numbers above the chart.
func (b *bill) totals() []page.Total {
	list := b.sums()
	if b.budget != nil {
		list[0].Note = b.words.T("page.spend.of_budget", present.Money(b.budget.MicroLimit()), b.budget.Percent())
	}
	list[0].More = b.comparison()
	if f := b.ahead; f != nil {
		ahead := page.Total{
			Label: b.words.T("page.spend.forecast"), Value: b.m.Show(b.words, f.amount), Exact: fmt.Sprint(f.amount), Note: b.words.T("page.spend.forecast_by", f.by.Format(b.words.T("date.day"))),
		}
		list = append(list[:1], append([]page.Total{ahead}, list[1:]...)...)
	}
	return list
}

// sums are what the range has taken.
func (b *bill) sums() []page.Total {
	t, tr := b.total, b.words
	return []page.Total{
		{Label: tr.T("page.spend.cost"), Value: present.SpendCost(tr, t), Exact: present.ExactMoney(tr, t.CostMicros)},
		{Label: tr.T("page.spend.runs"), Value: b.words.Amount(t.Runs), Note: tr.T("page.spend.model_calls", t.Lines, b.words.Amount(t.Lines)), Exact: fmt.Sprint(t.Runs)},
		{Label: tr.T("page.spend.tokens_in"), Value: b.words.Amount(t.InputTokens), Note: tr.T("page.spend.cached", b.words.Amount(t.CachedTokens)), Exact: fmt.Sprint(t.InputTokens)},
		{Label: tr.T("page.spend.tokens_out"), Value: b.words.Amount(t.OutputTokens), Note: tr.T("page.spend.reasoning", b.words.Amount(t.ReasoningTokens)), Exact: fmt.Sprint(t.OutputTokens)},
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
			hints = append(hints, b.unpricedHint(r.Unpriced, r.Key))
		}
	}
	if models > maxUnpriced {
		hints = []page.SpendHint{b.unpricedHint(b.total.Unpriced, b.words.T("page.count.models", models))}
	}
	hints = append(hints, b.namedHints()...)
	if b.total.Estimated > 0 {
		hints = append(hints, page.SpendHint{
			Text: b.words.T("page.spend.estimated", b.total.Estimated, b.words.Amount(b.total.Estimated)),
		})
	}
	if f := b.ahead; f != nil {
		hints = append(hints, page.SpendHint{
			Text: b.words.T("page.spend.forecast_how", f.days),
		})
	}
	return hints
}

// maxUnpriced is how many models are named one by one.
const maxUnpriced = 3

func (b *bill) unpricedHint(calls int64, of string) page.SpendHint {
	return page.SpendHint{
		Text: b.words.T("page.spend.unpriced", calls, b.words.Amount(calls), of), Href: "/admin/models", Do: b.words.T("page.spend.set_price"),
	}
}

// namedHints say of which models the endpoint names another cost than the price list.
func (b *bill) namedHints() (hints []page.SpendHint) {
	for _, c := range b.named {
		if c.Differs() && len(hints) < maxNamed {
			hints = append(hints, page.SpendHint{
				Text: b.words.T("page.spend.named", c.Calls, b.words.Amount(c.Calls), c.Model, present.Money(c.NamedMicros), present.Money(c.CostMicros)),
				Href: "/admin/models", Do: b.words.T("page.spend.check_price"),
			})
		}
	}
	return hints
}

// maxNamed is of how many models that is said.
const maxNamed = 3

// table is the first rows of one group.
func (b *bill) table(group agent.SpendGroup) page.SpendTable {
	top := b.top[group]
	rows := top[:min(len(top), maxSpendRows)]
	t := page.SpendTable{ID: "by-" + string(group), CSV: b.csv(group), More: len(top) > len(rows)}
	switch tr := b.words; group {
	case agent.SpendByUser:
		t.Title, t.Column = tr.T("page.spend.by_user"), tr.T("page.spend.user")
	case agent.SpendByConversation:
		t.Title, t.Column = tr.T("page.spend.by_conversation"), tr.T("page.spend.conversation")
	case agent.SpendByModel:
		t.Title, t.Column = tr.T("page.spend.by_model"), tr.T("page.spend.model")
	default:
		t.Title, t.Column, t.Note = tr.T("page.spend.by_tool"), tr.T("page.spend.tool"), tr.T("page.spend.by_tool_note")
	}
	for _, r := range rows {
		t.Rows = append(t.Rows, b.line(group, r))
	}
	return t
}

// deletedChat is what the ledger calls a conversation that is gone.
const deletedChat = "deleted conversation"

// label names a row; a row without a name is described.
func (b *bill) label(group agent.SpendGroup, r agent.SpendRow) string {
	switch {
	case group == agent.SpendByConversation && r.Key == "":
		return b.words.T("page.spend.no_chat")
	case group == agent.SpendByConversation && r.Label == deletedChat:
		return b.words.T("page.spend.deleted")
	case group == agent.SpendByTool && r.Key == "":
		return b.words.T("page.spend.no_tool")
	default:
		return cmp.Or(r.Label, r.Key)
	}
}

func (b *bill) line(group agent.SpendGroup, r agent.SpendRow) page.SpendLine {
	line := page.SpendLine{
		Label: b.label(group, r), Share: share(b.m.Value(r), b.m.Value(b.total)),
		Runs:   runsOf(b.words, r),
		Input:  page.Figured{Text: b.words.Amount(r.InputTokens), Exact: fmt.Sprint(r.InputTokens)},
		Cached: page.Figured{Text: b.words.Amount(r.CachedTokens), Exact: fmt.Sprint(r.CachedTokens)},
		Output: page.Figured{Text: b.words.Amount(r.OutputTokens), Exact: fmt.Sprint(r.OutputTokens)},
		Amount: page.Figured{Text: present.SpendCost(b.words, r), Exact: present.ExactMoney(b.words, r.CostMicros)},
	}
	if group == agent.SpendByConversation && r.Label != deletedChat && r.Key != "" {
		line.Href = "/c/" + url.PathEscape(r.Key)
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
		t.Rows = append(t.Rows, savedRow(b.words, present.DetectorName(b.words, g.Detector), g))
	}
	if t.Rows == nil {
		return nil
	}
	t.Total = savedRow(b.words, b.words.T("page.spend.all_breakers"), sum)
	return t
}

func savedRow(tr *text.Printer, detector string, g agent.GuardStat) page.SavedRow {
	return page.SavedRow{
		Detector: detector, Pauses: fmt.Sprint(g.Pauses), Stops: fmt.Sprint(g.Stops),
		Spent: tr.T("page.spend.tokens_and_money", tr.Amount(g.Tokens), present.Money(g.CostMicros)),
		Saved: tr.T("page.spend.tokens_and_money", tr.Amount(g.SavedTokens), present.Money(g.SavedMicros)),
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
func runsOf(tr *text.Printer, r agent.SpendRow) page.Figured {
	if r.Runs == 0 {
		return page.Figured{Text: "–", Exact: tr.T("page.spend.runs_elsewhere")}
	}
	return page.Figured{Text: tr.Amount(r.Runs), Exact: fmt.Sprint(r.Runs)}
}
