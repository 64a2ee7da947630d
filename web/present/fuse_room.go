package present

import (
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
