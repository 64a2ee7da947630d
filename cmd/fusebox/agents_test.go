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

// TestWorkflowsConfig: a table is a workflow; steps that need nothing and those that say nothing of it are told apart.
func TestWorkflowsConfig(t *testing.T) {
	t.Parallel()
	c, err := load(t, nil, "-config", writeConfig(t, `
[workflows.article]
purpose = "Writes\tan article."
kind = "parallel"
join = "some"
count = 1

[[workflows.article.inputs]]
name = "topic"
label = "Topic"
type = "string"
required = true

[[workflows.article.steps]]
name = "facts"
agent = "researcher"
task = """
Find.
Cite.
"""
outputs = { found = "boolean" }
retries = 1
fallback = "analyst"
needs = []

[[workflows.article.steps]]
person = "choose"
task = "Which one?"
options = ["a", "b"]
needs = ["facts"]
`))
	must(t, err)
	want := []agent.Workflow{{
		Name: "article", Purpose: "Writes an article.", Kind: agent.FlowParallel, Join: agent.JoinSome, Count: 1,
		Inputs: []agent.WorkflowInput{{Name: "topic", Label: "Topic", Type: "string", Required: true}},
		Steps: []agent.WorkflowStep{
			{Name: "facts", Agent: "researcher", Task: "Find.\nCite.", Outputs: map[string]string{"found": "boolean"}, Retries: 1, Fallback: "analyst", Needs: []string{}},
			{Person: agent.PersonChooses, Task: "Which one?", Options: []string{"a", "b"}, Needs: []string{"facts"}},
		},
	}}
	if diff := cmp.Diff(want, c.Workflows); diff != "" {
		t.Error(diff)
	}
}

// TestWorkflowsConfigErrors name the table, the key, and what is allowed.
func TestWorkflowsConfigErrors(t *testing.T) {
	t.Parallel()
	const good = "[workflows.tour]\npurpose = \"p\"\nkind = \"sequence\"\n"
	for text, want := range map[string]string{
		"workflows = 7":         "workflows",
		good:                    "[workflows.tour] steps: are empty; name at least one",
		good + "prompt = \"x\"": "unknown key workflows.tour.prompt; allowed in [workflows.NAME]: purpose, kind, inputs,",
		good + "[[workflows.tour.steps]]\nagent = \"a\"\nwhat = 1":                  "unknown key workflows.tour.steps.what",
		good + "[[workflows.tour.steps]]\nagent = \"a\"\ntask = \"t\"\nretries = 9": "[workflows.tour] steps[0].retries: is 9; allowed: 0 to 3",
	} {
		_, err := load(t, nil, "-config", writeConfig(t, text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestWorkflowsOfTheFileNameAgents: an agent that there is not is named with the table and the field.
func TestWorkflowsOfTheFileNameAgents(t *testing.T) {
	t.Parallel()
	const head, step = "[workflows.tour]\npurpose = \"p\"\n", "\n[[workflows.tour.steps]]\ntask = \"t\"\nagent = "
	all := []agent.Agent{{Name: "scout"}, {Name: "guide"}}
	for text, want := range map[string]string{
		head + "kind = \"sequence\"" + step + `"scout"` + step + `"guide"`:                                      "",
		head + "kind = \"sequence\"" + step + `"scout"` + step + `"nobody"`:                                     "[workflows.tour] steps[1].agent: there is no agent named nobody",
		head + "kind = \"sequence\"" + step + `"scout"` + "\nfallback = \"none\"":                               "[workflows.tour] steps[0].fallback: there is no agent named none",
		head + "kind = \"parallel\"\njoin = \"best\"\njudge = \"nobody\"" + step + `"scout"` + step + `"guide"`: "[workflows.tour] judge: there is no agent named nobody",
	} {
		path := writeConfig(t, text)
		c, err := load(t, nil, "-config", path)
		must(t, err)
		switch err := c.CheckWorkflows(all); {
		case want == "" && err != nil, want != "" && (err == nil || !strings.HasSuffix(err.Error(), want) || !strings.Contains(err.Error(), path)):
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
