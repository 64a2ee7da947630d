package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

// TestAgentsConfig: a table is an agent; no tools and all tools are told apart.
func TestAgentsConfig(t *testing.T) {
	t.Parallel()
	c, err := load(t, nil, "-config", writeConfig(t, `
[agents.scout]
purpose = """
Looks around,
and tells."""
instructions = """
Look.
Tell.
"""
model = "far/big"
tools = ["read_file"]
mode = "auto_edit"
limits = { max_steps = 6, max_duration = "90s", tokens = 7, cost_micros = 8 }

[agents.mute]
purpose = "Says nothing."
instructions = "Be silent."
tools = []

[agents.all-round]
purpose = "Does all."
instructions = "Do."
`))
	must(t, err)
	want := []agent.Agent{
		{Name: "all-round", Purpose: "Does all.", Instructions: "Do."},
		{Name: "mute", Purpose: "Says nothing.", Instructions: "Be silent.", Tools: []string{}},
		{
			Name: "scout", Purpose: "Looks around, and tells.", Instructions: "Look.\nTell.", Model: "far/big", Tools: []string{"read_file"}, Mode: agent.ModeAutoEdit,
			Limits: agent.AgentLimits{Steps: 6, DurationMS: 90_000, Tokens: 7, CostMicros: 8},
		},
	}
	if diff := cmp.Diff(want, c.Agents); diff != "" {
		t.Error(diff)
	}
}

// TestAgentsConfigErrors name the table, the key, and what is allowed.
func TestAgentsConfigErrors(t *testing.T) {
	t.Parallel()
	const good = "[agents.scout]\npurpose = \"p\"\ninstructions = \"i\"\n"
	for text, want := range map[string]string{
		"agents = 7":                              "agents",
		"[agents.scout]":                          "[agents.scout] purpose: is empty; say in a sentence or two what the agent is for",
		"[agents.Scout]\npurpose = \"p\"":         "[agents.Scout] name: use 1 to 40 lower-case letters",
		good + "prompt = \"x\"":                   "unknown key agents.scout.prompt; allowed in [agents.NAME]: purpose, instructions, model, tools, knowledge, mode, limits; in its limits: max_steps, max_duration, tokens, cost_micros",
		good + "limits.steps = 5":                 "unknown key agents.scout.limits.steps; allowed in",
		good + "limits.max_steps = -1":            "[agents.scout] limits.max_steps: is -1; allowed: 0",
		good + "limits.cost_micros = -1":          "[agents.scout] limits.cost_micros: is -1; allowed: 0",
		good + "limits.max_duration = \"25h\"":    "[agents.scout] limits.max_duration: is 90000000; allowed: 0",
		good + "limits.max_duration = \"soon\"":   `[agents.scout] limits.max_duration = "soon" is not allowed; allowed: a duration from 1s on, such as "10m"`,
		good + "mode = \"brave\"":                 `[agents.scout] mode: "brave" is not allowed; allowed: default, auto_edit, yolo`,
		good + "tools = \"all\"":                  "agents",
		good + "tools = [\"a b\"]":                `[agents.scout] tools: "a b" is not the name of a tool`,
		"[agents.\"a\\nb\"]\npurpose = \"p\"":     "[agents.a b] name: use",
		strings.Replace(good, "\"i\"", "\"\"", 1): "[agents.scout] instructions: are empty",
	} {
		path := writeConfig(t, text)
		_, err := load(t, nil, "-config", path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
