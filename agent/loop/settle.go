package loop

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"fusebox/agent"
)

// lineOf is the line of the bill of a call that asked a model for something.
func (f *execution) lineOf(comp agent.Completion, kind agent.StepKind, model string) agent.Step {
	s := agent.Step{
		Kind: kind, Model: cmp.Or(comp.AnsweredBy, model), Provider: comp.Provider, RequestID: comp.RequestID,
		Usage: comp.Usage, FinishReason: comp.FinishReason,
	}
	for _, c := range comp.Calls {
		if i := slices.IndexFunc(s.Tools, func(t agent.ToolUse) bool { return t.Name == c.Name }); i >= 0 {
			s.Tools[i].Calls++
		} else {
			s.Tools = append(s.Tools, agent.ToolUse{Name: c.Name, Calls: 1})
		}
	}
	return s
}

// linesOf are the lines of a call: what other models took before the one that
// answered has lines of its own, each at its own price.
func (f *execution) linesOf(comp agent.Completion, kind agent.StepKind, model string) []agent.Step {
	var lines []agent.Step
	last := max(len(comp.Spent)-1, 0)
	for i, m := range comp.Spent[:last] {
		lines = append(lines, agent.Step{Kind: voidKind(kind, i), Model: m.Model, Usage: m.Usage, FinishReason: "void"})
	}
	answer := f.lineOf(comp, kind, model)
	if last > 0 {
		answer.Usage = comp.Spent[last].Usage
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

// settleUsage adds the lines of the run's own model call, the run's new sums and
// the events that show them. It returns the call's cost.
func (f *execution) settleUsage(e *agent.Entry, comp agent.Completion) int64 {
	cost := f.addToLedger(e, comp, agent.StepAnswer, f.model())
	e.Events = slices.Insert(e.Events, len(e.Events)-1, events(agent.StepFinish{
		Usage: comp.Usage, CostMicros: cost, FinishReason: comp.FinishReason, Unpriced: e.Steps[len(e.Steps)-1].Unpriced,
	})...)
	return cost
}

// addToLedger adds the lines of a model call, the run's new sums and the event
// that shows them. It returns the call's cost. The call counts from when it was
// reserved, and costs what it was reserved at: that decides the budgets' windows.
func (f *execution) addToLedger(e *agent.Entry, comp agent.Completion, kind agent.StepKind, model string) (cost int64) {
	r, n, started := e.Run, callStep(f.run, kind), f.open.at
	if started.IsZero() { // nothing was held for it
		started = f.now()
	}
	for _, s := range f.linesOf(comp, kind, model) {
		s.RunID, s.N, s.ConversationID, s.UserID, s.StartedAt, s.EndedAt = r.ID, n, f.conv.ID, r.UserID, started, f.now()
		price, known := f.priceOf(s.Model)
		s.CostMicros, s.Unpriced = price.Cost(s.Usage), !known
		cost += s.CostMicros
		e.Steps = append(e.Steps, s)
	}
	f.open = openCall{}
	r.Usage, r.CostMicros = r.Usage.Add(comp.Usage), r.CostMicros+cost
	e.Events = append(e.Events, events(agent.BudgetEvent{
		Scope: "run", UsedTokens: r.Usage.Total(), LimitTokens: r.Limits.Tokens,
		UsedMicros: r.CostMicros, LimitMicros: r.Limits.CostMicros,
	})...)
	return cost
}

// learnDrift compares a provider's count of a prompt with ours.
func (f *execution) learnDrift(req agent.Request, comp agent.Completion) {
	if !comp.Usage.Estimated && comp.Tries <= 1 {
		f.drift.learn(cmp.Or(comp.AnsweredBy, req.Model), f.Counter.CountPrompt(req), comp.Usage.InputTokens)
	}
}

// saveVoid settles what a call took of which no whole answer came, because a
// further try did not fit the budgets: the next move asks for room.
func (f *execution) saveVoid(comp agent.Completion) error {
	e := agent.Entry{Run: f.with(agent.StatusRunning)}
	if f.draft.shown {
		e.Events = events(agent.MessageReset{ID: f.run.State.DraftID})
	}
	comp.FinishReason, comp.Calls = "budget", nil
	if comp.Usage.Total() > 0 {
		f.settleUsage(&e, comp)
	}
	e.Run.State.DraftID = ""
	if err := f.commit(e); err != nil {
		return err
	}
	return f.letGo() // where nothing was settled
}

// tryRefused settles what a call took whose further try did not fit. The next
// move asks for room, for the model that is asked first. Where it comes to the
// same again, that is not what is in the way: a person is asked about this try.
func (f *execution) tryRefused(why *agent.Short, comp agent.Completion) error {
	was := f.run
	if err := f.saveVoid(comp); err != nil {
		return err
	}
	if f.refusals++; f.refusals == 1 {
		return nil
	}
	f.refusals = 0
	tokens, micros := f.run.Usage.Total()-was.Usage.Total(), f.run.CostMicros-was.CostMicros
	why.UsedTokens, why.UsedMicros = why.UsedTokens+tokens, why.UsedMicros+micros
	why.NextTokens, why.NextMicros = why.NextTokens-tokens, why.NextMicros-micros
	return f.outOfBudget(why)
}

// cutOff keeps what a call took that was cut off: the end of the run bills it.
// Where the process lets go of the run, nobody will know of it later: it is billed
// now, and the answer begins anew.
func (f *execution) cutOff(ctx context.Context, comp agent.Completion) error {
	if letsGo(context.Cause(ctx)) && comp.Usage.Total() > 0 {
		return f.saveVoid(comp)
	}
	f.took = comp
	return nil
}

// settleTooLong ends the reservation of a prompt that did not fit: it took
// nothing, unless another model had begun to answer it before.
func (f *execution) settleTooLong(comp agent.Completion) error {
	if comp.Usage.Total() == 0 {
		return f.letGo()
	}
	return f.saveVoid(comp)
}

// estimate counts what a model call took whose usage the provider did not send.
func (f *execution) estimate() agent.Usage {
	reasoning := f.Counter.CountText(f.draft.reasoning.String())
	return agent.Usage{
		InputTokens:     f.Counter.CountPrompt(f.request()),
		OutputTokens:    f.Counter.CountText(f.draft.text.String()) + reasoning,
		ReasoningTokens: reasoning,
		Estimated:       true,
	}
}
