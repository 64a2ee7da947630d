package agent

import (
	"cmp"
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
// reserved: that decides the budgets' windows.
func (f *flight) addToLedger(e *Entry, s Step) int64 {
	r := e.Run
	s.RunID, s.N, s.ConversationID, s.UserID, s.EndedAt = r.ID, r.Steps, f.conv.ID, r.UserID, f.now()
	if s.StartedAt = f.room.At; s.StartedAt.IsZero() {
		s.StartedAt = s.EndedAt
	}
	if s.Kind == StepCompaction && r.State.DraftID == "" {
		s.N++ // it serves the step that comes
	}
	f.room = Room{}
	price, known := f.Settings.Price(s.Model)
	s.CostMicros, s.Unpriced = price.Cost(s.Usage), !known
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
	if !comp.Usage.Estimated && comp.AnsweredBy == "" {
		f.drift.learn(req.Model, f.Counter.CountPrompt(req), comp.Usage.InputTokens)
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
	f.settleUsage(&e, f.stepFrom(comp, f.model()))
	e.Run.State.DraftID = ""
	return f.commit(e)
}

// estimate counts what a model call took whose usage the provider did not send.
func (f *flight) estimate() Usage {
	reasoning := f.Counter.CountText(f.draft.reasoning.String())
	return Usage{
		InputTokens:     f.Counter.CountPrompt(f.request()),
		OutputTokens:    f.Counter.CountText(f.draft.text.String()) + reasoning,
		ReasoningTokens: reasoning,
		Estimated:       true,
	}
}
