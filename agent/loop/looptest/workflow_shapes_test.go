package looptest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

// shape is a workflow of one form in which west makes a step that cannot be done without.
type shape struct {
	flow agent.Workflow
	// says is what an agent answers at last, and hands what boss hands over before that.
	says  map[string]agenttest.Turn
	hands []agent.CallRequest
	// worked and answer are what comes of the run where nothing is in its way.
	worked, answer string
}

// shapes are all forms and joins.
func shapes() map[string]shape {
	text := func(s string) agenttest.Turn { return agenttest.Turn{Text: s} }
	a, b := flowStep("a", "east", "Look east."), flowStep("b", "west", "Look west.")
	both := map[string]agenttest.Turn{"east": text("A sail."), "west": text("A red sail."), "judge": emits(`"best": "b"`)}
	end := flowStep("end", "north", "Sum up.", "a", "b")
	led := map[string]agenttest.Turn{"boss": text("Two sails."), "east": text("A sail."), "west": text("A red sail.")}
	hands := []agent.CallRequest{delegateCall("1", "east", "Look."), delegateCall("2", "west", "Look, too.")}
	steps := func(s ...agent.WorkflowStep) []agent.WorkflowStep { return s }
	summed := map[string]agenttest.Turn{"east": text("A sail."), "west": text("A red sail."), "north": text("Two sails.")}
	return map[string]shape{
		"sequence": {
			agent.Workflow{Kind: agent.FlowSequence, Steps: steps(agent.WorkflowStep{Agent: "east", Task: "Look."}, agent.WorkflowStep{Agent: "west", Task: "Write."}, agent.WorkflowStep{Agent: "north", Task: "Sum up."})},
			summed, nil, "east west north", "Two sails.",
		},
		"parallel": {agent.Workflow{Kind: agent.FlowParallel, Steps: steps(a, b, end)}, summed, nil, "east west north", "Two sails."},
		"some": {
			agent.Workflow{Kind: agent.FlowParallel, Join: agent.JoinSome, Count: 2, Steps: steps(a, b, flowStep("c", "lost", "Look."), end)},
			summed, nil, "east west lost north", "Two sails.",
		},
		"best": {agent.Workflow{Kind: agent.FlowParallel, Join: agent.JoinBest, Judge: "judge", Steps: steps(a, b)}, both, nil, "east west judge", "A red sail."},
		"hierarchy": {
			agent.Workflow{Kind: agent.FlowHierarchy, Steps: steps(flowStep("lead", "boss", "Lead."), a, b)},
			led, hands, "boss east west", "Two sails.",
		},
		"dynamic": {agent.Workflow{Kind: agent.FlowDynamic, Steps: steps(flowStep("lead", "boss", "Lead."))}, led, hands, "boss east west", "Two sails."},
		"mesh": {
			agent.Workflow{Kind: agent.FlowMesh, Rounds: 2, Steps: steps(a, b, end)},
			map[string]agenttest.Turn{"east": emits(`"post": "Yes."`, `"done": true`), "west": emits(`"post": "No."`, `"done": true`), "north": text("They differ.")},
			nil, "east west north", "They differ.",
		},
		"loop": {
			agent.Workflow{Kind: agent.FlowLoop, Steps: steps(a, b)},
			map[string]agenttest.Turn{"east": text("A sail."), "west": emits(`"accepted": true`, `"remarks": ""`)},
			nil, "east west", "A sail.",
		},
	}
}

// begins is a world in which the workflow can begin. Before west says what it has to say it makes
// some calls, and each answer takes its usage.
func (s shape) begins(t *testing.T, usage agent.Usage, west ...agenttest.Turn) *world {
	t.Helper()
	agents := map[string][]agenttest.Turn{}
	for name, last := range s.says {
		agents[name] = []agenttest.Turn{last}
	}
	if s.hands != nil {
		agents["boss"] = []agenttest.Turn{{Calls: s.hands}, s.says["boss"]}
	}
	agents["west"] = append(slices.Clone(west), s.says["west"])
	for _, turns := range agents {
		for i := range turns {
			turns[i].Usage = usage
		}
	}
	if strings.Contains(s.worked, "lost") {
		agents["lost"] = []agenttest.Turn{{Err: &agent.ProviderError{Status: 400, Message: "No.", Attempts: 1}}}
	}
	return newFlow(t, s.flow, agents)
}

// first is what there is once the agent that begins has ended: nothing where that one leads.
func (s shape) first() string {
	east := s.says["east"].Text
	switch {
	case s.hands != nil:
		return ""
	case s.flow.Kind == agent.FlowMesh:
		return "Yes."
	default:
		return east
	}
}

// everyForm plays a test for each form.
func everyForm(t *testing.T, play func(t *testing.T, s shape)) {
	t.Helper()
	for name, s := range shapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, s)
		})
	}
}

// comesTo wants that the run of a shape is finished as it is where nothing is in its way.
func (w *world) comesTo(s shape, run *agent.Run) {
	w.t.Helper()
	if got := w.lastAnswer(); run.Status != agent.StatusFinished || got != s.answer {
		w.t.Errorf("the run is %s (%s) with %q, want %q", run.Status, run.StopReason, got, s.answer)
	}
	if got := w.worked(run.ID); got != s.worked {
		w.t.Errorf("worked: %s, want %s", got, s.worked)
	}
	w.rest(run.ID)
}

// answered is what a run has answered, "" where it has not.
func (w *world) answered(runID string) string {
	w.t.Helper()
	messages := w.soundHistory()
	if last := messages[len(messages)-1]; last.RunID == runID && last.Role == agent.FromAssistant {
		return last.Content
	}
	return ""
}

// rest wants that all runs of a tree have ended, and that their ledger is in order.
func (w *world) rest(root string) {
	w.t.Helper()
	asked := len(w.model.Requests())
	w.advance(root)
	if n := len(w.model.Requests()); n > asked {
		w.t.Errorf("%d requests were made after the end", n-asked)
	}
	for _, r := range w.tree(root) {
		if !r.Status.Ended() {
			w.t.Errorf("the run of %q is %s", r.Agent, r.Status)
		}
	}
	cards, _, err := w.store.Approvals(w.t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{})
	w.must(err)
	if len(cards) > 0 {
		w.t.Errorf("%d cards are open after the end", len(cards))
	}
	w.must(w.checkLedger())
}

// checkLedger reports what is wrong with the books.
func (w *world) checkLedger() error {
	_, err := store.CheckLedger(w.t.Context(), w.path, time.UTC)
	return err
}
