package service

import (
	"context"
	"encoding/json"
	"maps"

	"fusebox/agent"
	"fusebox/agent/workflow"
)

// AgainFrom asks for a new answer of a workflow that goes back to one of its steps.
type AgainFrom struct {
	RunID string
	// Step is the name of the step that is made anew, with all that follows it.
	Step string
	// Inputs take the place of those that were filled in before, by name.
	Inputs map[string]json.RawMessage
}

// Again starts a run that answers the message of a workflow's run once more: it takes over the results
// of the steps that do not depend on one of them, and makes that one and all after it anew, by the version
// that the run worked by. Conflict while a run is active, or where that run has not ended.
func (d *Runs) Again(ctx context.Context, v agent.Viewer, in AgainFrom) (agent.Enqueued, error) {
	run, err := d.Store.Run(ctx, v, in.RunID)
	if err != nil {
		return agent.Enqueued{}, err
	}
	w, at, err := d.againAt(ctx, v, *run, in.Step)
	if err != nil {
		return agent.Enqueued{}, err
	}
	inputs := maps.Clone(run.State.Workflow.Inputs)
	if inputs == nil {
		inputs = map[string]json.RawMessage{}
	}
	maps.Copy(inputs, in.Inputs)
	if err := w.CheckInputs(inputs); err != nil {
		return agent.Enqueued{}, err
	}
	asked, err := d.Store.AskedBy(ctx, run.ID)
	if err != nil {
		return agent.Enqueued{}, err
	}
	given, err := d.resultsOf(ctx, *run, w, asked.Content)
	if err != nil {
		return agent.Enqueued{}, err
	}
	for _, anew := range workflow.Anew(w, at) {
		delete(given, anew)
	}
	b, err := d.behind(ctx, v, *run, "")
	if err != nil {
		return agent.Enqueued{}, err
	}
	b.MessageID = asked.ID
	flow := agent.WorkflowRun{Name: run.State.Workflow.Name, Version: run.State.Workflow.Version, Inputs: inputs}
	if b.Workflow = flow.BeginningWith(w, given); len(given) > 0 {
		b.Untrusted, b.Hosts = run.State.Untrusted, run.State.Hosts
	}
	return d.enqueueBehind(ctx, b)
}

// againAt is the workflow of a run, and the place of a step that can be made anew.
func (d *Runs) againAt(ctx context.Context, v agent.Viewer, run agent.Run, step string) (w agent.Workflow, at int, err error) {
	switch {
	case run.UserID != v.UserID:
		return w, 0, agent.Errorf(agent.Forbidden, "Only its owner can retry this.")
	case run.State.Workflow == nil:
		return w, 0, agent.InvalidField("step", "is for runs that work by a workflow; leave it out")
	case !run.Status.Ended():
		return w, 0, agent.Errorf(agent.Conflict, "This run has not ended. Wait for it, or abort it first.")
	}
	found, err := d.Store.Workflow(ctx, run.State.Workflow.Name, run.State.Workflow.Version)
	if err != nil {
		return w, 0, err
	}
	tree, err := d.Store.Tree(ctx, run.RootID())
	if err != nil {
		return w, 0, err
	}
	p, err := ProgressOf(ctx, d.Store, run, tree)
	if err != nil {
		return w, 0, err
	}
	for at := range found.Steps {
		if found.StepName(at) != step {
			continue
		}
		if s := p.Steps[at].State; s != workflow.StepDone && s != workflow.StepFailed {
			return w, 0, agent.InvalidField("step", "%s is %s in this run; name one that is done or failed", step, s)
		}
		return *found, at, nil
	}
	return w, 0, agent.InvalidField("step", "there is no step %q; name one of the workflow's", agent.Clip(step, 40))
}

// resultsOf are the results of a run's steps, by their places.
func (d *Runs) resultsOf(ctx context.Context, run agent.Run, w agent.Workflow, message string) (map[int]agent.StepResult, error) {
	calls, err := d.Store.ToolCalls(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	s := workflow.Situation{Workflow: w, Given: run.State.Workflow.Given, Message: message, Inputs: run.State.Workflow.Inputs, Outputs: run.State.Outputs}
	read := func(runID, value string) string {
		answer, failed := d.Store.Answer(ctx, run.RootID(), runID, value)
		if failed != nil && agent.CodeOf(failed) != agent.NotFound {
			err = failed
		}
		return answer.Text
	}
	for _, c := range calls {
		if call, ok := workflow.CallOf(c, read); ok {
			s.Calls = append(s.Calls, call)
		}
	}
	if err != nil {
		return nil, err
	}
	return workflow.Results(s), nil
}
