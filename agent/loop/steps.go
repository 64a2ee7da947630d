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

// followSteps goes on with a run that works by a workflow, whose steps may be open.
func (x *execution) followSteps(open bool) error {
	how, waits, err := x.steps.next(open)
	switch {
	case err != nil:
		return err
	case how != nil:
		return x.endAfterChildren(*how, agent.System)
	case waits:
		return x.pause()
	default:
		return nil
	}
}

// steps are those of a run that works by a workflow: in the place of a model, its definition and the results
// of its calls decide which of them begin.
type steps struct {
	*rows
	requests  *requests
	delegator *delegator
	// whole are answers and values of steps' runs of which their results have only the beginning.
	whole map[[2]string]string
}

// next begins steps. While others are open it waits for them, or stops them where one that has ended makes
// them needless. how ends the run once the workflow is at its end.
func (st *steps) next(open bool) (how *ending, waits bool, err error) {
	if st.family.workflow == nil {
		return &ending{
			status: agent.StatusFailed, reason: agent.StopConsecutiveErrors,
			because: fmt.Sprintf("There is no workflow named %s.", st.run.State.Workflow.Name),
		}, false, nil
	}
	if limit := st.run.State.HandIn.Limit; limit != "" && !open {
		return &ending{status: agent.StatusStopped, reason: limit, because: "The run handed in what it had."}, false, nil
	}
	move := workflow.Next(st.situation())
	switch {
	case move.End != nil:
		return st.end(*move.End), false, nil
	case open && move.StopOthers && !st.stopping():
		return nil, false, st.stopOthers()
	case open:
		return nil, true, nil
	case len(move.Begin) == 0:
		return nil, false, fmt.Errorf("run %s: the workflow %s version %d does not go on", st.run.ID, st.run.State.Workflow.Name, st.run.State.Workflow.Version)
	}
	st.begin(move.Begin)
	return nil, false, nil
}

// stopping reports whether the steps that are open have been told to end.
func (st *steps) stopping() bool {
	for _, c := range st.family.children {
		if !c.Status.Ended() && c.AbortBy == "" {
			return false
		}
	}
	return !st.approvals.open()
}

// stopOthers ends the steps that are open. The run goes on once they have.
func (st *steps) stopOthers() error {
	e := agent.Change{Run: st.with(agent.StatusRunning), StopsBelow: agent.System}
	for _, c := range st.calls.open() {
		if c.State == agent.CallAwaiting {
			e = e.Then(st.tools.finish(c, agent.CallEnded, agent.CallCancelled, agent.ErrCancelled, "It was not needed any more."))
		}
	}
	if err := st.commit(e.Then(st.requests.cancelOpen())); err != nil {
		return err
	}
	for i := range st.family.children {
		st.family.children[i].AbortBy = agent.System
	}
	return st.delegator.stopBelow()
}

// begin stores the answer that begins steps, as a model's that calls tools.
func (st *steps) begin(begin []workflow.Begin) {
	e := agent.Change{Run: st.with(agent.StatusRunning)}
	e.Run.Steps++
	e.Run.State.ToolCalls += len(begin)
	m := st.message(st.newID(), agent.FromAssistant, st.transcript.last().ID, workflow.Announce(st.transcript.task(), begin))
	for _, b := range begin {
		call := agent.CallRequest{ID: b.Key.String() + "-" + tail(st.run.ID), Name: agent.DelegateTool, Arguments: string(agent.MustJSON(b.Delegate))}
		switch {
		case b.Ask == nil:
		case b.Ask.Reason != "":
			call.Name, call.Arguments = agent.HandOverTool, string(agent.MustJSON(b.Ask))
		default:
			call.Name, call.Arguments = agent.AskUserTool, string(agent.MustJSON(b.Ask))
		}
		m.ToolCalls = append(m.ToolCalls, call)
	}
	e.Events = events(agent.StepStart{MessageID: m.ID})
	say(&e, m)
	for i, c := range m.ToolCalls {
		e = e.Then(askedCall(m, e.Run.Steps, i, c, 0))
	}
	st.stage(e)
}

// tail is the end of a run's id, which parts its calls from those of other runs of the chat.
func tail(runID string) string {
	const length = 6
	return strings.ToLower(runID[max(len(runID)-length, 0):])
}

// handBack gives an ending the answer and the values of the steps.
func (st *steps) handBack(how *ending, answer string, values map[string]json.RawMessage) {
	st.transcript.sources.Read(st.transcript.branch)
	for _, at := range slices.Sorted(maps.Keys(st.run.State.Workflow.Given)) {
		given := st.run.State.Workflow.Given[at]
		st.transcript.sources.TakeOver(given.RunID, given.Sources)
	}
	how.answer = st.transcript.sources.Numbered(answer)
	r := st.run
	r.State.Values = map[string]json.RawMessage{}
	for name, kind := range missingOutputs(st.run.State) {
		if value, ok := values[name]; ok && isOutput(value, kind) {
			r.State.Values[name] = value
		}
	}
	deliver(&r, answer)
	how.values = r.State.Values
}

// end makes the ending of the run of the workflow's.
func (st *steps) end(end workflow.End) *ending {
	how := &ending{status: end.Status, reason: end.Reason, because: end.Because}
	st.handBack(how, end.Answer, end.Values)
	if how.status == agent.StatusFinished {
		r := st.run
		r.State.Values = how.values
		if missing := missingOutputs(r.State); len(missing) > 0 {
			how.status, how.reason = agent.StatusStopped, agent.StopLoop
			how.because = "The workflow has not delivered what was asked for: " + listOutputs(agent.RunState{Outputs: missing, Purposes: r.State.Purposes}) + "."
		}
	}
	if how.status == agent.StatusFailed { // who tries again goes on from there
		st.run.State.Workflow = st.run.State.Workflow.BeginningWith(*st.family.workflow, workflow.Results(st.situation()))
	}
	return how
}

func (st *steps) situation() workflow.Situation {
	message := st.transcript.task()
	if st.run.Lineage.IsChild() { // what is filled in stands behind the task
		message, _ = agent.SplitTask(message)
	}
	s := workflow.Situation{
		Workflow: *st.family.workflow, Given: st.run.State.Workflow.Given,
		Message: message, Inputs: st.run.State.Workflow.Inputs, Outputs: st.run.State.Outputs,
	}
	for _, c := range st.calls.list {
		if call, ok := workflow.CallOf(c, st.read); ok {
			s.Calls = append(s.Calls, call)
		}
	}
	return s
}

// read reads what a step's run has handed back, or a value of it where one is named.
func (st *steps) read(runID, value string) string {
	key := [2]string{runID, value}
	if text, ok := st.whole[key]; ok {
		return text
	}
	ctx, cancel := commitContext()
	defer cancel()
	answer, err := st.journal.Answer(ctx, st.run.RootID(), runID, value)
	if err != nil && agent.CodeOf(err) != agent.NotFound {
		st.log.Warn("what a step has handed back cannot be read", "run_id", runID, "conversation_id", st.conv.ID, "error", err)
		return ""
	}
	if st.whole == nil {
		st.whole = map[[2]string]string{}
	}
	st.whole[key] = answer.Text
	return answer.Text
}
