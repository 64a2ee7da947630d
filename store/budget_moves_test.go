package store_test

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
)

// settle ends a call with what it took, seldom more than was held.
func (h *history) settle() {
	h.t.Helper()
	id, ok := pick(h, h.want.open)
	if !ok {
		return
	}
	c := *h.want.open[id]
	over := int64(0)
	if h.rng.IntN(20) == 0 {
		over = h.between(1, 500)
	}
	last := agent.Usage{Tokens: agent.Tokens{InputTokens: h.between(0, c.prompt) + over, OutputTokens: h.between(0, c.output)}}
	h.bill(c, c.spent.Add(last), c.spentMicros+historyPrice.Cost(last))
}

func (h *history) bill(c oracleCall, usage agent.Usage, micros int64) {
	h.t.Helper()
	run := *h.runs[c.run]
	run.Steps, run.Usage, run.CostMicros = c.step, run.Usage.Add(usage), run.CostMicros+micros
	told, err := h.store.Append(h.t.Context(), agent.Change{ConversationID: c.conversation, RunID: c.run, Epoch: run.Epoch, Run: &run, Steps: []agent.Step{{
		RunID: c.run, N: c.step, ConversationID: c.conversation, UserID: c.user, Model: "demo", Usage: usage, CostMicros: micros,
		StartedAt: c.at, EndedAt: agent.Stamp(h.clock),
	}}})
	check(h.t, err)
	*h.runs[c.run] = run
	c.tokens, c.micros = usage.Total(), micros
	delete(h.want.open, c.run)
	h.want.lines = append(h.want.lines, c)
	h.want.touch(c)
	for _, e := range told.Events {
		if e, ok := e.Data.(agent.BudgetEvent); ok {
			h.want.hear(c, e)
		}
	}
	if what := h.want.untold(c); what != "" {
		h.t.Fatal(what)
	}
}

func (h *history) release() {
	if id, ok := pick(h, h.want.open); ok {
		check(h.t, h.store.Release(h.t.Context(), id, h.runs[id].Epoch))
		delete(h.want.open, id)
	}
}

// endRun ends a run, or has it pause first: either way it holds nothing.
func (h *history) endRun() {
	id, ok := pick(h, h.runs)
	if !ok {
		return
	}
	run := *h.runs[id]
	run.Status = agent.StatusFinished
	if run.AbortBy == "" && h.rng.IntN(2) == 0 {
		run.Status = agent.StatusPaused
	}
	_, err := h.store.Append(h.t.Context(), agent.Change{ConversationID: run.ConversationID, RunID: id, Epoch: run.Epoch, Run: &run})
	check(h.t, err)
	delete(h.runs, id)
	delete(h.want.open, id)
	if run.Status == agent.StatusPaused {
		check(h.t, h.store.RequestAbort(h.t.Context(), id, ada.Email)) // which lets it be claimed
		h.claim()
	}
}

func (h *history) addBudget() {
	b := agent.Budget{
		ID: h.id("b"), Who: agent.BudgetWhos[h.rng.IntN(len(agent.BudgetWhos))], Span: agent.BudgetSpans[1+h.rng.IntN(3)],
		AtLimit: agent.LimitPause, CreatedBy: ada.Email, CreatedAt: agent.Stamp(h.clock),
	}
	switch b.Who {
	case agent.WhoRun:
		b.Span = agent.SpanRun
	case agent.WhoGroup:
		b.Subject = []string{"red", "blue"}[h.rng.IntN(2)]
	case agent.WhoUser:
		b.Subject = []string{"", "u1"}[h.rng.IntN(2)]
	}
	h.limits(&b)
	err := h.store.AddBudget(h.t.Context(), ada, b)
	if agent.CodeOf(err) == agent.Conflict {
		return
	}
	check(h.t, err)
	h.want.budgets[b.ID] = &b
}

func (h *history) limits(b *agent.Budget) {
	b.LimitTokens, b.LimitMicros, b.Soft = h.between(3000, 20_000), h.between(3000, 30_000), h.rng.IntN(4) == 0
	switch h.rng.IntN(3) {
	case 0:
		b.LimitTokens = 0
	case 1:
		b.LimitMicros = 0
	}
}

func (h *history) changeBudget() {
	if id, ok := pick(h, h.want.budgets); ok {
		was := *h.want.budgets[id]
		h.limits(h.want.budgets[id])
		check(h.t, h.store.ChangeBudget(h.t.Context(), ada, was, *h.want.budgets[id]))
	}
}

func (h *history) endBudget() {
	if id, ok := pick(h, h.want.budgets); ok {
		check(h.t, h.store.EndBudget(h.t.Context(), ada, id))
		delete(h.want.budgets, id)
	}
}

// raise adds to a budget in one of its windows, also one that is over.
func (h *history) raise() {
	h.t.Helper()
	id, ok := pick(h, h.runs)
	if !ok || len(h.want.opened) == 0 {
		return
	}
	var all []oracleAccount
	for a := range h.want.opened {
		all = append(all, a)
	}
	slices.SortFunc(all, compareAccounts)
	a := all[h.rng.IntN(len(all))]
	by := agent.LimitIncrease{
		BudgetAccount: agent.BudgetAccount{BudgetID: a.budget, Subject: a.subject, StartsAt: time.UnixMilli(a.starts)},
		Tokens:        h.between(0, 5000), Micros: h.between(0, 5000),
	}
	if start := by.StartsAt; start.UnixMilli() == (time.Time{}).UnixMilli() {
		by.StartsAt = time.Time{}
	}
	run := h.runs[id]
	_, err := h.store.Append(h.t.Context(), agent.Change{ConversationID: run.ConversationID, RunID: id, Epoch: run.Epoch, LimitIncreases: []agent.LimitIncrease{by}})
	check(h.t, err)
	sum := h.want.raised[a]
	sum.Tokens, sum.Micros = sum.Tokens+by.Tokens, sum.Micros+by.Micros
	h.want.raised[a] = sum
}

func (h *history) groupOf(user string) string {
	h.t.Helper()
	u, err := h.store.UserByID(h.t.Context(), user)
	check(h.t, err)
	return u.Group
}

func (h *history) changeGroup() {
	h.toGroup([]string{"u0", "u1", "u2", "u3"}[h.rng.IntN(4)], []string{"", "red", "blue"}[h.rng.IntN(3)])
}

// passTime continues by hours, or to where a window turns.
func (h *history) passTime() {
	step := time.Duration(h.between(1, 10*60)) * time.Minute
	if h.rng.IntN(3) == 0 {
		_, end := agent.BudgetSpans[1+h.rng.IntN(3)].Window(h.clock.Now(), h.want.zone)
		step = end.Sub(h.clock.Now()) + []time.Duration{-time.Millisecond, 0, time.Millisecond}[h.rng.IntN(3)]
	}
	h.clock.Advance(max(step, 0))
	h.claim()
}

// die is a process that is killed, and the next one.
func (h *history) die() {
	_, err := h.store.RecoverLeases(h.t.Context())
	check(h.t, err)
	clear(h.want.open)
	h.claim()
}

func (h *history) deleteConversation() {
	h.t.Helper()
	if len(h.want.lines) == 0 {
		return
	}
	l := h.want.lines[h.rng.IntN(len(h.want.lines))]
	_ = h.store.DeleteConversation(h.t.Context(), agent.Viewer{UserID: l.user, Email: ada.Email, Role: agent.RoleAdmin}, l.conversation)
}

// compareAccounts orders accounts, so that a seed is one history.
func compareAccounts(a, b oracleAccount) int {
	return cmp.Or(strings.Compare(a.budget, b.budget), strings.Compare(a.subject, b.subject), cmp.Compare(a.starts, b.starts))
}
