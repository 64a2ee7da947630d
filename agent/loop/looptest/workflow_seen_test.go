package looptest

import (
	"fmt"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
	"fusebox/agent/workflow"
)

// progress is how the steps of a run stand.
func (w *world) progress(runID string) workflow.Progress {
	w.t.Helper()
	tree := w.tree(runID)
	p, err := service.ProgressOf(w.t.Context(), w.store, tree[0], tree)
	w.must(err)
	return *p
}

// standing names each step with its state, and how often it was begun where that is not once.
func standing(p workflow.Progress) string {
	var all []string
	for _, s := range p.Steps {
		text := s.Name + ":" + string(s.State)
		if s.Tries != 1 {
			text += fmt.Sprint("×", s.Tries)
		}
		if s.TakenOver {
			text += " taken over"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// TestStepsAreSeen: how steps stand is what their calls and runs say, in every form, while the run
// works and afterwards.
func TestStepsAreSeen(t *testing.T) {
	t.Parallel()
	text := func(s string) []agenttest.Turn { return []agenttest.Turn{{Text: s}} }
	broken := []agenttest.Turn{{Err: &agent.ProviderError{Status: 400, Message: "No.", Attempts: 1}}}
	asks := []agenttest.Turn{{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{}`)}}, {Text: "Saved."}}
	tried := flowStep("draft", "east", "Write.")
	tried.Retries, tried.Fallback = 1, "west"
	for _, test := range []struct {
		name   string
		flow   agent.Workflow
		agents map[string][]agenttest.Turn
		// answers are given to what the run asks; before is how it stands at the first card.
		answers       []string
		before, after string
	}{
		{
			"a person between two agents", agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{
				{Name: "look", Agent: "east", Task: "Look."}, {Name: "check", Person: agent.PersonApproves, Task: "Right?"}, {Name: "write", Agent: "west", Task: "Write."},
			}},
			map[string][]agenttest.Turn{"east": text("A sail."), "west": text("Written.")},
			[]string{"Yes"}, "look:done, check:awaiting_person, write:waiting×0", "look:done, check:done, write:done",
		},
		{
			"enough others", agent.Workflow{Kind: agent.FlowParallel, Join: agent.JoinSome, Count: 1, Steps: []agent.WorkflowStep{flowStep("a", "east", "Look."), flowStep("b", "west", "Look.")}},
			map[string][]agenttest.Turn{"east": text("A sail."), "west": asks},
			nil, "", "a:done, b:stopped",
		},
		{
			"a choice", agent.Workflow{Kind: agent.FlowParallel, Join: agent.JoinBest, Judge: "judge", Steps: []agent.WorkflowStep{flowStep("a", "east", "Look."), flowStep("b", "west", "Look."), flowStep("c", "west", "Write.", "a", "b")}},
			map[string][]agenttest.Turn{"east": text("A sail."), "west": text("A red sail."), "judge": {emits(`"best": "b"`)}},
			nil, "", "a:done, b:done, c:done, judge:done",
		},
		{
			"a team", agent.Workflow{Kind: agent.FlowHierarchy, Steps: []agent.WorkflowStep{flowStep("lead", "boss", "Lead."), flowStep("hand", "east", "Looks."), flowStep("other", "west", "Idles.")}},
			map[string][]agenttest.Turn{"boss": {{Calls: []agent.CallRequest{delegateCall("1", "east", "Look.")}}, {Text: "Seen."}}, "east": text("A sail."), "west": nil},
			nil, "", "lead:done, hand:done, other:skipped×0",
		},
		{
			"rounds", agent.Workflow{Kind: agent.FlowLoop, Rounds: 2, Steps: []agent.WorkflowStep{flowStep("work", "east", "Write."), flowStep("review", "west", "Review."), {Name: "end", Agent: "east", Task: "Sum up.", Needs: []string{"work"}}}},
			map[string][]agenttest.Turn{"east": text("A sail."), "west": {emits(`"accepted": false`, `"remarks": "More."`)}},
			[]string{"Stop"}, "work:done×2, review:awaiting_person×2, end:waiting×0", "work:done×2, review:done×2, end:skipped×0",
		},
		{
			"failures", agent.Workflow{Kind: agent.FlowParallel, Steps: []agent.WorkflowStep{tried, flowStep("other", "boss", "Look.")}},
			map[string][]agenttest.Turn{"east": broken, "west": broken, "boss": text("A sail.")},
			[]string{"Go on without it"}, "draft:awaiting_person×3, other:done", "draft:failed×3, other:done",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newFlow(t, test.flow, test.agents)
			run := w.postTo("What is to be seen?")
			if got := standing(w.progress(run.ID)); len(test.answers) > 0 && got != test.before {
				t.Errorf("at the card: %s\nwant %s", got, test.before)
			}
			for _, answer := range test.answers {
				run = w.answer(run.ID, answer)
			}
			if got := standing(w.progress(run.ID)); !run.Status.Ended() || got != test.after {
				t.Errorf("at the end (%s): %s\nwant %s", run.Status, got, test.after)
			}
		})
	}
}

// TestCostOfStepsIsSeen: each step has its cost, and the most that all can come to is what the run's
// limit says or what the limits of the agents allow, whichever is less.
func TestCostOfStepsIsSeen(t *testing.T) {
	t.Parallel()
	flow := agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{
		{Name: "look", Agent: "east", Task: "Look."}, {Name: "check", Person: agent.PersonApproves, Task: "Right?"}, {Name: "write", Agent: "west", Task: "Write.", Retries: 1, Fallback: "east"},
	}}
	costs := func(limits ...int64) (workflow.Progress, *world, *agent.Run) {
		w := newTree(t, nil)
		w.model.Agents = map[string][]agenttest.Turn{"east": {{Text: "A sail.", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 100, OutputTokens: 100}}}}, "west": {{Text: "Written."}}}
		for i, name := range []string{"east", "west"} {
			w.addAgent(agent.Agent{Name: name, Purpose: "Does what the test wants.", Instructions: "I am " + name + ".", Limits: agent.AgentLimits{CostMicros: limits[i]}})
		}
		w.addFlow(flow)
		w.service.Limits.CostMicros = limits[2]
		run := w.postTo("What is to be seen?")
		return w.progress(run.ID), w, run
	}
	for name, test := range map[string]struct {
		limits []int64
		more   int64 // than what was spent, -1 for no limit
	}{
		"agents":          {[]int64{500_000, 200_000, 0}, 2*200_000 + 500_000},
		"an agent":        {[]int64{0, 200_000, 0}, -1},
		"nothing":         {[]int64{0, 0, 0}, -1},
		"the run":         {[]int64{0, 0, 700_000}, 0},
		"the run is less": {[]int64{500_000, 200_000, 700_000}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p, w, run := costs(test.limits...)
			want := p.CostMicros + test.more
			if test.more == 0 {
				want = test.limits[2]
			}
			switch {
			case test.more < 0 && p.MaxCostMicros != nil:
				t.Errorf("it costs at most %d, want no limit", *p.MaxCostMicros)
			case test.more >= 0 && (p.MaxCostMicros == nil || *p.MaxCostMicros != want):
				t.Errorf("it costs at most %v, want %d", p.MaxCostMicros, want)
			}
			if look := p.Steps[0]; len(look.Runs) != 1 || look.CostMicros != w.tree(run.ID)[1].CostMicros || p.CostMicros != look.CostMicros {
				t.Errorf("the first step is %+v of %d", look, p.CostMicros)
			}
			w.answer(run.ID, "Yes")
			if p := w.progress(run.ID); p.MaxCostMicros == nil || *p.MaxCostMicros != p.CostMicros {
				t.Errorf("at the end it costs %d, at most %v", p.CostMicros, p.MaxCostMicros)
			}
		})
	}
}
