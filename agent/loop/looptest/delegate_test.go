package looptest

import (
	"encoding/json"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// newTree is a world with agents, and a tool to hand tasks to them.
func newTree(t *testing.T, agents map[string][]agenttest.Turn, turns ...agenttest.Turn) *world {
	t.Helper()
	w := newWorld(t, turns...)
	w.model.Agents = agents
	w.tools.specs = append(w.tools.specs,
		agent.ToolSpec{Name: agent.DelegateTool, Effect: agent.EffectRead, Set: agent.CoreTools, Volatile: []string{"runId"}},
		agent.ToolSpec{Name: agent.ReadResultTool, Effect: agent.EffectRead, Set: agent.CoreTools})
	for name := range agents {
		w.addAgent(agent.Agent{Name: name, Purpose: "Does what the test wants.", Instructions: "I am " + name + "."})
	}
	return w
}

func (w *world) addAgent(a agent.Agent) {
	w.t.Helper()
	_, err := w.store.CreateAgent(w.t.Context(), rex, a)
	w.must(err)
}

func delegateCall(id, name, task string) agent.CallRequest {
	return agenttest.Call(id, agent.DelegateTool, string(agent.MustJSON(map[string]any{"agent": name, "task": task})))
}

// tree are the runs of a tree, the root first.
func (w *world) tree(root string) []agent.Run {
	w.t.Helper()
	runs, err := w.store.Tree(w.t.Context(), root)
	w.must(err)
	return runs
}

// handedIn is what the root's model has read of its i-th delegation.
func (w *world) handedIn(i int) (res agent.DelegateResult, text string) {
	w.t.Helper()
	for _, m := range w.soundHistory() {
		if m.Role != agent.FromTool {
			continue
		}
		if i--; i < 0 {
			text := m.Content
			_ = json.Unmarshal([]byte(text[strings.Index(text, "{"):]), &res)
			return res, text
		}
	}
	w.t.Fatal("there is no such result")
	return res, ""
}

func TestDelegatedTasksRunSideBySide(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string][]agenttest.Turn{
		"east": {{Calls: []agent.CallRequest{agenttest.Call("a", "look", `{"at":"east"}`)}}, {Text: "Nothing in the east."}},
		"west": {{Text: "A sail in the west."}},
	},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "east", "Look east."), delegateCall("2", "west", "Look west.")}},
		agenttest.Turn{Text: "A sail in the west, nothing in the east."})
	run := w.post("What is to be seen?")
	if run.Status != agent.StatusFinished || run.Steps != 2 {
		t.Fatalf("the root is %s after %d steps", run.Status, run.Steps)
	}
	for i, want := range []string{"Nothing in the east.", "A sail in the west."} {
		if res, text := w.handedIn(i); res.Answer != want || res.Status != agent.StatusFinished || res.Partial {
			t.Errorf("result %d is %s", i, text)
		}
	}
	runs := w.tree(run.ID)
	if len(runs) != 3 || runs[1].Lineage.ParentRunID != run.ID || runs[1].RootID() != run.ID || runs[1].Agent == "" || runs[1].AgentVersion != 1 {
		t.Errorf("the tree is %+v", runs)
	}
	for _, e := range w.events() {
		child := e.RunID != run.ID
		if child != (e.ParentRunID == run.ID) {
			t.Errorf("event %d of run %s names the parent %q", e.Seq, e.RunID, e.ParentRunID)
		}
	}
	for _, req := range w.model.Requests() {
		if strings.Contains(req.System, "I am west.") && (len(req.Messages) != 1 || req.Messages[0].Content != "Look west.") {
			t.Errorf("west sees %+v", req.Messages)
		}
	}
}

func TestCardOfGrandchild(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string][]agenttest.Turn{
		"lead": {{Calls: []agent.CallRequest{delegateCall("l", "hand", "Save it.")}}, {Text: "It is saved."}},
		"hand": {{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{"text":"x"}`)}}, {Text: "Saved."}},
	},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "lead", "Have it saved.")}},
		agenttest.Turn{Text: "All is saved."})
	run := w.post("Save x.")
	card := w.card()
	if run.Status != agent.StatusPaused || card.Agent != "hand" || len(card.Path) != 3 || card.Path[1].Agent != "lead" || card.Path[2].Task != "Save it." || card.RunID != card.Path[2].RunID {
		t.Fatalf("the root is %s, the card %+v", run.Status, card)
	}
	before := len(w.model.Requests())
	w.restart()
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove})
	if run = w.advance(run.ID); run.Status != agent.StatusFinished {
		t.Fatalf("the root is %s", run.Status)
	}
	if got := len(w.model.Requests()); got != before+3 || len(w.tools.runs) != 1 {
		t.Errorf("%d requests after the decision, want 3; calls %v", got-before, w.tools.runs)
	}
}

func TestDepthAndRelay(t *testing.T) {
	t.Parallel()
	again := []agenttest.Turn{{Calls: []agent.CallRequest{delegateCall("d", "helper", "Find the number")}}, {Text: "42"}}
	w := newTree(t, map[string][]agenttest.Turn{"helper": again},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "helper", "Find the number.")}}, agenttest.Turn{Text: "42"})
	run := w.post("Go.")
	if runs := w.tree(run.ID); run.Status != agent.StatusFinished || len(runs) != 2 {
		t.Errorf("a task that was handed on made %d runs", len(runs))
	}
}

func TestAbortEndsTheTree(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string][]agenttest.Turn{
		"lead":  {{Calls: []agent.CallRequest{delegateCall("l", "asker", "Save it.")}}},
		"asker": {{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{"text":"x"}`)}}},
	}, agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "lead", "Have it saved.")}})
	run := w.post("Save x.")
	card := w.card()
	w.must(w.service.Abort(t.Context(), ana, run.ID))
	w.must(w.service.Abort(t.Context(), ana, run.ID))
	w.advance(run.ID)
	var last string
	for _, r := range w.tree(run.ID) {
		if r.Status != agent.StatusAborted || r.StopReason != agent.StopUserAbort {
			t.Errorf("run %s of %s is %s", r.ID, r.Agent, r.Status)
		}
	}
	for _, e := range w.events() {
		if _, over := e.Data.(agent.Finish); over {
			last = e.RunID
		}
	}
	if last != run.ID {
		t.Error("the root ended before its children")
	}
	if _, err := w.service.Decide(t.Context(), rex, card.ID, agent.Decision{Verb: agent.DecideApprove}); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("deciding a card of an aborted tree: %v", err)
	}
	if len(w.tools.runs) > 0 {
		t.Errorf("ran %v", w.tools.runs)
	}
}

func TestAbortedChildIsAnError(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string][]agenttest.Turn{
		"asker": {{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{"text":"x"}`)}}},
		"other": {{Text: "I am well."}},
	},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "asker", "Save it."), delegateCall("2", "other", "How are you?")}},
		agenttest.Turn{Text: "One was aborted."})
	run := w.post("Save x.")
	w.must(w.service.Abort(t.Context(), ana, w.card().RunID))
	if run = w.advance(run.ID); run.Status != agent.StatusFinished {
		t.Fatalf("the root is %s", run.Status)
	}
	if res, text := w.handedIn(0); res.Status != agent.StatusAborted || !strings.HasPrefix(text, agent.ErrorResult) || !strings.Contains(res.Why, "aborted by a person") {
		t.Errorf("the result is %s", text)
	}
}

func TestOneCardForTheTreesBudget(t *testing.T) {
	t.Parallel()
	usage := agent.Usage{Tokens: agent.Tokens{InputTokens: 1000, OutputTokens: 1000}}
	worker := []agenttest.Turn{
		{Calls: []agent.CallRequest{agenttest.Call("a", "look", `{"n":1}`)}, Usage: usage},
		{Calls: []agent.CallRequest{agenttest.Call("b", "look", `{"n":2}`)}, Usage: usage},
		{Text: "Sum.", Usage: usage},
	}
	var calls []agent.CallRequest
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		calls = append(calls, delegateCall(n, "worker", "Add up list "+n+"."))
	}
	w := newTree(t, map[string][]agenttest.Turn{"worker": worker}, agenttest.Turn{Calls: calls, Usage: usage}, agenttest.Turn{Text: "All added.", Usage: usage})
	w.service.Limits.Tokens = 20_000
	run := w.post("Add up.")
	card := w.card()
	if card.Kind != agent.KindBudget || card.RunID != run.ID {
		t.Fatalf("the card is %+v", card)
	}
	ev, err := card.BudgetEvidence()
	w.must(err)
	var used int64
	for _, r := range w.tree(run.ID) {
		used += r.Usage.Total()
	}
	if used > 20_000 || len(ev.Runs) != 9 {
		t.Errorf("used %d of 20000; the card lists %d runs", used, len(ev.Runs))
	}
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, RaiseTokensBy: 100_000})
	if run = w.advance(run.ID); run.Status != agent.StatusFinished {
		t.Fatalf("the root is %s", run.Status)
	}
}
