package notify

import (
	"fmt"
	"strconv"
	"time"

	"fusebox/agent"
)

// alerted writes the parts of an e-mail that are particular to alerts about money, and reports
// whether the notification is of one.
func (l *emailBody) alerted(p agent.NotifyPayload) bool {
	switch p.Event {
	case agent.NotifyBudgetWarning:
		l.Subject = "A budget is almost used up"
	case agent.NotifyBudgetReached:
		l.Subject = "A budget is used up"
	case agent.NotifySpendSpike:
		l.Subject = "Spending is far above usual"
	default:
		return false
	}
	if name := oneLine(p.SubjectName); name != "" {
		l.Subject += ": " + name
	}
	l.Lead, l.Button = oneLine(p.Message), "View it"
	if p.Event == agent.NotifySpendSpike {
		l.Facts = spikeFacts(p.AlertFacts)
	} else {
		l.Facts = budgetFacts(p.AlertFacts)
	}
	return true
}

func budgetFacts(f agent.AlertFacts) []fact {
	all := []fact{{"Budget of", f.SubjectName}}
	if f.LimitMicros > 0 {
		all = append(all, fact{"Money", agent.MoneyText(f.UsedMicros) + " of " + agent.MoneyText(f.LimitMicros)})
	}
	if f.LimitTokens > 0 {
		all = append(all, fact{"Tokens", agent.TokensText(f.UsedTokens) + " of " + agent.TokensText(f.LimitTokens)})
	}
	if !f.ResetsAt.IsZero() {
		all = append(all, fact{"Resets", exact(f.ResetsAt)})
	}
	return filled(all)
}

func spikeFacts(f agent.AlertFacts) []fact {
	return []fact{
		{"Hour", "from " + exact(f.Hour)},
		{"Spent", agent.MoneyText(f.Micros)},
		{"Usual", agent.MoneyText(f.MedianMicros) + ", the median of the hours with spending in the last 7 days"},
		{"Alert threshold", fmt.Sprintf("more than %s times the usual", strconv.FormatFloat(f.Factor, 'f', -1, 64))},
	}
}

// exact writes an instant.
func exact(at time.Time) string { return at.UTC().Format("2 Jan 2006 15:04 UTC") }
