package present

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// warnShare is the share of a limit from which a fuse is warm.
const warnShare = 0.8

// Fuses is the panel of the newest run.
func (p *Presenter) Fuses() templ.Component {
	if p.Run.Status.Ended() {
		return part.FusesAfter(fusesID, p.fuses())
	}
	return part.FusePanel(fusesID, p.fuses())
}

func (p *Presenter) fuses() []part.Fuse {
	panel := FusePanel{Text: p.Text, Run: p.Run, Budgets: p.Budgets, TokensOnly: p.TokensOnly, Admin: p.Viewer.Role == agent.RoleAdmin}
	if p.Owns {
		panel.Chat, panel.Person = "/c/"+p.conv.ID, p.Viewer.Email
	}
	return panel.Fuses()
}

// FusePanel is what the panel of a run is made of.
type FusePanel struct {
	Text *text.Printer
	Run  RunView
	// Budgets are those of admins that limit the run as well.
	Budgets []agent.BudgetStatus
	// TokensOnly leaves out the fuse of money.
	TokensOnly bool
	// Chat is the conversation's page, "" for those who cannot change it; Admin says
	// that the viewer may change budgets and breakers.
	Chat  string
	Admin bool
	// Person is the owner's address, "" where the viewer is somebody else.
	Person string
}

// Fuses are the run's fuses, none before the first run.
func (f FusePanel) Fuses() []part.Fuse {
	if f.Run.Status == "" {
		return nil
	}
	fuses := []part.Fuse{f.loop(), f.steps(), f.tokens()}
	if !f.TokensOnly {
		fuses = append(fuses, f.cost())
	}
	return append(fuses, f.time(), f.retry())
}

// PlainNumber writes a count in full.
func PlainNumber(n int64) string { return strconv.FormatInt(n, 10) }

func (f FusePanel) loop() part.Fuse {
	r := f.Run
	count := r.loopCount
	if r.streak > 1 {
		count = max(count, r.streak)
	}
	fuse := part.Fuse{
		Key: "loop", Name: f.Text.T("present.fuse.loop"), Means: f.Text.T("present.fuse.loop_means"), Then: f.Text.T("present.fuse.loop_then", r.loopLimit),
		Value: PlainNumber(int64(count)), Limit: PlainNumber(int64(r.loopLimit)), Lit: part.Lit(int64(count), int64(r.loopLimit)), Level: r.loop,
		Ways: f.breakers(),
	}
	if fuse.Level == part.Tripped {
		fuse.Href = r.loopAt
	}
	return fuse
}

func (f FusePanel) steps() part.Fuse {
	fuse := part.Fuse{
		Key: "steps", Name: f.Text.T("present.fuse.steps"), Means: f.Text.T("present.fuse.steps_means"), Then: f.Text.T("present.fuse.ends"), Ways: f.breakers(),
	}
	return metered(fuse, f.Run.tripped.steps, int64(f.Run.steps), int64(f.Run.limits.Steps), PlainNumber)
}

func (f FusePanel) tokens() part.Fuse {
	own := room{used: f.Run.usedTokens + f.Run.belowTokens, limit: f.Run.limits.Tokens}
	tight := f.tightest(own, func(b agent.BudgetStatus) room { return room{used: b.UsedTokens, limit: b.TokenLimit()} })
	fuse := part.Fuse{Key: "tokens", Name: f.Text.T("present.fuse.tokens"), Means: f.Text.T("present.fuse.tokens_means")}
	return metered(f.limited(fuse, tight), f.Run.tripped.tokens, tight.used, tight.limit, f.Text.Amount)
}

func (f FusePanel) cost() part.Fuse {
	own := room{used: f.Run.cost + f.Run.belowCost, limit: f.Run.limits.CostMicros}
	tight := f.tightest(own, func(b agent.BudgetStatus) room { return room{used: b.UsedMicros, limit: b.MicroLimit()} })
	fuse := part.Fuse{Key: "cost", Name: f.Text.T("present.fuse.cost"), Means: f.Text.T("present.fuse.cost_means")}
	fuse = metered(f.limited(fuse, tight), f.Run.tripped.cost, tight.used, tight.limit, Money)
	if f.Run.unpriced > 0 && f.Run.priced == 0 && tight.budget == nil {
		fuse.Value = f.Text.T("present.usage.no_price")
	}
	return fuse
}

func (f FusePanel) time() part.Fuse {
	limit := time.Duration(f.Run.limits.DurationMS) * time.Millisecond
	fuse := part.Fuse{
		Key: "time", Name: f.Text.T("present.fuse.time"), Means: f.Text.T("present.fuse.time_means"), Then: f.Text.T("present.fuse.ends"), Ways: f.breakers(),
	}
	fuse = metered(fuse, f.Run.tripped.time, f.Run.active.Milliseconds(), limit.Milliseconds(), func(ms int64) string {
		return clockTime(time.Duration(ms) * time.Millisecond)
	})
	if !f.Run.since.IsZero() {
		fuse.Since = f.Run.since.Add(-f.Run.active)
	}
	return fuse
}

func (f FusePanel) retry() part.Fuse {
	r := f.Run
	fuse := part.Fuse{Key: "retry", Name: f.Text.T("present.fuse.retry"), Means: f.Text.T("present.fuse.retry_means"), Then: f.Text.T("present.fuse.retry_then")}
	if f.Admin {
		fuse.Ways = []part.FuseWay{{Href: "/admin/models", Label: f.Text.T("present.fuse.models")}}
	}
	fuse = metered(fuse, r.tripped.retry, int64(r.retries), int64(r.tries), PlainNumber)
	if fuse.Level == part.Cool && r.tries > 0 && 2*r.retries >= r.tries {
		fuse.Level = part.Warm
	}
	return fuse
}

// metered is a fuse that counts towards a limit.
func metered(f part.Fuse, tripped string, used, limit int64, write func(int64) string) part.Fuse {
	f.Value, f.Level = write(used), part.Cool
	if limit > 0 {
		f.Limit = write(limit)
		f.Lit = part.Lit(used, limit)
		if float64(used) >= warnShare*float64(limit) {
			f.Level, f.Over = part.Warm, used > limit
		}
	} else {
		f.Then, f.Whose = "", ""
	}
	if tripped != "" {
		f.Level, f.Href = part.Tripped, tripped
	}
	return f
}

// breakers leads to the numbers of the breakers.
func (f FusePanel) breakers() []part.FuseWay {
	var ways []part.FuseWay
	if f.Chat != "" {
		ways = append(ways, part.FuseWay{Href: f.Chat + "#chat-breakers", Label: f.Text.T("present.fuse.chat_breakers")})
	}
	if f.Admin {
		ways = append(ways, part.FuseWay{Href: "/admin/guards", Label: f.Text.T("present.fuse.all_breakers")})
	}
	return ways
}

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
