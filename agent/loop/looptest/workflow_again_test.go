package looptest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// again reruns a workflow from a step.
func (w *world) again(run *agent.Run, step string) *agent.Run {
	w.t.Helper()
	done, err := w.service.Again(w.t.Context(), ana, service.AgainFrom{RunID: run.ID, Step: step})
	w.must(err)
	return w.advance(done.RunID)
}

// TestAgainFromAStep: the new version of the answer keeps, at no cost, what does not depend on the
// step, and runs the step and everything after it again.
func TestAgainFromAStep(t *testing.T) {
	t.Parallel()
	text := func(s string) []agenttest.Turn { return []agenttest.Turn{{Text: s}} }
	agents := map[string][]agenttest.Turn{"east": text("A sail."), "west": text("A red sail."), "boss": text("Two sails."), "judge": {emits(`"best": "b"`)}, "strict": {emits(`"accepted": true`, `"remarks": ""`)}}
	two := []agent.WorkflowStep{flowStep("a", "east", "Look."), flowStep("b", "west", "Look."), flowStep("end", "boss", "Sum up.", "a", "b")}
	for _, test := range []struct {
		name, step string
		flow       agent.Workflow
		worked     string
	}{
		{"the last of a sequence", "end", agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Name: "a", Agent: "east", Task: "Look."}, {Name: "end", Agent: "boss", Task: "Write."}}}, "boss"},
		{"the first of a sequence", "a", agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Name: "a", Agent: "east", Task: "Look."}, {Name: "end", Agent: "boss", Task: "Write."}}}, "east boss"},
		{"one of two", "b", agent.Workflow{Kind: agent.FlowParallel, Steps: two}, "west boss"},
		{"after a choice", "end", agent.Workflow{Kind: agent.FlowParallel, Join: agent.JoinBest, Judge: "judge", Steps: two}, "boss"},
		{"one to choose from", "b", agent.Workflow{Kind: agent.FlowParallel, Join: agent.JoinBest, Judge: "judge", Steps: two}, "east west judge boss"},
		{"a reviewer", "b", agent.Workflow{Kind: agent.FlowLoop, Steps: []agent.WorkflowStep{flowStep("a", "east", "Write."), flowStep("b", "strict", "Review."), flowStep("end", "boss", "Sum up.", "a")}}, "east strict boss"},
		{"after a loop", "end", agent.Workflow{Kind: agent.FlowLoop, Steps: []agent.WorkflowStep{flowStep("a", "east", "Write."), flowStep("b", "strict", "Review."), flowStep("end", "boss", "Sum up.", "a")}}, "boss"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newFlow(t, test.flow, agents)
			first := w.postTo("What is to be seen?")
			was := w.lastAnswer()
			run := w.again(first, test.step)
			if got := w.worked(run.ID); run.Status != agent.StatusFinished || got != test.worked || w.lastAnswer() != was {
				t.Errorf("the run is %s with %q, worked: %s, want %s", run.Status, w.lastAnswer(), got, test.worked)
			}
			messages := w.soundHistory()
			if last := messages[len(messages)-1]; messages[0].ID != w.askedBy(first) || len(messages[1].Siblings) != 2 {
				t.Errorf("the answer %q is no other version", last.Content)
			}
			taken := strings.Count(standing(w.progress(run.ID)), "taken over")
			if want := len(test.flow.Steps) - strings.Count(strings.ReplaceAll(test.worked, "judge ", ""), " ") - 1; taken != want && test.flow.Join == "" {
				t.Errorf("%d steps are taken over, want %d: %s", taken, want, standing(w.progress(run.ID)))
			}
		})
	}
}

// askedBy is the message that a run answers.
func (w *world) askedBy(run *agent.Run) string {
	w.t.Helper()
	m, err := w.store.AskedBy(w.t.Context(), run.ID)
	w.must(err)
	return m.ID
}

// TestAgainWithOtherInputs: the step and those after it get what is filled in now.
func TestAgainWithOtherInputs(t *testing.T) {
	t.Parallel()
	w := newFlow(t, agent.Workflow{Kind: agent.FlowSequence, Inputs: []agent.WorkflowInput{{Name: "topic"}, {Name: "place"}}, Steps: []agent.WorkflowStep{
		{Agent: "east", Task: "Look."}, {Name: "write", Agent: "west", Task: "Write."},
	}}, map[string][]agenttest.Turn{"east": {{Text: "A sail."}}, "west": {{Text: "Written."}}})
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "Go.", Workflow: "flow", Inputs: map[string]json.RawMessage{"topic": json.RawMessage(`"sea"`), "place": json.RawMessage(`"Hull"`)}})
	w.must(err)
	w.advance(done.RunID)
	again, err := w.service.Again(t.Context(), ana, service.AgainFrom{RunID: done.RunID, Step: "write", Inputs: map[string]json.RawMessage{"topic": json.RawMessage(`"tea"`)}})
	w.must(err)
	run := w.advance(again.RunID)
	_, in := w.task(run.ID, 1)
	had, _ := in["step-1"].(map[string]any)
	if in["topic"] != "tea" || in["place"] != "Hull" || had["answer"] != "A sail." {
		t.Errorf("the step was told %v", in)
	}
	third := w.again(run, "step-1") // of a version that has taken over itself
	if got := w.worked(third.ID); got != "east west" || third.Status != agent.StatusFinished {
		t.Errorf("the run is %s, worked: %s", third.Status, got)
	}
}

// TestAgainCitesWhatWasFound: what is taken over keeps its sources, and is untrusted still.
func TestAgainCitesWhatWasFound(t *testing.T) {
	t.Parallel()
	w := newLibrary(t, map[string][]agenttest.Turn{"east": {searches("pump"), {Text: "The strainer [2]."}}, "west": {{Text: "Written of [" + passageOf("Strainer") + "]."}}})
	w.addFlow(agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Agent: "east", Task: "Search."}, {Name: "write", Agent: "west", Task: "Write."}}})
	first := w.postTo("What is to be seen?")
	run := w.again(first, "write")
	if got := w.lastAnswer(); run.Status != agent.StatusFinished || got != "Written of [1]." || !strings.Contains(w.cites(), "Strainer") {
		t.Errorf("the run is %s with %q, which cites %s", run.Status, got, w.cites())
	}
	if tree := w.tree(run.ID); len(tree) != 2 || !tree[0].State.Untrusted || !tree[1].State.Untrusted {
		t.Error("what was found is trusted")
	}
}

// TestAgainSurvivesKills: what is taken over is there whatever entries a process is killed between, and
// nothing of it happens once more.
func TestAgainSurvivesKills(t *testing.T) {
	t.Parallel()
	saves := []agenttest.Turn{{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{"text":"a"}`)}}, {Text: "Saved."}}
	for round := range agenttest.Rounds(t, "FUSEBOX_CRASH_ROUNDS", 2) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			w := newFlow(t, agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Agent: "east", Task: "Save."}, {Name: "write", Agent: "west", Task: "Write."}}},
				map[string][]agenttest.Turn{"east": saves, "west": {{Text: "Written."}}})
			r := rand.New(rand.NewPCG(uint64(round), 7))
			first := w.dying(r)
			done, err := w.service.Again(t.Context(), ana, service.AgainFrom{RunID: first.ID, Step: "write"})
			w.must(err)
			run := w.dyingOn(done.RunID)
			if run.Status != agent.StatusFinished || w.worked(run.ID) != "west" || w.tools.executed("save") != 1 {
				t.Errorf("the run is %s, worked: %s, saved %d times", run.Status, w.worked(run.ID), w.tools.executed("save"))
			}
		})
	}
}
