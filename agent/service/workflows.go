package service

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"

	"fusebox/agent"
)

// Workflows are the commands about workflows.
type Workflows struct{ Store WorkflowStore }

// Create makes a workflow.
func (s *Workflows) Create(ctx context.Context, v agent.Viewer, w agent.Workflow) (agent.Workflow, error) {
	w, err := s.checked(ctx, w)
	if err != nil {
		return w, err
	}
	return s.Store.CreateWorkflow(ctx, v, w)
}

// Update makes a new version of a workflow.
func (s *Workflows) Update(ctx context.Context, v agent.Viewer, w agent.Workflow) (agent.Workflow, error) {
	if _, err := s.Store.Workflow(ctx, w.Name, 0); err != nil {
		return w, err
	}
	w, err := s.checked(ctx, w)
	if err != nil {
		return w, err
	}
	return s.Store.UpdateWorkflow(ctx, v, w)
}

// checked is the definition without what nobody sees, such as spaces around a task. Invalid
// for what is not allowed, and for agents that there are not.
func (s *Workflows) checked(ctx context.Context, w agent.Workflow) (agent.Workflow, error) {
	w = w.Tidy()
	if err := w.Check(); err != nil {
		return w, err
	}
	all, err := s.Store.Agents(ctx)
	if err != nil {
		return w, err
	}
	return w, w.CheckAgents(all)
}

// workflowNamed is a workflow by the name that a field has; nil for "".
func workflowNamed(ctx context.Context, from WorkflowReader, name string) (*agent.Workflow, error) {
	if name == "" {
		return nil, nil
	}
	w, err := from.Workflow(ctx, name, 0)
	if agent.CodeOf(err) == agent.NotFound {
		err = agent.InvalidField("workflow", "there is no workflow named %s; choose another one, or none", agent.Clip(name, 40))
	}
	return w, err
}

const (
	noWorkflowForInputs = "are for a workflow; name one"
	workflowAndAgent    = "takes the place of an agent; name one of the two"
)

// workflowOf is the workflow that answers a message, nil for none, and what is filled in
// for it: in the conversation, and in the message.
func workflowOf(ctx context.Context, from WorkflowReader, c agent.Conversation, p Post) (*agent.Workflow, map[string]json.RawMessage, error) {
	if p.Workflow != "" && p.Agent != "" {
		return nil, nil, agent.InvalidField("workflow", workflowAndAgent)
	}
	name := p.Workflow
	if p.Agent == "" {
		name = cmp.Or(name, c.Workflow)
	}
	w, err := workflowNamed(ctx, from, name)
	if err == nil && w == nil && len(p.Inputs) > 0 {
		err = agent.InvalidField("inputs", noWorkflowForInputs)
	}
	if err != nil || w == nil {
		return nil, nil, err
	}
	inputs := map[string]json.RawMessage{}
	if name == c.Workflow {
		inputs = w.KnownInputs(c.Inputs)
	}
	maps.Copy(inputs, p.Inputs)
	return w, inputs, w.CheckInputs(inputs)
}

// checkWorkflow checks which workflow a change of a conversation chooses, and what it fills
// in for it. A workflow takes the place of an agent, and an agent that of a workflow; what was
// filled in is for one workflow alone.
func checkWorkflow(ctx context.Context, from WorkflowReader, have agent.Conversation, in *agent.ConversationPatch) error {
	chosen := have.Workflow
	switch {
	case in.Workflow != nil && *in.Workflow != "":
		if in.Agent != nil && *in.Agent != "" {
			return agent.InvalidField("workflow", workflowAndAgent)
		}
		chosen, in.Agent = *in.Workflow, new(string)
	case in.Workflow != nil:
		chosen = ""
	case in.Agent != nil && *in.Agent != "":
		chosen, in.Workflow = "", new(string)
	}
	w, err := workflowNamed(ctx, from, chosen)
	switch {
	case err != nil:
		return err
	case in.Inputs == nil && chosen != have.Workflow:
		in.Inputs = &map[string]json.RawMessage{}
	case in.Inputs == nil || len(*in.Inputs) == 0:
	case w == nil:
		return agent.InvalidField("inputs", noWorkflowForInputs)
	default:
		return w.CheckSomeInputs(*in.Inputs)
	}
	return nil
}
