package loop

import (
	"cmp"
	"slices"
	"strconv"
	"sync"

	"fusebox/agent"
)

// linesOf are the lines of the bill of a call: what other models took before the one that
// answered has lines of its own, each at its own price.
func linesOf(comp agent.Completion, kind agent.StepKind, model string) []agent.Step {
	var lines []agent.Step
	last := max(len(comp.Spent)-1, 0)
	for i, m := range comp.Spent[:last] {
		lines = append(lines, agent.Step{Kind: voidKind(kind, i), Model: m.Model, Usage: m.Usage, NamedMicros: m.NamedMicros, FinishReason: "void"})
	}
	answer := agent.Step{
		Kind: kind, Model: cmp.Or(comp.AnsweredBy, model), Provider: comp.Provider, RequestID: comp.RequestID,
		Usage: comp.Usage, FinishReason: comp.FinishReason,
	}
	for _, c := range comp.Calls {
		if i := slices.IndexFunc(answer.Tools, func(t agent.ToolUse) bool { return t.Name == c.Name }); i >= 0 {
			answer.Tools[i].Calls++
		} else {
			answer.Tools = append(answer.Tools, agent.ToolUse{Name: c.Name, Calls: 1})
		}
	}
	if last > 0 {
		answer.Usage = comp.Spent[last].Usage
	}
	if len(comp.Spent) > 0 {
		answer.NamedMicros = comp.Spent[last].NamedMicros
	}
	return append(lines, answer)
}

// voidKind tells the lines of a call apart.
func voidKind(of agent.StepKind, i int) agent.StepKind {
	kind := agent.StepVoid
	if of != agent.StepAnswer {
		kind = of + "_" + agent.StepVoid
	}
	if i > 0 {
		kind += agent.StepKind("_" + strconv.Itoa(i+1))
	}
	return kind
}

// bookAnswer books the run's own model call, and tells that its step has ended.
func (ac *account) bookAnswer(r *agent.Run, comp agent.Completion) (e agent.Change, cost int64) {
	e, cost = ac.book(r, comp, agent.StepAnswer, ac.model())
	e.Events = slices.Concat(events(agent.StepFinish{
		Usage: comp.Usage, CostMicros: cost, FinishReason: comp.FinishReason, Unpriced: e.Steps[len(e.Steps)-1].Unpriced,
	}), e.Events)
	return e, cost
}

// book is the change that books a model call: its lines of the ledger, and the event that
// shows the new sums, which r gets. It returns the call's cost too. The call counts from when it was
// reserved, and costs what it was reserved at: that decides the budgets' windows.
func (ac *account) book(r *agent.Run, comp agent.Completion, kind agent.StepKind, model string) (e agent.Change, cost int64) {
	n, started := callStep(ac.run, kind), ac.open.at
	if started.IsZero() { // nothing was reserved for it
		started = ac.now()
	}
	for _, s := range linesOf(comp, kind, model) {
		s.RunID, s.N, s.ConversationID, s.UserID, s.StartedAt, s.EndedAt = r.ID, n, ac.conv.ID, r.UserID, started, ac.now()
		price, known := ac.priceOf(s.Model)
		s.CostMicros, s.Unpriced = price.Cost(s.Usage), !known
		cost += s.CostMicros
		e.Steps = append(e.Steps, s)
	}
	ac.open = openCall{}
	r.Usage, r.CostMicros = r.Usage.Add(comp.Usage), r.CostMicros+cost
	e.Events = append(e.Events, events(agent.BudgetEvent{
		Scope: "run", UsedTokens: r.Usage.Total(), LimitTokens: r.Limits.Tokens,
		UsedMicros: r.CostMicros, LimitMicros: r.Limits.CostMicros,
	})...)
	return e, cost
}

// learnDrift compares a provider's count of a prompt with ours.
func (ac *account) learnDrift(req agent.Request, comp agent.Completion) {
	if !comp.Usage.Estimated && comp.Tries <= 1 {
		ac.loop.drift.learn(cmp.Or(comp.AnsweredBy, req.Model), ac.open.estimate, comp.Usage.InputTokens)
	}
}

// settleOrRelease writes the line of an additional call into the ledger: its
// tokens count against the budgets like all others. What took nothing reserves nothing.
func (ac *account) settleOrRelease(comp agent.Completion, model string, kind agent.StepKind) error {
	if comp.Usage.Total() == 0 {
		return ac.release()
	}
	return ac.settle(comp, kind, model)
}

// settle writes the lines of a call into the ledger that nothing else is to
// be kept of.
func (ac *account) settle(comp agent.Completion, kind agent.StepKind, model string) error {
	r := ac.with(agent.StatusRunning)
	e, _ := ac.book(r, comp, kind, model)
	e.Run = r
	return ac.commit(e)
}

// How far a provider's count of a prompt may be from ours before we know better:
// a tenth, and a fixed part for what the endpoint adds. Ratios are learned from
// prompts of some length only, and bounded; so is the number of models.
const (
	driftPercent = 10
	driftTokens  = 64
	driftFrom    = 500
	driftMost    = 300
	driftModels  = 200
)

// drift learns by how much providers count prompts higher than we do. What a
// call reserves has to be the most that a call can take: an estimate that is
// only about right would let budgets be passed by what it misses.
type drift struct {
	mu     sync.Mutex
	models map[string]learnedDrift
}

// learnedDrift is the most that was seen: in percent beyond the estimate for
// long prompts, and in tokens for short ones.
type learnedDrift struct{ percent, tokens int64 }

// atMost is the most that a prompt of an estimated length may count.
func (d *drift) atMost(model string, estimate int64) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.models[model]
	return estimate + estimate*max(l.percent, driftPercent)/100 + max(l.tokens, driftTokens)
}

// learn takes in what a provider has counted.
func (d *drift) learn(model string, estimate, counted int64) {
	beyond := counted - estimate
	if beyond <= 0 || estimate <= 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	l, known := d.models[model]
	if !known && len(d.models) >= driftModels {
		return
	}
	if estimate < driftFrom {
		l.tokens = max(l.tokens, beyond)
	} else {
		l.percent = max(l.percent, min(beyond*100/estimate+1, driftMost))
	}
	if d.models == nil {
		d.models = map[string]learnedDrift{}
	}
	d.models[model] = l
}
