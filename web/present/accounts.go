package present

import (
	"cmp"
	"slices"

	"fusebox/agent"
)

// Accounts are the budgets of admins that limit a run, as they stand.
type Accounts []agent.BudgetStatus

// fold counts what an event says of the budgets. What steps cost is counted while the page
// is live: until then, the budgets hold it already.
func (a *Accounts) fold(e agent.Event, live bool) {
	switch d := e.Data.(type) {
	case agent.StepFinish:
		for i := range *a {
			if b := &(*a)[i]; live && b.Who != agent.WhoRun {
				b.UsedTokens += d.Usage.Total()
				b.UsedMicros += d.CostMicros
			}
		}
	case agent.BudgetEvent:
		a.said(d, live)
	default:
	}
}

// said takes over what an event says of a budget of an admin. An old one is only
// believed of a run's own account, which nothing else counts.
func (a *Accounts) said(d agent.BudgetEvent, live bool) {
	if d.BudgetID == "" {
		return
	}
	i := slices.IndexFunc(*a, func(b agent.BudgetStatus) bool { return b.ID == d.BudgetID })
	switch {
	case i < 0:
		who, span := cutScope(d.Scope)
		*a = append(*a, agent.BudgetStatus{
			Budget: agent.Budget{
				ID: d.BudgetID, Who: who, Span: cmp.Or(span, agent.SpanRun), LimitTokens: d.LimitTokens, LimitMicros: d.LimitMicros, AtLimit: agent.LimitPause,
			},
			Of: d.SubjectName, UsedTokens: d.UsedTokens, UsedMicros: d.UsedMicros,
		})
	case live || (*a)[i].Who == agent.WhoRun:
		b := &(*a)[i]
		b.UsedTokens, b.UsedMicros = d.UsedTokens, d.UsedMicros
		b.RaisedTokens, b.RaisedMicros = max(0, d.LimitTokens-b.LimitTokens), max(0, d.LimitMicros-b.LimitMicros)
	}
}

// beginRun forgets what was raised for the run before, and what only its events knew.
func (a *Accounts) beginRun() {
	*a = slices.DeleteFunc(*a, func(b agent.BudgetStatus) bool { return b.CreatedBy == "" })
	for i := range *a {
		if b := &(*a)[i]; b.Who == agent.WhoRun {
			b.UsedTokens, b.UsedMicros, b.RaisedTokens, b.RaisedMicros = 0, 0, 0, 0
		}
	}
}

// BudgetsSeen are the budgets of admins that a run's events speak of, as they stood last.
func BudgetsSeen(events []agent.Event) []agent.BudgetStatus {
	var a Accounts
	for _, e := range events {
		if d, ok := e.Data.(agent.BudgetEvent); ok {
			a.said(d, true)
		}
	}
	return a
}
