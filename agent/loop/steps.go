package loop

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/workflow"
)

// nextSteps makes the next answer of a run that works by a workflow: its definition says what
// begins, in the place of a model.
func (x *execution) nextSteps() error {
	if x.family.workflow == nil {
		return x.end(ending{
			status: agent.StatusFailed, reason: agent.StopConsecutiveErrors,
			because: fmt.Sprintf("There is no workflow named %s.", x.run.State.Workflow.Name),
		})
	}
	s := x.situation()
	if limit := x.run.State.HandIn.Limit; limit != "" {
		return x.end(ending{status: agent.StatusStopped, reason: limit, because: "The run handed in what it had."})
	}
	move := workflow.Next(s)
	switch {
	case move.End != nil:
		return x.endWorkflow(*move.End)
	case len(move.Begin) == 0:
		return fmt.Errorf("run %s: the workflow %s version %d does not go on", x.run.ID, x.run.State.Workflow.Name, x.run.State.Workflow.Version)
	}
	x.beginSteps(move.Begin)
	return nil
}

// waitForSteps lets go of a run that waits for its steps, unless one of them decides what
// becomes of the others: they are stopped then.
func (x *execution) waitForSteps() error {
	move := workflow.Next(x.situation())
	switch {
	case move.End != nil:
		return x.endWorkflow(*move.End)
	case move.StopOthers && !x.stopping():
		return x.stopOthers()
	}
	return x.pause()
}

// stopping reports whether the steps that are open have been told to end.
func (x *execution) stopping() bool {
	for _, c := range x.family.children {
		if !c.Status.Ended() && c.AbortBy == "" {
			return false
		}
	}
	return !x.approvals.open()
}

// stopOthers ends the steps that are open. The run goes on once they have.
func (x *execution) stopOthers() error {
	e := agent.Change{Run: x.with(agent.StatusRunning), StopsBelow: agent.System}
	for _, c := range x.calls.open() {
		if c.State == agent.CallAwaiting {
			e = e.Then(x.tools.finish(c, agent.CallEnded, agent.CallCancelled, agent.ErrCancelled, "It was not needed any more."))
		}
	}
	if err := x.commit(e.Then(x.requests.cancelOpen())); err != nil {
		return err
	}
	for i := range x.family.children {
		x.family.children[i].AbortBy = agent.System
	}
	return x.delegator.stopBelow()
}

// beginSteps stores the answer that begins steps, as a model's that calls tools.
func (x *execution) beginSteps(begin []workflow.Begin) {
	e := agent.Change{Run: x.with(agent.StatusRunning)}
	e.Run.Steps++
	e.Run.State.ToolCalls += len(begin)
	m := agent.Message{
		ID: x.newID(), ConversationID: x.conv.ID, ParentID: x.transcript.last().ID, Role: agent.FromAssistant,
		Content: workflow.Announce(x.transcript.task(), begin), RunID: x.run.ID, CreatedAt: x.now(),
	}
	for _, b := range begin {
		call := agent.CallRequest{ID: b.Key.String() + "-" + tail(x.run.ID), Name: agent.DelegateTool, Arguments: string(agent.MustJSON(b.Delegate))}
		switch {
		case b.Ask == nil:
		case b.Ask.Reason != "":
			call.Name, call.Arguments = agent.HandOverTool, string(agent.MustJSON(b.Ask))
		default:
			call.Name, call.Arguments = agent.AskUserTool, string(agent.MustJSON(b.Ask))
		}
		m.ToolCalls = append(m.ToolCalls, call)
	}
	e.Messages, e.Events = []agent.Message{m}, events(agent.StepStart{MessageID: m.ID}, agent.MessageEvent{Message: m})
	for i, c := range m.ToolCalls {
		e = e.Then(askedCall(m, e.Run.Steps, i, c, 0))
	}
	x.stage(e)
}

// tail is the end of a run's id, which parts its calls from those of other runs of the chat.
func tail(runID string) string {
	const length = 6
	return strings.ToLower(runID[max(len(runID)-length, 0):])
}

// handsBack gives an ending the answer and the values of a workflow's steps.
func (x *execution) handsBack(how *ending, answer string, values map[string]json.RawMessage) {
	x.transcript.sources.Read(x.transcript.branch)
	for _, at := range slices.Sorted(maps.Keys(x.run.State.Workflow.Given)) {
		given := x.run.State.Workflow.Given[at]
		x.transcript.sources.TakeOver(given.RunID, given.Sources)
	}
	how.answer, how.values = x.transcript.sources.Numbered(answer), map[string]json.RawMessage{}
	for name, kind := range missingOutputs(x.run.State) {
		if value, ok := values[name]; ok && isOutput(value, kind) {
			how.values[name] = value
		}
	}
	r := x.run
	r.State.Values = how.values
	deliver(&r, answer)
	how.values = r.State.Values
}

// endWorkflow ends the run with what its workflow says, once its steps have ended.
func (x *execution) endWorkflow(end workflow.End) error {
	how := ending{status: end.Status, reason: end.Reason, because: end.Because}
	x.handsBack(&how, end.Answer, end.Values)
	if how.status == agent.StatusFinished {
		r := x.run
		r.State.Values = how.values
		if missing := missingOutputs(r.State); len(missing) > 0 {
			how.status, how.reason = agent.StatusStopped, agent.StopLoop
			how.because = "The workflow has not delivered what was asked for: " + listOutputs(agent.RunState{Outputs: missing, Purposes: r.State.Purposes}) + "."
		}
	}
	if how.status == agent.StatusFailed { // who tries again goes on from there
		x.run.State.Workflow = x.run.State.Workflow.BeginningWith(*x.family.workflow, workflow.Results(x.situation()))
	}
	return x.endAfterChildren(how, agent.System)
}

// situation is what is known of the steps.
func (x *execution) situation() workflow.Situation {
	message := x.transcript.task()
	if x.run.Lineage.IsChild() { // what is filled in stands behind the task
		message, _ = agent.SplitTask(message)
	}
	s := workflow.Situation{
		Workflow: *x.family.workflow, Given: x.run.State.Workflow.Given,
		Message: message, Inputs: x.run.State.Workflow.Inputs, Outputs: x.run.State.Outputs,
	}
	for _, c := range x.calls.list {
		if call, ok := workflow.CallOf(c, x.read); ok {
			s.Calls = append(s.Calls, call)
		}
	}
	return s
}

// read reads what a step's run has handed back, or a value of it where one is named.
func (x *execution) read(runID, value string) string {
	key := [2]string{runID, value}
	if text, ok := x.whole[key]; ok {
		return text
	}
	ctx, cancel := commitContext()
	defer cancel()
	answer, err := x.Journal.Answer(ctx, x.run.RootID(), runID, value)
	if err != nil && agent.CodeOf(err) != agent.NotFound {
		x.Log.Warn("what a step has handed back cannot be read", "run_id", runID, "conversation_id", x.conv.ID, "error", err)
		return ""
	}
	if x.whole == nil {
		x.whole = map[[2]string]string{}
	}
	x.whole[key] = answer.Text
	return answer.Text
}
