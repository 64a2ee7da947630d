package demo

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const allAgents = "researcher (looks things up), writer, editor, reviewer, analyst, coder."

// tree plays the part of the engine for a run and the runs below it.
type tree struct {
	root *client
	// result is what a tool answers an agent.
	result func(agent, tool, args string) string
	// steps bounds the calls of a child; then it gets one request without tools.
	steps int
	// lines says who did what.
	lines []string
}

func newTree(c *client, result func(agent, tool, args string) string) *tree {
	c.tools, c.agents = append([]string{delegateTool, planTool, emitTool, searchTool}, allTools...), allAgents
	return &tree{root: c, result: result, steps: 20}
}

// ask plays a run to its end.
func (w *tree) ask(text string) said {
	w.root.t.Helper()
	s := w.root.ask(text)
	for range 40 {
		if len(s.Calls) == 0 {
			return s
		}
		var results []string
		for _, c := range s.Calls {
			results = append(results, w.run("root", c.Function.Name, c.Function.Arguments))
		}
		s = w.root.results(s, results...)
	}
	w.root.t.Fatalf("the run does not end: %q", w.lines)
	return s
}

func (w *tree) run(agent, tool, args string) string {
	if tool == delegateTool {
		return w.delegate(args)
	}
	w.lines = append(w.lines, agent+" "+tool+args)
	if w.result == nil {
		return "ok"
	}
	return w.result(agent, tool, args)
}

// delegate plays a child run.
func (w *tree) delegate(args string) string {
	t := w.root.t
	t.Helper()
	var asked struct {
		Agent, Task     string
		Inputs, Outputs map[string]any
	}
	if err := json.Unmarshal([]byte(args), &asked); err != nil {
		t.Fatal(err)
	}
	w.lines = append(w.lines, "> "+asked.Agent+": "+asked.Task)
	child := newClient(t, w.root.stream)
	child.url = w.root.url
	child.system = "Be helpful.\n\nYou are the agent " + asked.Agent + ", working for another agent.\n\nBe brief."
	child.tools = append([]string{searchTool, knowledgeTool}, allTools...)
	if asked.Outputs != nil {
		child.tools = append(child.tools, emitTool)
	}
	task := asked.Task
	if asked.Inputs != nil {
		raw, err := json.MarshalIndent(asked.Inputs, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		task += "\n\nInputs:\n\n```json\n" + string(raw) + "\n```"
	}
	values, effects := map[string]json.RawMessage{}, []string{}
	status, reason := "finished", "goal"
	s := child.ask(task)
	for n := 0; len(s.Calls) > 0; n++ {
		var results []string
		for _, c := range s.Calls {
			if c.Function.Name != emitTool {
				results = append(results, w.run(asked.Agent, c.Function.Name, c.Function.Arguments))
				if c.Function.Name == "run_shell" && !strings.Contains(results[len(results)-1], "refused") {
					effects = append(effects, "run_shell")
				}
				continue
			}
			var e struct {
				Name  string
				Value json.RawMessage
			}
			if err := json.Unmarshal([]byte(c.Function.Arguments), &e); err != nil {
				t.Fatal(err)
			}
			values[e.Name] = e.Value
			results = append(results, "delivered")
		}
		if n == w.steps {
			status, reason, child.tools = "stopped", "loop", nil
		}
		s = child.results(s, results...)
	}
	if got, want := slices.Sorted(maps.Keys(values)), slices.Sorted(maps.Keys(asked.Outputs)); !slices.Equal(got, want) && status == "finished" {
		w.lines = append(w.lines, fmt.Sprintf("%s has delivered %q of %q", asked.Agent, got, want))
	}
	raw, err := json.Marshal(map[string]any{
		"runId": "r1", "agent": asked.Agent, "status": status, "stopReason": reason, "answer": s.Content, "values": values, "partial": status != "finished", "effects": effects,
	})
	if err != nil {
		t.Fatal(err)
	}
	if status != "finished" {
		return "Error (child_stopped): The agent was stopped. " + string(raw)
	}
	return string(raw)
}

// delegations are the tasks that were handed over.
func (w *tree) delegations() (list []string) {
	for _, l := range w.lines {
		if strings.HasPrefix(l, ">") {
			list = append(list, l)
		}
	}
	return list
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was done (-want +got):\n%s", diff)
	}
}
