package service

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"fusebox/agent"
	"fusebox/agent/workflow"
)

// AgainFrom asks for a new answer of a workflow that goes back to one of its steps.
type AgainFrom struct {
	RunID string
	// Step is the name of the step to run again, along with everything that depends on it.
	Step string
	// Inputs take the place of those that were filled in before, by name; null takes one away.
	Inputs map[string]json.RawMessage
}

// AgainPlan is what it comes to where a workflow goes back to a step.
type AgainPlan struct {
	Workflow agent.Workflow
	// Inputs are those that were filled in.
	Inputs map[string]json.RawMessage
	// TakenOver are the names of the steps whose results are kept, Rerun those of the steps that run again.
	TakenOver, Rerun []string
}

// PlanAgain says what Again would do, and has its errors.
func (s *Messages) PlanAgain(ctx context.Context, v agent.Viewer, runID, step string) (p AgainPlan, err error) {
	back, err := s.goBack(ctx, v, runID, step)
	if err != nil {
		return p, err
	}
	flow := back.run.State.Workflow.BeginningWith(back.workflow, back.given)
	p = AgainPlan{Workflow: back.workflow, Inputs: flow.Inputs, TakenOver: flow.TakenOver}
	for at := range p.Workflow.Steps {
		if name := p.Workflow.StepName(at); !slices.Contains(p.TakenOver, name) {
			p.Rerun = append(p.Rerun, name)
		}
	}
	return p, nil
}

// Again starts a run that answers the same message as an ended run of a workflow. The step in AgainFrom
// and everything that depends on it run again; the results of the other steps are kept. The new run uses
// the version of the workflow that the old one used. Conflict while a run is active, or if the old one
// has not ended.
func (s *Messages) Again(ctx context.Context, v agent.Viewer, in AgainFrom) (agent.Enqueued, error) {
	back, err := s.goBack(ctx, v, in.RunID, in.Step)
	if err != nil {
		return agent.Enqueued{}, err
	}
	run, flow := back.run, *back.run.State.Workflow
	if flow.Inputs = maps.Clone(flow.Inputs); flow.Inputs == nil {
		flow.Inputs = map[string]json.RawMessage{}
	}
	maps.Copy(flow.Inputs, in.Inputs)
	maps.DeleteFunc(flow.Inputs, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	if err := back.workflow.CheckInputs(flow.Inputs); err != nil {
		return agent.Enqueued{}, err
	}
	b, err := s.behind(ctx, v, run, "")
	if err != nil {
		return agent.Enqueued{}, err
	}
	b.MessageID = back.asked.ID
	if b.Workflow = flow.BeginningWith(back.workflow, back.given); len(back.given) > 0 {
		b.Untrusted, b.Hosts = run.State.Untrusted, run.State.Hosts
	}
	return s.enqueueBehind(ctx, b)
}

// wayBack is a run that goes back to a step, with the results that it keeps, by their places.
type wayBack struct {
	run      agent.Run
	workflow agent.Workflow
	asked    agent.Message
	given    map[int]agent.StepResult
}

func (s *Messages) goBack(ctx context.Context, v agent.Viewer, runID, step string) (back wayBack, err error) {
	run, err := s.Store.Run(ctx, v, runID)
	if err != nil {
		return back, err
	}
	back.run = *run
	var at int
	if back.workflow, at, err = s.againAt(ctx, v, *run, step); err != nil {
		return back, err
	}
	if back.asked, err = s.Store.AskedBy(ctx, run.ID); err != nil {
		return back, err
	}
	if back.given, err = s.resultsOf(ctx, *run, back.workflow, back.asked.Content); err != nil {
		return back, err
	}
	for _, again := range workflow.Rerun(back.workflow, at) {
		delete(back.given, again)
	}
	return back, nil
}

// againAt is the workflow of a run, and the index of a step that can run again.
func (s *Messages) againAt(ctx context.Context, v agent.Viewer, run agent.Run, step string) (w agent.Workflow, at int, err error) {
	switch {
	case run.UserID != v.UserID:
		return w, 0, agent.Errorf(agent.Forbidden, "Only its owner can retry this.")
	case run.State.Workflow == nil:
		return w, 0, agent.InvalidField("step", "is for runs that work by a workflow; leave it out")
	case !run.Status.Ended():
		return w, 0, agent.Errorf(agent.Conflict, "This run has not ended. Wait for it, or abort it first.")
	}
	found, err := s.Store.Workflow(ctx, run.State.Workflow.Name, run.State.Workflow.Version)
	if err != nil {
		return w, 0, err
	}
	tree, err := s.Store.Tree(ctx, run.RootID())
	if err != nil {
		return w, 0, err
	}
	p, err := ProgressOf(ctx, s.Store, run, tree)
	if err != nil {
		return w, 0, err
	}
	for at := range found.Steps {
		if found.StepName(at) != step {
			continue
		}
		if was := p.Steps[at]; !was.MayAgain() {
			return w, 0, agent.InvalidField("step", "%s is %s in this run; name one that is done or failed", step, was.State)
		}
		return *found, at, nil
	}
	return w, 0, agent.InvalidField("step", "there is no step %q; name one of the workflow's", agent.Clip(step, 40))
}

// resultsOf are the results of a run's steps, by their places.
func (s *Messages) resultsOf(ctx context.Context, run agent.Run, w agent.Workflow, message string) (map[int]agent.StepResult, error) {
	calls, err := s.Store.ToolCalls(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	situation := workflow.Situation{Workflow: w, Given: run.State.Workflow.Given, Message: message, Inputs: run.State.Workflow.Inputs, Outputs: run.State.Outputs}
	read := func(runID, value string) string {
		answer, failed := s.Store.Answer(ctx, run.RootID(), runID, value)
		if failed != nil && agent.CodeOf(failed) != agent.NotFound {
			err = failed
		}
		return answer.Text
	}
	for _, c := range calls {
		if call, ok := workflow.CallOf(c, read); ok {
			situation.Calls = append(situation.Calls, call)
		}
	}
	if err != nil {
		return nil, err
	}
	return workflow.Results(situation), nil
}
