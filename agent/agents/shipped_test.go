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
