package looptest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// shortOfMoney is a tree whose two children have used up the root's tokens, with its card.
func shortOfMoney(t *testing.T) (*world, *agent.Run, agent.Approval) {
	t.Helper()
	usage := agent.Usage{Tokens: agent.Tokens{InputTokens: 4000, OutputTokens: 5000}}
	worker := []agenttest.Turn{{Calls: []agent.CallRequest{agenttest.Call("a", "look", `{"n":1}`)}, Usage: usage}, {Text: "Sum.", Usage: usage}}
	w := newTree(t, map[string][]agenttest.Turn{"worker": worker},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "worker", "Add up list 1."), delegateCall("2", "worker", "Add up list 2.")}, Usage: usage},
		agenttest.Turn{Text: "All added.", Usage: usage})
	w.service.Limits.Tokens = 27_500
	run := w.post("Add up.")
	return w, run, w.card()
}

// TestDecisionThatEndsTheRootIsApplied: the children are stopped first, and what was decided
// is the root's end all the same.
func TestDecisionThatEndsTheRootIsApplied(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		decision agent.Decision
		status   agent.Status
		reason   agent.StopReason
		answer   string
	}{
		"rejected":   {agent.Decision{Verb: agent.DecideReject}, agent.StatusStopped, agent.StopTokenBudget, ""},
		"taken over": {agent.Decision{Verb: agent.DecideTakeover, Answer: "It is 42."}, agent.StatusFinished, agent.StopGoal, "It is 42."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, run, card := shortOfMoney(t)
			w.decide(rex, card.ID, tc.decision)
			w.clock.Advance(time.Minute)
			if run = w.advance(run.ID); run.Status != tc.status || run.StopReason != tc.reason {
				t.Errorf("the root is %s (%s)", run.Status, run.StopReason)
			}
			for _, r := range w.tree(run.ID)[1:] {
				if r.Status != agent.StatusAborted {
					t.Errorf("a child is %s", r.Status)
				}
			}
			if said := w.soundHistory(); tc.answer != "" && said[len(said)-1].Content != tc.answer {
				t.Errorf("the answer is %q", said[len(said)-1].Content)
			}
		})
	}
}

// TestTimeUpWithOpenChildren: the children are stopped, and the run hands in what it has.
func TestTimeUpWithOpenChildren(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string][]agenttest.Turn{
		"asker": {{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{"text":"x"}`)}}},
	},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "asker", "Save it."), agenttest.Call("2", "look", `{}`)}},
		agenttest.Turn{Text: "What I have."})
	w.service.Guards.MaxDuration = time.Minute
	w.tools.do["look"] = func(ctx context.Context, _ agent.ToolInput) agent.ToolResult {
		w.clock.Advance(2 * time.Minute)
		<-ctx.Done()
		return agent.ToolResult{Content: "looked", ErrorType: agent.ErrCancelled}
	}
	run := w.post("Save and look.")
	if run.Status != agent.StatusStopped || run.StopReason != agent.StopTimeout {
		t.Errorf("the root is %s (%s)", run.Status, run.StopReason)
	}
	if said := w.soundHistory(); said[len(said)-1].Content != "What I have." {
		t.Errorf("it handed in %q", said[len(said)-1].Content)
	}
}

// TestChildIsNoFreerThanItsParent: what asks for a run asks for those that it hands tasks to,
// and an agent without tools of its own has those of the run that made it.
func TestChildIsNoFreerThanItsParent(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		lead, hand []string
		asks       bool
	}{
		"a list of its own": {[]string{agent.DelegateTool}, []string{"save"}, true},
		"none":              {[]string{agent.DelegateTool}, nil, false},
		"all":               {nil, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTree(t, nil, agenttest.Turn{Calls: []agent.CallRequest{delegateCall("l", "hand", "Save it.")}}, agenttest.Turn{Text: "It is saved."})
			w.model.Agents = map[string][]agenttest.Turn{"hand": {{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{"text":"x"}`)}}, {Text: "Saved."}}}
			w.addAgent(agent.Agent{Name: "lead", Purpose: "Leads.", Instructions: "I am lead.", Tools: tc.lead, Mode: agent.ModeDefault})
			w.addAgent(agent.Agent{Name: "hand", Purpose: "Helps.", Instructions: "I am hand.", Tools: tc.hand, Mode: agent.ModeYolo})
			yolo := agent.ModeYolo
			_, err := w.store.UpdateConversation(t.Context(), ana, "c", agent.ConversationPatch{ApprovalMode: &yolo})
			w.must(err)
			done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "Save it.", Agent: "lead"})
			w.must(err)
			run := w.advance(done.RunID)
			if asks := run.Status == agent.StatusPaused; asks != tc.asks || len(w.tools.runs) > 0 {
				t.Errorf("the run is %s, and ran %v", run.Status, w.tools.runs)
			}
		})
	}
}

// TestResultFitsItsRoom: however much a child hands in, its parent reads a part of it, and what
// is left out is named.
func TestResultFitsItsRoom(t *testing.T) {
	t.Parallel()
	outputs, values := map[string]string{}, map[string]string{}
	for i := range 20 {
		name := fmt.Sprint("v", i)
		outputs[name], values[name] = "string", unlike(i)
	}
	var saves []agent.CallRequest
	for i := range 60 {
		saves = append(saves, agenttest.Call(fmt.Sprint("s", i), "save", fmt.Sprintf(`{"path":"f%d"}`, i)))
	}
	w := newTree(t, map[string][]agenttest.Turn{"hand": {{Calls: saves}, {Text: string(agent.MustJSON(values))}}},
		agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("d", agent.DelegateTool, string(agent.MustJSON(map[string]any{"agent": "hand", "task": "Do it.", "outputs": outputs})))}},
		agenttest.Turn{Text: "Done."})
	yolo := agent.ModeYolo
	_, err := w.store.UpdateConversation(t.Context(), ana, "c", agent.ConversationPatch{ApprovalMode: &yolo})
	w.must(err)
	const room = 8 << 10
	w.runner.Loop.Settings.ResultLimit, w.service.Limits.Tokens = room, 0
	w.post("Do it.")
	res, text := w.handedIn(0)
	if len(text) > room || res.Effects[len(res.Effects)-1] != "and 10 more" {
		t.Errorf("%d bytes with %d effects, the last %q", len(text), len(res.Effects), res.Effects[len(res.Effects)-1])
	}
	for name := range values {
		if _, shown := res.Values[name]; !shown && !strings.Contains(res.More, name) {
			t.Errorf("nothing says how to read %s: %s", name, res.More)
		}
	}
}

// TestTaskIsNotHandedOn: whoever was given a task does it, also where it is long or has inputs.
func TestTaskIsNotHandedOn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Find the number, and say it. ", 30)
	for name, args := range map[string]map[string]any{
		"long":   {"agent": "hand", "task": long},
		"inputs": {"agent": "hand", "task": "Find it.", "inputs": map[string]int{"a": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := func(id string) agenttest.Turn {
				return agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(id, agent.DelegateTool, string(agent.MustJSON(args)))}}
			}
			w := newTree(t, map[string][]agenttest.Turn{"hand": {call("h"), {Text: "42"}}}, call("d"), agenttest.Turn{Text: "42."})
			if runs := w.tree(w.post("Go.").ID); len(runs) != 2 {
				t.Errorf("it was handed on: %d runs", len(runs))
			}
		})
	}
}

// unlike is a text of 3,900 bytes in which nothing repeats.
func unlike(i int) string {
	var b strings.Builder
	for n := 1; b.Len() < 3900; n++ {
		fmt.Fprintf(&b, "%x ", n*(i+7)*2654435761%1000003)
	}
	return b.String()
}
