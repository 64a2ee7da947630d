package loop

import (
	"cmp"
	"slices"
	"strings"

	"fusebox/agent"
)

// chosen is who a task is handed to: an agent, or a workflow with what is filled in for it. Its
// error is for the model.
func (f *family) chosen(d delegation) (agent.Agent, *agent.WorkflowRun, error) {
	if d.Workflow != "" {
		flow, err := f.chosenFlow(d)
		return agent.Agent{}, flow, err
	}
	def, known := f.named(d.Agent)
	switch {
	case d.Agent == "":
		return def, nil, agent.Errorf(agent.Invalid, "agent: is missing; name an agent, or a workflow in workflow.%s", f.choices())
	case !known:
		return def, nil, agent.Errorf(agent.Invalid, "There is no agent %q. The agents are:%s", agent.Clip(d.Agent, 100), f.listed())
	}
	return def, nil, nil
}

// chosenFlow is the workflow that a task is handed to.
func (f *family) chosenFlow(d delegation) (*agent.WorkflowRun, error) {
	at := slices.IndexFunc(f.flows, func(w agent.Workflow) bool { return w.Name == d.Workflow })
	switch {
	case d.Agent != "":
		return nil, agent.Errorf(agent.Invalid, "workflow: takes the place of agent; name one of the two.")
	case f.isOnPath(d.Workflow):
		return nil, agent.Errorf(agent.Invalid, "workflow: this task is already a step of %s, which cannot start itself. Do the work yourself, or hand over a part of it.%s", d.Workflow, f.choices())
	case at < 0 && len(f.flows) == 0:
		return nil, agent.Errorf(agent.Invalid, "workflow: no workflow can be started from here. Name an agent in agent.%s", f.choices())
	case at < 0:
		return nil, agent.Errorf(agent.Invalid, "workflow: there is no workflow %q.%s", agent.Clip(d.Workflow, 100), f.choices())
	}
	flow := f.flows[at]
	if err := flow.CheckInputs(d.Inputs); err != nil {
		return nil, agent.Errorf(agent.Invalid, "%s. The workflow:%s", agent.MessageOf(err), listFlow(flow))
	}
	return &agent.WorkflowRun{Name: flow.Name, Version: flow.Version, Inputs: d.Inputs}, nil
}

// isOnPath reports whether the run, or one above it, works by a workflow.
func (f *family) isOnPath(flow string) bool {
	return slices.ContainsFunc(f.path, func(s agent.PathStep) bool { return s.Workflow == flow })
}

// choices say whom tasks can be handed to, for the model. They are a part of every request: of a
// workflow they say what it is for, and a call that lacks its inputs is told of those.
func (f *family) choices() string {
	text := "\n\nThe agents:" + f.listed()
	if len(f.flows) > 0 {
		text += "\n\nThe workflows:"
		for _, w := range f.flows {
			purpose, _, _ := strings.Cut(strings.Join(strings.Fields(w.Purpose), " "), ":")
			text += "\n- " + w.Name + ": " + purpose
		}
	}
	return text
}

// listFlow says what a workflow is for, and what is to be filled in: a type where it is not a
// string, and a question mark where it may be left out.
func listFlow(w agent.Workflow) string {
	text := "\n- " + w.Name + ": " + strings.Join(strings.Fields(w.Purpose), " ")
	if len(w.Inputs) == 0 {
		return text
	}
	inputs := make([]string, len(w.Inputs))
	for i, in := range w.Inputs {
		inputs[i] = in.Name
		if !in.Required {
			inputs[i] += "?"
		}
		if t := cmp.Or(in.Type, "string"); t != "string" {
			inputs[i] += " (" + t + ")"
		}
	}
	return text + " Inputs: " + strings.Join(inputs, ", ") + "."
}
