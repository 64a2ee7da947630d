package loop

import (
	"context"
	"fmt"
	"time"

	"fusebox/agent"
)

// begin opens a run's stay in this process: its first one, one after a
// decision, or one after a process that died in the middle.
func (f *execution) begin() error {
	e := agent.Entry{Run: f.with(agent.StatusRunning)}
	e.Run.Active = f.run.Active
	switch {
	case f.run.StartedAt.IsZero():
		e.Run.StartedAt = f.now()
		e.Events = events(agent.RunStart{Model: f.run.Model, Limits: f.run.Limits})
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
func (f *execution) rebuild(e *agent.Entry) error {
	by, err := f.decidedBy()
	if err != nil {
		return err
	}
	if by != "" {
		e.Events = append(e.Events, events(agent.RunResumed{By: by})...)
	}
	cut := f.run.State.DraftID != "" || f.anyCall(agent.CallExecuting)
	if cut {
		e.Events = append(e.Events, events(agent.Notice{Message: "Recovered after a restart of the server."})...)
	}
	if id := f.run.State.DraftID; id != "" {
		e.Events = append(e.Events, events(agent.MessageReset{ID: id})...)
	}
	for _, c := range f.calls {
		if c.State == agent.CallExecuting {
			f.recoverCall(c, e)
		}
	}
	return nil
}

// decidedBy names the person whose decision woke the run, "" where none did.
func (f *execution) decidedBy() (string, error) {
	ctx, cancel := commitContext()
	defer cancel()
	decided, err := f.Journal.Decisions(ctx, f.run.ID)
	if err != nil || len(decided) == 0 {
		return "", err
	}
	return decided[len(decided)-1].DecidedBy, nil
}

// outcomeTimeout bounds the question to a tool what became of a call.
const outcomeTimeout = 10 * time.Second

// recoverCall decides about a call that was being executed when its process
// died. Reading again, or repeating what is idempotent, is harmless, and some
// tools know what became of a call; for anything else nobody can know whether
// it happened, so a person is asked.
func (f *execution) recoverCall(c agent.ToolCall, e *agent.Entry) {
	if f.repeatable(c) {
		changeState(e, c, agent.CallRepeated, agent.CallScheduled)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), outcomeTimeout)
	defer cancel()
	if res, known := f.Tools.Outcome(ctx, c.Name, f.input(c, nil)); known {
		c.Truncated = res.Truncated
		refuse(e, f.settle(c, agent.CallReturned, endState(res), res.ErrorType, res.Content))
		return
	}
	f.lose(c, "", fmt.Sprintf("The server stopped while %s was running. Nobody can know whether it happened.", c.Name), e)
}

// lose puts the question what became of a call before a person.
func (f *execution) lose(c agent.ToolCall, output, why string, e *agent.Entry) {
	a := f.newApproval(agent.KindOutcome, agent.RiskHigh, why, agent.OutcomeEvidence{
		ToolName: c.Name, Args: agent.RawArgs(c.Args), StartedAt: c.StartedAt, IdempotencyKey: c.IdempotencyKey(), Output: output,
	})
	bindApproval(&a, c)
	if spec, known := f.Tools.Lookup(c.Name); known {
		if r := f.ruling(spec, c); !r.Risk.AtMost(a.Risk) { // who has it run again needs the right to approve it
			a.Risk, a.Needs = r.Risk, agent.NeededVotes(r.Risk, f.deciders)
		}
	}
	changeState(e, c, agent.CallLost, agent.CallUncertain)
	f.addApproval(e, a)
}
