package agents_test

import (
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agents"
	"fusebox/agent/tools"
)

// TestShipped: each agent can be stored, its tools are there, and what it says of itself is
// what it can do.
func TestShipped(t *testing.T) {
	t.Parallel()
	known := map[string]agent.ToolSpec{}
	for _, spec := range tools.Builtin() {
		known[spec.Name] = spec
	}
	var names []string
	for _, a := range agents.Shipped() {
		names = append(names, a.Name)
		if err := a.Check(); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
		if !strings.Contains(a.Instructions, "Answer in the language of the task") {
			t.Errorf("%s does not say in which language it answers", a.Name)
		}
		for _, name := range a.Tools {
			spec, ok := known[name]
			if !ok {
				t.Errorf("%s: there is no tool %s", a.Name, name)
			}
			if a.Name == "reviewer" && spec.Effect != agent.EffectRead {
				t.Errorf("the reviewer only reads; %s has the effect %s", name, spec.Effect)
			}
		}
	}
	if want := []string{"researcher", "writer", "editor", "reviewer", "analyst", "coder"}; !slices.Equal(names, want) {
		t.Errorf("%q come with the program, want %q", names, want)
	}
}

// TestWorkflows: each workflow can be stored, uses the agents that there are, and says in which
// language it answers; the steps that it names are there.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	kinds := map[agent.WorkflowKind]bool{}
	for _, w := range agents.Workflows() {
		kinds[w.Kind] = true
		if err := w.Check(); err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
		if tidy := w.Tidy(); !tidy.SameAs(w) {
			t.Errorf("%s is stored as %+v", w.Name, tidy)
		}
		for _, name := range w.Agents() {
			if !slices.ContainsFunc(agents.Shipped(), func(a agent.Agent) bool { return a.Name == name }) {
				t.Errorf("%s: there is no agent %s", w.Name, name)
			}
		}
		for _, step := range w.Steps {
			if step.Agent != "" && !strings.HasSuffix(step.Task, "Answer in the language of the message.") {
				t.Errorf("%s, %s does not say in which language it answers", w.Name, step.Name)
			}
		}
	}
	if len(kinds) != 5 || kinds[agent.FlowDynamic] {
		t.Errorf("the forms are %v", kinds)
	}
}
