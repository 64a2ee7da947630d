package present

import (
	"slices"

	"fusebox/agent"
	"fusebox/views/part"
)

// room is what is used of a limit: the run's own, or that of an admin's budget.
type room struct {
	used, limit int64
	budget      *agent.BudgetStatus
}

func (r room) left() int64 { return r.limit - r.used }

// tightest is the limit with the least room: the one that stops the run. Budgets of
// each run count what the run itself has used.
func (f FusePanel) tightest(own room, of func(agent.BudgetStatus) room) room {
	tight := own
	for _, b := range f.Budgets {
		r := of(b)
		r.budget = &b
		if b.Who == agent.WhoRun {
			r.used = max(r.used, own.used) // it starts with nothing in each run
		}
		if r.limit > 0 && !b.Soft && (tight.limit == 0 || r.left() < tight.left()) {
			tight = r
		}
	}
	return tight
}

// limited says whose limit a fuse shows, what happens there, and what can be done.
func (f FusePanel) limited(fuse part.Fuse, r room) part.Fuse {
	if r.budget == nil {
		fuse.Then, fuse.Whose = f.Text.T("present.fuse.pauses"), f.Text.T("present.fuse.own")
		if f.Chat != "" {
			fuse.Ways = []part.FuseWay{{Href: f.Chat + "/setup", Label: f.Text.T("present.fuse.own_limits")}}
		}
		return fuse
	}
	fuse.Then = AtLimitWords(f.Text, r.budget.Budget)
	fuse.Whose = f.Text.T("present.fuse.budget", scopeTitle(f.Text, r.budget.Scope(), f.subject(*r.budget)))
	fuse.Ways = []part.FuseWay{{Href: "/settings", Label: f.Text.T("present.fuse.usage")}}
	if f.Admin {
		fuse.Ways = []part.FuseWay{{Href: "/admin/budgets", Label: f.Text.T("present.fuse.budgets")}}
	}
	return fuse
}

// subject names whom a budget counts for.
func (f FusePanel) subject(b agent.BudgetStatus) string {
	if b.Who == agent.WhoUser {
		return f.Person
	}
	return b.Of
}

// foldBudgets keeps the budgets of admins as they stand.
func (p *Presenter) foldBudgets(e agent.Event) {
	switch d := e.Data.(type) {
	case agent.StepFinish:
		if p.live {
			p.spend(d)
		}
	case agent.BudgetEvent:
		p.budgetSaid(d)
	default:
	}
}

// spend counts what the viewer's page sees being spent towards the budgets.
func (p *Presenter) spend(d agent.StepFinish) {
	for i := range p.Budgets {
		if p.Budgets[i].Who != agent.WhoRun {
			p.Budgets[i].UsedTokens += d.Usage.Total()
			p.Budgets[i].UsedMicros += d.CostMicros
		}
	}
}

// budgetSaid takes over what an event says of a budget of an admin. An old one is only
// believed of a run's own account, which nothing else counts.
func (p *Presenter) budgetSaid(d agent.BudgetEvent) {
	if d.BudgetID == "" {
		return
	}
	i := slices.IndexFunc(p.Budgets, func(b agent.BudgetStatus) bool { return b.ID == d.BudgetID })
	switch {
	case i < 0:
		p.Budgets = append(p.Budgets, seen(d))
	case p.live || p.Budgets[i].Who == agent.WhoRun:
		b := &p.Budgets[i]
		b.UsedTokens, b.UsedMicros = d.UsedTokens, d.UsedMicros
		b.RaisedTokens, b.RaisedMicros = max(0, d.LimitTokens-b.LimitTokens), max(0, d.LimitMicros-b.LimitMicros)
	}
}

// BudgetsSeen are the budgets of admins that a run's events speak of, as they stood last.
func BudgetsSeen(events []agent.Event) []agent.BudgetStatus {
	p := Presenter{live: true}
	for _, e := range events {
		if d, ok := e.Data.(agent.BudgetEvent); ok {
			p.budgetSaid(d)
		}
	}
	return p.Budgets
}

// seen is a budget of which only an event is known.
func seen(d agent.BudgetEvent) agent.BudgetStatus {
	who, span := cutScope(d.Scope)
	if span == "" {
		span = agent.SpanRun
	}
	return agent.BudgetStatus{
		Budget: agent.Budget{ID: d.BudgetID, Who: who, Span: span, LimitTokens: d.LimitTokens, LimitMicros: d.LimitMicros, AtLimit: agent.LimitPause},
		Of:     d.SubjectName, UsedTokens: d.UsedTokens, UsedMicros: d.UsedMicros,
	}
}

// newAccounts forgets what was raised for the run before, and what only its events knew.
func (p *Presenter) newAccounts() {
	p.Budgets = slices.DeleteFunc(p.Budgets, func(b agent.BudgetStatus) bool { return b.CreatedBy == "" })
	for i := range p.Budgets {
		if p.Budgets[i].Who == agent.WhoRun {
			p.Budgets[i].UsedTokens, p.Budgets[i].UsedMicros, p.Budgets[i].RaisedTokens, p.Budgets[i].RaisedMicros = 0, 0, 0, 0
		}
	}
}
