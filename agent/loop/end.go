package loop

import (
	"fusebox/agent"
)

// ending is how a run ends.
type ending struct {
	status  agent.Status
	reason  agent.StopReason
	because string            // what tripped, in one sentence
	events  []agent.EventData // told before the finish
	answer  string            // becomes the run's last assistant message
	// took is what the model call under way has taken so far, where its provider said.
	took agent.Completion
	// verdicts join the run's trace.
	verdicts []agent.VerdictRecord
}

func abortedBy(by string) ending {
	return ending{status: agent.StatusAborted, reason: agent.StopUserAbort, because: "Aborted by " + by + "."}
}

func terminated(t agent.Terminate) ending {
	e := ending{status: agent.StatusFinished, reason: agent.StopTerminateTool, answer: t.Message}
	if !t.Success {
		e.status = agent.StatusFailed
	}
	return e
}

// end closes the run in one entry that leaves a sound history: streamed text
// is kept, open calls are cancelled and answered, open cards are settled.
func (f *execution) end(how ending) error {
	e := agent.Entry{Run: f.with(how.status)}
	e.Run.StopReason, e.Run.EndedAt = how.reason, f.now()
	e.Verdicts = how.verdicts
	e.Events = append(e.Events, events(how.events...)...)
	f.closeDecisions(&e)
	f.keepDraft(&e, how.took)
	calls := f.cancelCalls(&e, how)
	if f.owesResults() && len(e.Messages) == 0 {
		f.addResults(&e, calls)
	}
	f.cancelCards(&e)
	if how.answer != "" {
		f.addAnswer(&e, how.answer)
	}
	e.Run.State.Reminders, e.Run.State.Waits = nil, nil
	e.Events = append(e.Events, events(agent.Finish{
		Status: how.status, StopReason: how.reason, Model: e.Run.Model, Usage: e.Run.Usage,
		CostMicros: e.Run.CostMicros, ToolCalls: e.Run.State.ToolCalls, ToolReturns: e.Run.State.ToolReturns,
		FallbackUsed: e.Run.State.FallbackUsed, Message: closing(how, calls),
	})...)
	return f.commit(e)
}

// keepDraft makes a message of what was streamed before the run was cut off,
// so that the person keeps the text he has read; half calls are dropped.
func (f *execution) keepDraft(e *agent.Entry, took agent.Completion) {
	id := e.Run.State.DraftID
	if id == "" {
		return
	}
	e.Run.State.DraftID = ""
	if took.Usage.Total() == 0 {
		took = f.took
	}
	if !f.draft.shown && took.Usage.Total() == 0 {
		return
	}
	if f.draft.calls {
		// The half calls on the page are void; the text comes again as the message.
		e.Events = append(e.Events, events(agent.MessageReset{ID: id})...)
	}
	if took.Usage.Total() == 0 {
		took.Usage = f.estimate()
	}
	took.FinishReason, took.Calls = "interrupted", nil
	f.settleUsage(e, took)
	text := f.draft.text.String()
	if text == "" {
		return
	}
	m := agent.Message{
		ID: id, ConversationID: f.conv.ID, ParentID: f.last().ID, Role: agent.FromAssistant, Content: text,
		Reasoning: f.draft.reasoning.String(), RunID: f.run.ID, Usage: &took.Usage, CreatedAt: f.now(),
	}
	if f.draft.calls {
		e.Events = append(e.Events, events(agent.TextDelta{ID: id, Delta: text})...)
	}
	e.Messages = append(e.Messages, m)
	e.Events = append(e.Events, events(agent.MessageEvent{Message: m})...)
}

// cancelCalls ends all open calls and returns the calls as they will stand.
func (f *execution) cancelCalls(e *agent.Entry, how ending) []agent.ToolCall {
	calls := make([]agent.ToolCall, len(f.calls))
	for i, c := range f.calls {
		calls[i] = c
		if c.State.Ended() {
			continue
		}
		text := "The run ended (" + string(how.reason) + ") before this call was executed."
		if c.State == agent.CallExecuting || c.State == agent.CallUncertain {
			text = "The run ended (" + string(how.reason) + ") before the result was known; do not assume that it happened."
		}
		s := f.settle(c, agent.CallEnded, agent.CallCancelled, agent.ErrCancelled, text)
		e.Calls = append(e.Calls, s.change)
		e.Events = append(e.Events, s.events...)
		calls[i] = s.change.Call
	}
	return calls
}

// closeDecisions settles what was decided, be it what ends the run or what it was
// too late for: an ended run has nothing left to do, and nothing to undo.
func (f *execution) closeDecisions(e *agent.Entry) {
	for _, a := range f.approvals {
		if a.Status == agent.ApprovalDecided && !a.Applied {
			a.Applied = true
			e.Approvals = append(e.Approvals, agent.ApprovalChange{From: agent.ApprovalDecided, Approval: a})
		}
	}
}

// cancelCards settles the cards that nobody decided.
func (f *execution) cancelCards(e *agent.Entry) {
	for _, a := range f.approvals {
		if !a.Status.Open() {
			continue
		}
		from := a.Status
		a.Status = agent.ApprovalCancelled
		e.Approvals = append(e.Approvals, agent.ApprovalChange{From: from, Approval: a})
		e.Audit = append(e.Audit, f.auditRow("approval.cancel", a.ID, "", a.AuditDetail()))
		e.Events = append(e.Events, events(agent.ApprovalDecidedEvent{
			ApprovalID: a.ID, Kind: string(a.Kind), ToolCallID: a.ToolCallID, Decision: "cancelled", DecidedBy: agent.System,
		})...)
	}
}

// addAnswer appends a last assistant message that no model call has made.
func (f *execution) addAnswer(e *agent.Entry, text string) {
	parent := f.last().ID
	if n := len(e.Messages); n > 0 {
		parent = e.Messages[n-1].ID
	}
	m := agent.Message{
		ID: f.NewID(), ConversationID: f.conv.ID, ParentID: parent, Role: agent.FromAssistant,
		Content: text, RunID: f.run.ID, CreatedAt: f.now(),
	}
	e.Messages = append(e.Messages, m)
	e.Events = append(e.Events, events(agent.MessageEvent{Message: m})...)
}
