package present

import (
	"encoding/json"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// budgetShown is what a card about a budget shows: how much is used, what the
// next call would need at most, and when the budget resets.
func budgetShown(tr *text.Printer, raw json.RawMessage, zone *time.Location) *part.BudgetShown {
	ev, _ := agent.Evidence(raw).Budget()
	shown := &part.BudgetShown{
		Name: scopeTitle(tr, ev.Scope, ev.SubjectName), Meters: evidenceMeters(tr, ev), NextTokens: tr.Amount(ev.NextStepTokens),
		Unpriced: ev.Unpriced, Model: ev.Model, Agents: agentsSpent(tr, ev.Runs),
	}
	if ev.NextStepMicros > 0 {
		shown.NextMoney = Money(ev.NextStepMicros)
	}
	switch {
	case ev.Unpriced:
		return shown // neither time nor a higher limit helps
	case ofMoney(ev):
		cents := (raiseBy(ev, ev.LimitMicros, ev.NextStepMicros) + 9_999) / 10_000 // what is below a cent is still needed
		shown.RaiseUSD = DollarsTyped(cents * 10_000)
	default:
		shown.RaiseTokens = PlainNumber(raiseBy(ev, ev.LimitTokens, ev.NextStepTokens))
	}
	shown.Reset = ResetOf(tr, ev.ResetsAt, zone)
	return shown
}

// agentsSpent says what the runs of each agent of a tree have used.
func agentsSpent(tr *text.Printer, runs []agent.RunSpending) (list []part.AgentSpent) {
	sums, names := map[string]agent.RunSpending{}, []string{}
	for _, r := range runs {
		sum, known := sums[r.Agent]
		if !known {
			names = append(names, r.Agent)
		}
		sum.Tokens, sum.CostMicros = sum.Tokens+r.Tokens, sum.CostMicros+r.CostMicros
		sums[r.Agent] = sum
	}
	for _, name := range names {
		spent := tr.T("present.child.tokens", tr.Amount(sums[name].Tokens))
		if cost := sums[name].CostMicros; cost > 0 {
			spent = tr.T("present.usage.tokens_money", tr.Amount(sums[name].Tokens), Money(cost))
		}
		list = append(list, part.AgentSpent{Agent: AgentName(tr, name), Spent: spent})
	}
	return list
}

// ofMoney reports whether the limit in money is in the way. A run's own was told
// by its scope before there were others.
func ofMoney(ev agent.BudgetEvidence) bool { return ev.Money || ev.Scope == "run_cost" }

// raisedSteps is how many model calls a proposed raise is for at least: one that only
// covered the next call would bring the card back at once.
const raisedSteps = 5

// raiseBy is what the form proposes: a run's own limit once more, and a tenth of one
// that is for several, but at least what the next few calls need.
func raiseBy(ev agent.BudgetEvidence, limit, next int64) int64 {
	if ev.BudgetID != "" {
		limit /= 10
	}
	return max(limit, raisedSteps*next)
}

// evidenceMeters are the limits of the card's budget, the one in the way first.
func evidenceMeters(tr *text.Printer, ev agent.BudgetEvidence) []part.BudgetMeter {
	var meters []part.BudgetMeter
	if ev.LimitTokens > 0 {
		meters = append(meters, budgetMeter(tr.T("present.budget.tokens"), amounts{used: ev.UsedTokens, held: ev.ReservedTokens, limit: ev.LimitTokens}, tr.Amount))
	}
	if ev.LimitMicros > 0 {
		m := budgetMeter(tr.T("present.budget.money"), amounts{used: ev.UsedMicros, held: ev.ReservedMicros, limit: ev.LimitMicros}, Money)
		if meters = append(meters, m); ofMoney(ev) {
			meters[0], meters[len(meters)-1] = m, meters[0]
		}
	}
	return meters
}

// budgetHead says what a budget's card is about in a few words.
func budgetHead(tr *text.Printer, a agent.Approval) string {
	ev, _ := a.BudgetEvidence()
	switch {
	case ev.Unpriced:
		return tr.T("present.budget.unpriced")
	case ofMoney(ev):
		return tr.T("present.budget.no_money")
	default:
		return tr.T("present.budget.no_tokens")
	}
}

// shortOf says what a budget lacks for the next call.
func shortOf(tr *text.Printer, ev agent.BudgetEvidence) string {
	switch {
	case ev.Unpriced && ev.Model == "":
		return tr.T("present.budget.gist.unpriced")
	case ev.Unpriced:
		return tr.T("present.budget.gist.unpriced_model", ev.Model)
	case ofMoney(ev) && ev.LimitMicros == 0: // its money is hidden
		return tr.T("present.budget.gist.hidden")
	case ofMoney(ev) && ev.NextStepMicros > 0:
		return tr.T("present.budget.gist.money_next", Money(ev.UsedMicros), Money(ev.LimitMicros), Money(ev.NextStepMicros))
	case ofMoney(ev):
		return tr.T("present.budget.gist.money", Money(ev.UsedMicros), Money(ev.LimitMicros))
	default:
		return tr.T("present.budget.gist.tokens", tr.Amount(ev.UsedTokens), tr.Amount(ev.LimitTokens), tr.Amount(ev.NextStepTokens))
	}
}

// StandingsWithoutMoney are standings with nothing in them that is money.
func StandingsWithoutMoney(standings []agent.BudgetStatus) []agent.BudgetStatus {
	standings = slices.Clone(standings)
	for i := range standings {
		st := &standings[i]
		st.LimitMicros, st.UsedMicros, st.ReservedMicros, st.RaisedMicros = 0, 0, 0, 0
	}
	return standings
}

// ByBudget puts the standings of each budget together, the fullest first.
func ByBudget(standings []agent.BudgetStatus) [][]agent.BudgetStatus {
	var all [][]agent.BudgetStatus
	for _, st := range standings {
		if n := len(all); n > 0 && all[n-1][0].ID == st.ID {
			all[n-1] = append(all[n-1], st)
		} else {
			all = append(all, []agent.BudgetStatus{st})
		}
	}
	for _, accounts := range all {
		FullestFirst(accounts)
	}
	return all
}

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
