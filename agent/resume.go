package agent

import "fmt"

// begin opens a run's stay in this process: its first one, one after a
// decision, or one after a process that died in the middle.
func (f *flight) begin() error {
	e := Entry{Run: f.with(StatusRunning)}
	e.Run.Active = f.run.Active
	switch {
	case f.run.StartedAt.IsZero():
		e.Run.StartedAt = f.now()
		e.Events = events(RunStart{Model: f.run.Model, Limits: f.run.Limits})
	default:
		if err := f.rebuild(&e); err != nil {
			return err
		}
	}
	return f.commit(e)
}

// rebuild adds to e what must be said and mended before a run goes on. A model
// call that was cut is voided and made again; a tool call that was cut is
// judged by its effect.
func (f *flight) rebuild(e *Entry) error {
	by, err := f.decidedBy()
	if err != nil {
		return err
	}
	if by != "" {
		e.Events = append(e.Events, events(RunResumed{By: by})...)
	}
	cut := f.run.State.DraftID != "" || f.anyCall(CallExecuting)
	if cut {
		e.Events = append(e.Events, events(Notice{Message: "Recovered after a restart of the server."})...)
	}
	if id := f.run.State.DraftID; id != "" {
		e.Events = append(e.Events, events(MessageReset{ID: id})...)
	}
	for _, c := range f.calls {
		if c.State == CallExecuting {
			f.recoverCall(c, e)
		}
	}
	return nil
}

// decidedBy names the person whose decision woke the run, "" where none did.
func (f *flight) decidedBy() (string, error) {
	ctx, cancel := commitContext()
	defer cancel()
	decided, err := f.Journal.Decisions(ctx, f.run.ID)
	if err != nil || len(decided) == 0 {
		return "", err
	}
	return decided[len(decided)-1].DecidedBy, nil
}

// recoverCall decides about a call that was being executed when its process
// died. Reading again, or repeating what is idempotent, is harmless; for
// anything else nobody can know whether it happened, so a person is asked.
func (f *flight) recoverCall(c ToolCall, e *Entry) {
	spec, known := f.Tools.Lookup(c.Name)
	if known && (spec.Effect == EffectRead || spec.Idempotent) {
		c.State = CallScheduled
		e.Calls = append(e.Calls, CallChange{From: CallExecuting, Call: c})
		e.Events = append(e.Events, events(ToolCallStateEvent{ToolCallID: c.ID, State: CallScheduled})...)
		return
	}
	c.State = CallUncertain
	a := f.newApproval(KindOutcome, RiskHigh,
		fmt.Sprintf("The server stopped while %s was running. Nobody can know whether it happened.", c.Name),
		OutcomeEvidence{ToolName: c.Name, Args: rawArgs(c.Args), StartedAt: c.StartedAt, IdempotencyKey: c.IdempotencyKey()})
	bindApproval(&a, c)
	e.Calls = append(e.Calls, CallChange{From: CallExecuting, Call: c})
	e.Events = append(e.Events, events(ToolCallStateEvent{ToolCallID: c.ID, State: CallUncertain})...)
	addApproval(e, a)
}
