package present

import (
	"time"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// BudgetLine says that a budget is nearly used up, or used up.
func BudgetLine(tr *text.Printer, id string, d agent.BudgetEvent, zone *time.Location) part.Line {
	line := part.Line{ID: id, Icon: "budget", Tone: part.Warm, Head: tr.T("present.budget.line.head"), Text: budgetSentence(tr, d, zone)}
	if d.Level == "reached" {
		line.Tone = part.Tripped
	}
	return line
}

// budgetSentence says how much of a budget is used, and when it resets.
func budgetSentence(tr *text.Printer, d agent.BudgetEvent, zone *time.Location) string {
	if d.ResetsAt.IsZero() {
		return usedSentence(tr, d)
	}
	return tr.T("present.budget.line.resets", usedSentence(tr, d), d.ResetsAt.In(zone).Format(tr.T("date.day")))
}

// usedSentence says how much of a budget is used, of the fuller limit where
// there are two.
func usedSentence(tr *text.Printer, d agent.BudgetEvent) string {
	of := scopeTitle(tr, d.Scope, d.SubjectName)
	tokens, money := percentOf(d.UsedTokens, d.LimitTokens), percentOf(d.UsedMicros, d.LimitMicros)
	switch {
	case d.LimitTokens > 0 && money <= tokens:
		return tr.T("present.budget.line.tokens", tokens, of, tr.Amount(d.UsedTokens), tr.Amount(d.LimitTokens))
	case d.LimitMicros > 0:
		return tr.T("present.budget.line.money", money, of, Money(d.UsedMicros), Money(d.LimitMicros))
	case d.Level == "reached": // its money is hidden
		return tr.T("present.budget.line.hidden_reached", of)
	default:
		return tr.T("present.budget.line.hidden", of)
	}
}
