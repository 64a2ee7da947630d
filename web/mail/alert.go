package mail

import (
	"strconv"

	"fusebox/agent"
	"fusebox/agent/notify"
	"fusebox/views/mail"
)

// alert writes the e-mail of an alert; ok is false for other notifications.
func (w writer) alert() (subject string, l mail.Letter, ok bool) {
	facts := w.budgetFacts
	switch w.p.Event {
	case agent.NotifyBudgetWarning:
		subject = w.tr.T("mail.budget_warning")
	case agent.NotifyBudgetReached:
		subject = w.tr.T("mail.budget_reached")
	case agent.NotifySpendSpike:
		subject, facts = w.tr.T("mail.spike"), w.spikeFacts
	case agent.NotifyLookAlike:
		subject = w.tr.T("mail.look_alike")
	default:
		return "", l, false
	}
	if name := notify.OneLine(w.p.SubjectName); name != "" {
		subject = w.tr.T("mail.alert_of", subject, name)
	}
	return subject, mail.Letter{Lead: w.tr.Recorded(notify.OneLine(w.p.Message)), Button: w.tr.T("mail.view"), Facts: facts()}, true
}

func (w writer) budgetFacts() []mail.Fact {
	f := w.p.AlertFacts
	all := []mail.Fact{{Name: w.tr.T("mail.fact.budget_of"), Text: f.SubjectName}}
	if f.LimitMicros > 0 {
		all = append(all, mail.Fact{Name: w.tr.T("mail.fact.money"), Text: w.tr.T("mail.of", agent.MoneyText(f.UsedMicros), agent.MoneyText(f.LimitMicros))})
	}
	if f.LimitTokens > 0 {
		all = append(all, mail.Fact{Name: w.tr.T("mail.fact.tokens"), Text: w.tr.T("mail.of", w.tr.Amount(f.UsedTokens), w.tr.Amount(f.LimitTokens))})
	}
	if !f.ResetsAt.IsZero() {
		all = append(all, mail.Fact{Name: w.tr.T("mail.fact.resets"), Text: w.exact(f.ResetsAt)})
	}
	return filled(all)
}

func (w writer) spikeFacts() []mail.Fact {
	f := w.p.AlertFacts
	return []mail.Fact{
		{Name: w.tr.T("mail.fact.hour"), Text: w.tr.T("mail.from", w.exact(f.Hour))},
		{Name: w.tr.T("mail.fact.spent"), Text: agent.MoneyText(f.Micros)},
		{Name: w.tr.T("mail.fact.usual"), Text: w.tr.T("mail.median", agent.MoneyText(f.MedianMicros))},
		{Name: w.tr.T("mail.fact.threshold"), Text: w.tr.T("mail.times_usual", strconv.FormatFloat(f.Factor, 'f', -1, 64))},
	}
}
