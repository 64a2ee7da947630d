package loop

import (
	"cmp"
	"encoding/json"
	"maps"

	"fusebox/agent"
	"fusebox/agent/workflow"
)

// ending is how a run ends.
type ending struct {
	status  agent.Status
	reason  agent.StopReason
	because string            // what tripped, in one sentence
	events  []agent.EventData // sent before the finish
	answer  string            // becomes the run's last assistant message
	person  bool              // a person wrote the answer
	hears   bool              // it goes on where a person has steered it
	// took is what the model call under way has taken so far, where its provider said.
	took agent.Completion
	// handsIn is an answer that may have outputs which were not delivered.
	handsIn string
	// values are outputs that the run delivers with its end.
	values map[string]json.RawMessage
	// verdicts join the run's trace.
	verdicts []agent.VerdictRecord
}

func abortedBy(by string) ending {
	return ending{status: agent.StatusAborted, reason: agent.StopUserAbort, because: "Aborted by " + by + "."}
}

// takenOver ends a run with a person's answer.
func takenOver(by, answer string) ending {
	return ending{status: agent.StatusFinished, reason: agent.StopGoal, answer: answer, person: true, because: "Answered by " + by + "."}
}

// stoppedBy ends a run that a person aborts, or takes over with an answer.
func stoppedBy(by, answer string) ending {
	if answer != "" {
		return takenOver(by, answer)
	}
	return abortedBy(by)
}

func terminated(t agent.Terminate) ending {
	e := ending{status: agent.StatusFinished, reason: agent.StopTerminateTool, answer: t.Message}
	if !t.Success {
		e.status = agent.StatusFailed
	}
	return e
}

// end closes the run in one entry that leaves a sound history: streamed text
// is kept, open calls are cancelled and answered, open approvals are closed.
func (x *execution) end(how ending) error {
	if how.status == agent.StatusFinished && how.because == "" {
		how.because = leftOpen(x.run.State.Plan, cmp.Or(how.answer, x.transcript.lastAnswer()))
	}
	if how.status == agent.StatusStopped && how.answer == "" && x.family.workflow != nil { // its steps have said what there is
		answer, values := workflow.SoFar(x.steps.situation())
		x.steps.handBack(&how, answer, values)
	}
	r := x.with(how.status)
	r.StopReason, r.EndedAt = how.reason, x.now()
	e, calls := x.windUp(r, how)
	e.Run, e.Hears = r, how.hears
	deliver(e.Run, how.handsIn)
	if len(how.values) > 0 {
		values := maps.Clone(how.values)
		maps.Copy(values, e.Run.State.Values)
		e.Run.State.Values = values
	}
	if how.answer != "" {
		e = e.Then(x.lastAnswer(how, e.Messages))
	}
	if e.Run.Lineage.IsChild() {
		e.Run.State.Untrusted = x.auth.untrusted()
	}
	e.Events = append(e.Events, events(agent.Finish{
		Status: how.status, StopReason: how.reason, Model: e.Run.Model, Usage: e.Run.Usage,
		CostMicros: e.Run.CostMicros, ToolCalls: e.Run.State.ToolCalls, ToolReturns: e.Run.State.ToolReturns,
		FallbackUsed: e.Run.State.FallbackUsed, Message: closing(how, calls),
	})...)
	done, err := x.append(e)
	if err != nil {
		return err
	}
	x.flight.drop(x.run.ID)
	if done.Waits && x.Next != nil {
		ctx, cancel := commitContext()
		defer cancel()
		if err := x.Next(ctx, x.conv.ID); err != nil { // the next tick tries again
			x.Log.Warn("sending a message that waited failed", "run_id", x.run.ID, "conversation_id", x.conv.ID, "error", err)
		}
	}
	return nil
}

// endAfterChildren ends the run once those below it have: no run ends before its children.
// They are stopped on behalf of whoever ends this one.
func (x *execution) endAfterChildren(how ending, by string) error {
	if len(x.family.open()) == 0 {
		return x.end(how)
	}
	return x.delegator.stop(by)
}

// windUp ends all that the run, which is r from here on, was doing. It returns its calls as they will be.
func (x *execution) windUp(r *agent.Run, how ending) (e agent.Change, calls []agent.ToolCall) {
	e.Verdicts = how.verdicts
	e.Events = append(e.Events, events(how.events...)...)
	for _, a := range x.approvals.list {
		// A decision that ends the run, or one that came too late for it: an ended run has nothing left to do, and nothing to undo.
		if a.Status == agent.ApprovalDecided && !a.Applied {
			a.Applied = true
			e.Approvals = append(e.Approvals, agent.ApprovalChange{From: agent.ApprovalDecided, Approval: a})
			hear(r, a)
		}
	}
	e = e.Then(x.writer.keep(r, how.took))
	cancelled, calls := x.cancelCalls(how)
	e = e.Then(cancelled)
	if x.transcript.awaitsResults() && len(e.Messages) == 0 {
		e = e.Then(x.results(r, calls))
	}
	e = e.Then(x.guidance(r, e.Messages))
	e = e.Then(x.requests.cancelOpen())
	r.State.Reminders, r.State.Waits = nil, nil
	return e, calls
}

// cancelCalls ends all open calls and returns the calls as they will be.
func (x *execution) cancelCalls(how ending) (e agent.Change, calls []agent.ToolCall) {
	calls = make([]agent.ToolCall, len(x.calls.list))
	for i, c := range x.calls.list {
		calls[i] = c
		if c.State.Ended() {
			continue
		}
		text := "The run ended (" + string(how.reason) + ") before this call was executed."
		if c.State == agent.CallExecuting || c.State == agent.CallUncertain {
			text = "The run ended (" + string(how.reason) + ") before the result was known; do not assume that it happened."
		}
		finished := x.tools.finish(c, agent.CallEnded, agent.CallCancelled, agent.ErrCancelled, text)
		e, calls[i] = e.Then(finished), finished.Calls[0].Call
	}
	return e, calls
}

// lastAnswer is an assistant message that no model call has made, behind the messages with
// which the run ends.
func (x *execution) lastAnswer(how ending, behind []agent.Message) agent.Change {
	m := x.message(x.newID(), agent.FromAssistant, x.newestBehind(behind), how.answer)
	if how.person {
		x.source(&m, how.answer)
	} else {
		x.source(&m)
	}
	return agent.Change{Messages: []agent.Message{m}, Events: events(agent.MessageEvent{Message: m})}
}
