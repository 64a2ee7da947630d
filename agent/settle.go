package agent

import (
	"cmp"
	"context"
	"slices"
)

// stepFrom is the ledger's line of a call of a model.
func (f *flight) stepFrom(comp Completion, model string) Step {
	s := Step{
		Model: cmp.Or(comp.AnsweredBy, model), Provider: comp.Provider, RequestID: comp.RequestID,
		Usage: comp.Usage, FinishReason: comp.FinishReason,
	}
	for _, c := range comp.Calls {
		if i := slices.IndexFunc(s.Tools, func(t ToolUse) bool { return t.Name == c.Name }); i >= 0 {
			s.Tools[i].Calls++
		} else {
			s.Tools = append(s.Tools, ToolUse{Name: c.Name, Calls: 1})
		}
	}
	return s
}

// settleUsage adds a step's line in the ledger, the run's new sums and the
// events that show them. It returns the step's cost.
func (f *flight) settleUsage(e *Entry, s Step) int64 {
	cost := f.addToLedger(e, s)
	e.Events = slices.Insert(e.Events, len(e.Events)-1, events(StepFinish{
		Usage: s.Usage, CostMicros: cost, FinishReason: s.FinishReason, Unpriced: e.Steps[len(e.Steps)-1].Unpriced,
	})...)
	return cost
}

// addToLedger adds the line of one model call, the run's new sums and the event
// that shows them. It returns the call's cost. The call counts from when it was
// reserved, and costs what it was reserved at: that decides the budgets' windows.
func (f *flight) addToLedger(e *Entry, s Step) int64 {
	r := e.Run
	s.RunID, s.N, s.ConversationID, s.UserID, s.EndedAt = r.ID, callStep(f.run, s.Kind), f.conv.ID, r.UserID, f.now()
	if f.open.at.IsZero() { // nothing was held for it
		f.open.at = s.EndedAt
		f.open.price, f.open.priced = f.Settings.Price(s.Model)
	}
	s.StartedAt = f.open.at
	s.CostMicros, s.Unpriced = f.open.cost(s.Usage)
	f.open = openCall{}
	r.Usage, r.CostMicros = r.Usage.Add(s.Usage), r.CostMicros+s.CostMicros
	e.Steps = append(e.Steps, s)
	e.Events = append(e.Events, events(BudgetEvent{
		Scope: "run", UsedTokens: r.Usage.Total(), LimitTokens: r.Limits.Tokens,
		UsedMicros: r.CostMicros, LimitMicros: r.Limits.CostMicros,
	})...)
	return s.CostMicros
}

// learnDrift compares a provider's count of a prompt with ours.
func (f *flight) learnDrift(req Request, comp Completion) {
	if !comp.Usage.Estimated {
		f.drift.learn(cmp.Or(comp.AnsweredBy, req.Model), f.Counter.CountPrompt(req), comp.Usage.without(f.open.spent).InputTokens)
	}
}

// saveVoid settles what a call took of which no whole answer came, because a
// further try did not fit the budgets: the next move asks for room.
func (f *flight) saveVoid(comp Completion) error {
	e := Entry{Run: f.with(StatusRunning)}
	if f.draft.shown {
		e.Events = events(MessageReset{ID: f.run.State.DraftID})
	}
	comp.FinishReason, comp.Calls = "budget", nil
	if comp.Usage.Total() > 0 {
		f.settleUsage(&e, f.stepFrom(comp, f.model()))
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
func (f *flight) tryRefused(why *Short, comp Completion) error {
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
func (f *flight) cutOff(ctx context.Context, comp Completion) error {
	if letsGo(context.Cause(ctx)) && comp.Usage.Total() > 0 {
		return f.saveVoid(comp)
	}
	f.took = comp
	return nil
}

// settleTooLong ends the reservation of a prompt that did not fit: it took
// nothing, unless another model had begun to answer it before.
func (f *flight) settleTooLong(comp Completion) error {
	if comp.Usage.Total() == 0 {
		return f.letGo()
	}
	return f.saveVoid(comp)
}

// estimate counts what a model call took whose usage the provider did not send.
func (f *flight) estimate() Usage {
	reasoning := f.Counter.CountText(f.draft.reasoning.String())
	return f.open.spent.Add(Usage{
		InputTokens:     f.Counter.CountPrompt(f.request()),
		OutputTokens:    f.Counter.CountText(f.draft.text.String()) + reasoning,
		ReasoningTokens: reasoning,
		Estimated:       true,
	})
}
