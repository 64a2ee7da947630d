package agent_test

import (
	"strings"
	"testing"

	"fusebox/agent"
)

// TestAgentCheck: a definition is refused with the field that is wrong.
func TestAgentCheck(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*agent.Agent)
		field  string // "" where it is fine
	}{
		"as it is":               {func(*agent.Agent) {}, ""},
		"every field":            {func(a *agent.Agent) { a.Model, a.Mode, a.Tools = "m", agent.ModeYolo, []string{"files__read-1"} }, ""},
		"the longest name":       {func(a *agent.Agent) { a.Name = strings.Repeat("a", 40) }, ""},
		"a longer name":          {func(a *agent.Agent) { a.Name = strings.Repeat("a", 41) }, "name"},
		"no name":                {func(a *agent.Agent) { a.Name = "" }, "name"},
		"a digit first":          {func(a *agent.Agent) { a.Name = "1a" }, "name"},
		"a capital":              {func(a *agent.Agent) { a.Name = "Scout" }, "name"},
		"a name in two lines":    {func(a *agent.Agent) { a.Name = "a\n" }, "name"},
		"a blank purpose":        {func(a *agent.Agent) { a.Purpose = " \t" }, "purpose"},
		"a long purpose":         {func(a *agent.Agent) { a.Purpose = strings.Repeat("p", agent.MaxAgentPurpose+1) }, "purpose"},
		"a purpose in two lines": {func(a *agent.Agent) { a.Purpose = "a\nb" }, "purpose"},
		"no instructions":        {func(a *agent.Agent) { a.Instructions = "" }, "instructions"},
		"lines of instructions":  {func(a *agent.Agent) { a.Instructions = "a\n\tb" }, ""},
		"long instructions":      {func(a *agent.Agent) { a.Instructions = strings.Repeat("i", agent.MaxAgentInstructions+1) }, "instructions"},
		"broken instructions":    {func(a *agent.Agent) { a.Instructions = "\xff" }, "instructions"},
		"a bell":                 {func(a *agent.Agent) { a.Instructions = "a\ab" }, "instructions"},
		"a model in two lines":   {func(a *agent.Agent) { a.Model = "a\nb" }, "model"},
		"an unknown mode":        {func(a *agent.Agent) { a.Mode = "ask" }, "mode"},
		"not a tool":             {func(a *agent.Agent) { a.Tools = []string{"read file"} }, "tools"},
		"a tool twice":           {func(a *agent.Agent) { a.Tools = []string{"a", "a"} }, "tools"},
		"too many tools":         {func(a *agent.Agent) { a.Tools = make([]string, 201) }, "tools"},
		"no steps below zero":    {func(a *agent.Agent) { a.Limits.Steps = -1 }, "limits.steps"},
		"too long":               {func(a *agent.Agent) { a.Limits.DurationMS = 86_400_001 }, "limits.durationMs"},
		"too many tokens":        {func(a *agent.Agent) { a.Limits.Tokens = 1_000_000_001 }, "limits.tokens"},
		"too dear":               {func(a *agent.Agent) { a.Limits.CostMicros = 1_000_000_000_001 }, "limits.costMicros"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := agent.Agent{Name: "scout", Purpose: "Looks around.", Instructions: "Look."}
			tt.change(&a)
			err := a.Check()
			fields := agent.FieldErrors(err)
			if _, named := fields[tt.field]; (tt.field == "") != (err == nil) || err != nil && !named {
				t.Errorf("the error is %v, want one of the field %q", err, tt.field)
			}
		})
	}
}

// TestStricter: the mode that asks more often wins, and none has no say.
func TestStricter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ a, b, want agent.ApprovalMode }{
		{"", "", ""},
		{"", agent.ModeYolo, agent.ModeYolo},
		{agent.ModeYolo, "", agent.ModeYolo},
		{agent.ModeYolo, agent.ModeAutoEdit, agent.ModeAutoEdit},
		{agent.ModeAutoEdit, agent.ModeDefault, agent.ModeDefault},
		{agent.ModeDefault, agent.ModeYolo, agent.ModeDefault},
	} {
		if got := agent.Stricter(tt.a, tt.b); got != tt.want {
			t.Errorf("of %q and %q the stricter one is %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestAgentSameAs: all tools and none are not the same.
func TestAgentSameAs(t *testing.T) {
	t.Parallel()
	all := agent.Agent{Name: "a", Version: 1}
	none := agent.Agent{Name: "a", Version: 2, Tools: []string{}}
	if all.SameAs(none) || !all.SameAs(agent.Agent{Name: "a", Source: agent.AgentByAdmin}) {
		t.Error("definitions are not told apart by what they say")
	}
}
