package looptest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// TestWorkflowsSurviveKills: whatever entries a process is killed between, each step is made
// once, what it does has happened once, and the answer is the same.
func TestWorkflowsSurviveKills(t *testing.T) {
	t.Parallel()
	saves := func(text string) []agenttest.Turn {
		return []agenttest.Turn{{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{"text":"`+text+`"}`)}}, {Text: text}}
	}
	some := agent.Workflow{Kind: agent.FlowParallel, Join: agent.JoinSome, Count: 2, Steps: []agent.WorkflowStep{
		flowStep("a", "east", "Look."), flowStep("b", "west", "Look."), flowStep("end", "boss", "Sum up.", "a", "b"),
	}}
	for name, test := range map[string]struct {
		flow   agent.Workflow
		worked string
		saved  int
	}{
		"sequence": {agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{
			{Agent: "east", Task: "Look."}, {Person: agent.PersonApproves, Task: "Is it right?"}, {Agent: "west", Task: "Write."},
		}}, "east west", 2},
		"parallel": {some, "east west boss", 2},
		"best": {agent.Workflow{Kind: agent.FlowParallel, Join: agent.JoinBest, Judge: "judge", Steps: []agent.WorkflowStep{
			flowStep("a", "east", "Look."), flowStep("b", "west", "Look."),
		}}, "east west judge", 2},
		"hierarchy": {agent.Workflow{Kind: agent.FlowHierarchy, Steps: []agent.WorkflowStep{flowStep("lead", "lead", "Lead."), flowStep("hand", "east", "Looks.")}}, "lead east", 1},
		"dynamic":   {agent.Workflow{Kind: agent.FlowDynamic, Steps: []agent.WorkflowStep{flowStep("lead", "lead", "Lead.")}}, "lead east", 1},
		"mesh":      {agent.Workflow{Kind: agent.FlowMesh, Rounds: 2, Steps: []agent.WorkflowStep{flowStep("a", "poster", "Talk."), flowStep("b", "poster", "Talk.")}}, "poster poster poster poster", 0},
		"loop": {agent.Workflow{Kind: agent.FlowLoop, Rounds: 2, Steps: []agent.WorkflowStep{
			flowStep("work", "east", "Write."), flowStep("review", "strict", "Review."),
		}}, "east strict east strict", 2},
	} {
		for round := range agenttest.Rounds(t, "FUSEBOX_CRASH_ROUNDS", 2) {
			t.Run(fmt.Sprint(name, " ", round), func(t *testing.T) {
				t.Parallel()
				w := newFlow(t, test.flow, map[string][]agenttest.Turn{
					"east": saves("A sail."), "west": saves("A red sail."), "boss": {{Text: "Two sails."}}, "judge": {emits(`"best": "a"`)},
					"lead":   {{Calls: []agent.CallRequest{delegateCall("1", "east", "Look.")}}, {Text: "East has seen it."}},
					"poster": {emits(`"post": "More."`, `"done": false`)}, "strict": {emits(`"accepted": false`, `"remarks": "More."`)},
				})
				run := w.dying(rand.New(rand.NewPCG(uint64(round), 7)))
				if got := w.worked(run.ID); run.Status != agent.StatusFinished || got != test.worked {
					t.Errorf("the run is %s, worked: %s, want %s", run.Status, got, test.worked)
				}
				if got := w.tools.executed("save"); got != test.saved {
					t.Errorf("saved %d times, want %d", got, test.saved)
				}
				w.lastAnswer()
				if t.Failed() {
					for _, r := range w.tree(run.ID) {
						t.Logf("%s %s %s", r.Agent, r.Status, r.StopReason)
					}
					for _, f := range find[agent.Finish](w.events()) {
						t.Log(f.Message)
					}
				}
			})
		}
	}
}

// dying plays the run of a message by processes that are killed after some entries each, and
// decides what it asks.
func (w *world) dying(r *rand.Rand) *agent.Run {
	w.t.Helper()
	w.onStart = func() {
		left := &atomic.Int64{}
		left.Store(int64(1 + r.IntN(9)))
		w.runner.Loop.Journal = unplugged{w.store, left}
	}
	done, err := w.service.Post(w.t.Context(), ana, service.Post{ConversationID: "c", Content: "What is to be seen?", Workflow: "flow"})
	w.must(err)
	return w.dyingOn(done.RunID)
}

// dyingOn goes on with a run, by processes that are killed as well.
func (w *world) dyingOn(runID string) *agent.Run {
	w.t.Helper()
	for range 500 {
		claimed, err := w.store.Claim(w.t.Context(), "test", time.Minute)
		if agent.CodeOf(err) == agent.NotFound {
			if w.decideAll() == 0 {
				break
			}
			continue
		}
		w.must(err)
		switch err := w.runner.Loop.Advance(w.t.Context(), claimed); {
		case errors.Is(err, errPulled):
			w.restart()
		case err != nil:
			w.t.Fatal(err)
		}
	}
	run, err := w.store.Run(w.t.Context(), ana, runID)
	w.must(err)
	return run
}

// decideAll decides what is asked: calls may run, those that were cut off have happened, and
// questions have their first option.
func (w *world) decideAll() int {
	w.t.Helper()
	cards, _, err := w.store.Approvals(w.t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{Limit: 100})
	w.must(err)
	for _, card := range cards {
		switch {
		case card.Kind == agent.KindQuestion:
			w.decide(ana, card.ID, agent.Decision{Verb: agent.DecideAnswer, Answer: card.Options[0].Label})
		case card.Kind == agent.KindOutcome && w.happened(card):
			w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideAnswer, Answer: "It happened."})
		default:
			w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, ArgsHash: card.ArgsHash, Generation: card.Generation})
		}
	}
	return len(cards)
}

// happened reports whether a call that was cut off has had its effect.
func (w *world) happened(card agent.Approval) bool {
	w.tools.mu.Lock()
	defer w.tools.mu.Unlock()
	return w.tools.did[agent.ToolCall{RunID: card.RunID, ID: card.ToolCallID}.IdempotencyKey()]
}
