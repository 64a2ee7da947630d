package looptest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// newFlow is a world with a workflow, the agents that it needs, and the tools that ask people.
func newFlow(t *testing.T, w agent.Workflow, agents map[string][]agenttest.Turn) *world {
	t.Helper()
	world := newTree(t, agents)
	world.addFlow(w)
	return world
}

func (w *world) addFlow(flow agent.Workflow) {
	w.t.Helper()
	w.tools.specs = append(w.tools.specs,
		agent.ToolSpec{Name: agent.AskUserTool, Effect: agent.EffectRead, Set: agent.CoreTools, AsksPerson: true},
		agent.ToolSpec{Name: agent.HandOverTool, Effect: agent.EffectRead, Set: agent.CoreTools, AsksPerson: true})
	flow.Name, flow.Purpose = "flow", "Works."
	w.must(flow.Check())
	_, err := w.store.CreateWorkflow(w.t.Context(), rex, flow)
	w.must(err)
}

// postTo sends a message that the workflow answers.
func (w *world) postTo(text string) *agent.Run {
	w.t.Helper()
	done, err := w.service.Post(w.t.Context(), ana, service.Post{ConversationID: "c", Content: text, Workflow: "flow"})
	w.must(err)
	return w.advance(done.RunID)
}

// answer decides the one card with a text, or an option.
func (w *world) answer(runID, text string) *agent.Run {
	w.t.Helper()
	w.decide(ana, w.card().ID, agent.Decision{Verb: agent.DecideAnswer, Answer: text})
	return w.advance(runID)
}

// worked are the agents of a tree's children, in the order in which they were made.
func (w *world) worked(root string) string {
	w.t.Helper()
	var names []string
	for _, r := range w.tree(root)[1:] {
		names = append(names, r.Agent)
	}
	return strings.Join(names, " ")
}

// lastAnswer is the newest message of the chat.
func (w *world) lastAnswer() string {
	w.t.Helper()
	messages := w.soundHistory()
	return messages[len(messages)-1].Content
}

// task is what the n-th child of a tree was told.
func (w *world) task(root string, n int) (task string, inputs map[string]any) {
	w.t.Helper()
	run := w.tree(root)[n]
	for _, d := range find[agent.MessageEvent](w.events()) {
		if d.Message.RunID == run.ID && d.Message.Role == agent.FromUser {
			text, in := agent.SplitTask(d.Message.Content)
			_ = json.Unmarshal([]byte(in), &inputs)
			return text, inputs
		}
	}
	w.t.Fatalf("run %d was told nothing", n)
	return "", nil
}

func flowStep(name, by, task string, needs ...string) agent.WorkflowStep {
	s := agent.WorkflowStep{Name: name, Agent: by, Task: task, Needs: needs}
	if needs == nil {
		s.Needs = []string{}
	}
	return s
}

func emits(values ...string) agenttest.Turn {
	return agenttest.Turn{Text: `{` + strings.Join(values, ", ") + `}`}
}

func TestWorkflowForms(t *testing.T) {
	t.Parallel()
	text := func(s string) []agenttest.Turn { return []agenttest.Turn{{Text: s}} }
	some := agent.Workflow{Kind: agent.FlowParallel, Join: agent.JoinSome, Count: 1, Steps: []agent.WorkflowStep{flowStep("a", "east", "Look."), flowStep("b", "west", "Look.")}}
	best := agent.Workflow{Kind: agent.FlowParallel, Join: agent.JoinBest, Judge: "judge", Steps: []agent.WorkflowStep{flowStep("a", "east", "Look."), flowStep("b", "west", "Look.")}}
	for _, test := range []struct {
		name   string
		flow   agent.Workflow
		agents map[string][]agenttest.Turn
		worked string
		answer string
	}{
		{
			"sequence",
			agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Agent: "east", Task: "Look."}, {Agent: "west", Task: "Write."}}},
			map[string][]agenttest.Turn{"east": text("A sail."), "west": text("There is a sail.")},
			"east west", "There is a sail.",
		},
		{
			"parallel",
			agent.Workflow{Kind: agent.FlowParallel, Steps: []agent.WorkflowStep{
				flowStep("a", "east", "Look."), flowStep("b", "east", "Look."), flowStep("end", "west", "Sum up.", "a", "b"),
			}},
			map[string][]agenttest.Turn{"east": text("A sail."), "west": text("Two sails.")},
			"east east west", "Two sails.",
		},
		{"one of two", some, map[string][]agenttest.Turn{"east": text("A sail."), "west": {{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{}`)}}}}, "east west", "A sail."},
		{"best", best, map[string][]agenttest.Turn{"east": text("A sail."), "west": text("A red sail."), "judge": {emits(`"best": "b"`)}}, "east west judge", "A red sail."},
		{
			"hierarchy",
			agent.Workflow{Kind: agent.FlowHierarchy, Steps: []agent.WorkflowStep{flowStep("lead", "boss", "Lead."), flowStep("hand", "east", "Looks.")}},
			map[string][]agenttest.Turn{
				"boss": {{Calls: []agent.CallRequest{delegateCall("1", "west", "Go."), delegateCall("2", "east", "Look.")}}, {Text: "East has seen it."}},
				"east": text("A sail."), "west": text("Nobody asked."),
			},
			"boss east", "East has seen it.",
		},
		{
			"dynamic",
			agent.Workflow{Kind: agent.FlowDynamic, Steps: []agent.WorkflowStep{flowStep("lead", "boss", "Lead.")}},
			map[string][]agenttest.Turn{
				"boss": {{Calls: []agent.CallRequest{delegateCall("1", "west", "Go.")}}, {Text: "West has seen it."}}, "west": text("A sail."),
			},
			"boss west", "West has seen it.",
		},
		{
			"mesh",
			agent.Workflow{Kind: agent.FlowMesh, Rounds: 2, Steps: []agent.WorkflowStep{flowStep("a", "east", "Talk."), flowStep("b", "west", "Talk."), flowStep("end", "judge", "Sum up.", "a", "b")}},
			map[string][]agenttest.Turn{"east": {emits(`"post": "Yes."`, `"done": true`)}, "west": {emits(`"post": "No."`, `"done": false`)}, "judge": text("They differ.")},
			"east west east west judge", "They differ.",
		},
		{
			"loop",
			agent.Workflow{Kind: agent.FlowLoop, Steps: []agent.WorkflowStep{flowStep("work", "east", "Write."), flowStep("review", "west", "Review.")}},
			map[string][]agenttest.Turn{"east": text("A sail."), "west": {emits(`"accepted": true`, `"remarks": ""`)}},
			"east west", "A sail.",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newFlow(t, test.flow, test.agents)
			if test.agents["boss"] != nil {
				boss, err := w.store.Agent(t.Context(), "boss", 0)
				w.must(err)
				boss.Tools = []string{"look"} // it may hand tasks over all the same
				_, err = w.store.UpdateAgent(t.Context(), rex, *boss)
				w.must(err)
			}
			run := w.postTo("What is to be seen?")
			if run.Status != agent.StatusFinished || run.Usage.Total() != 0 {
				t.Errorf("the run is %s with %d tokens", run.Status, run.Usage.Total())
			}
			if got := w.worked(run.ID); got != test.worked {
				t.Errorf("worked: %s, want %s", got, test.worked)
			}
			if got := w.lastAnswer(); got != test.answer {
				t.Errorf("the answer is %q, want %q", got, test.answer)
			}
			for _, r := range w.tree(run.ID) {
				if !r.Status.Ended() {
					t.Errorf("the run of %s is %s", r.Agent, r.Status)
				}
			}
		})
	}
}

func TestStepsGetWhatTheyNeed(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "Sail %d of %x. ", i, i*i*7919)
	}
	long := b.String()
	w := newFlow(t, agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Name: "facts", Agent: "east", Task: "Look."}, {Agent: "west", Task: "Write."}}},
		map[string][]agenttest.Turn{"east": {{Text: long}}, "west": {{Text: "Written."}}})
	run := w.postTo("What is to be seen?")
	task, in := w.task(run.ID, 2)
	facts, _ := in["facts"].(map[string]any)
	if task != "Write." || in["message"] != "What is to be seen?" || facts["answer"] != strings.TrimSpace(long) && facts["answer"] != long {
		t.Errorf("the second step was told %q with %.200v", task, in)
	}
	if res, _ := w.handedIn(0); res.More == "" {
		t.Error("the answer was not too long for a result")
	}
}

func TestLoopAsksAPerson(t *testing.T) {
	t.Parallel()
	flow := agent.Workflow{Kind: agent.FlowLoop, Rounds: 1, Steps: []agent.WorkflowStep{flowStep("work", "east", "Write."), flowStep("review", "west", "Review.")}}
	agents := map[string][]agenttest.Turn{"east": {{Text: "A sail."}}, "west": {{Text: "I accept it, accepted: true."}, emits(`"accepted": false`, `"remarks": "Which one?"`)}}
	for answer, want := range map[string]agent.Status{"Accept it as it is": agent.StatusFinished, "Stop": agent.StatusStopped} {
		w := newFlow(t, flow, agents)
		run := w.postTo("What is to be seen?")
		if card := w.card(); run.Status != agent.StatusPaused || card.Kind != agent.KindQuestion || !strings.Contains(card.Message, "Which one?") || len(card.Options) != 3 {
			t.Fatalf("the run is %s, the card %+v", run.Status, card)
		}
		if run = w.answer(run.ID, "One more round"); run.Status != agent.StatusPaused {
			t.Fatalf("the run is %s", run.Status)
		}
		_, in := w.task(run.ID, 3)
		previous, _ := in["previous"].(map[string]any)
		remarks, _ := in["remarks"].(map[string]any)
		if previous["answer"] != "A sail." || remarks["answer"] != "Which one?" {
			t.Errorf("the second round was told %v", in)
		}
		if run = w.answer(run.ID, answer); run.Status != want || w.lastAnswer() != "A sail." {
			t.Errorf("%s: the run is %s with %q", answer, run.Status, w.lastAnswer())
		}
	}
}

func TestFailedStep(t *testing.T) {
	t.Parallel()
	broken := []agenttest.Turn{{Err: &agent.ProviderError{Status: 400, Message: "No.", Attempts: 1}}}
	s := flowStep("draft", "east", "Write.")
	s.Retries, s.Fallback = 1, "west"
	w := newFlow(t, agent.Workflow{Kind: agent.FlowParallel, Steps: []agent.WorkflowStep{s}}, map[string][]agenttest.Turn{"east": broken, "west": broken})
	run := w.postTo("看到了什么？")
	if got := w.worked(run.ID); got != "east east west" {
		t.Fatalf("worked: %s", got)
	}
	if card := w.card(); !strings.HasPrefix(card.Message, "步骤 draft 失败了") || len(card.Options) != 3 {
		t.Errorf("the card is %+v", card)
	}
	w.model.Agents["east"] = []agenttest.Turn{{Text: "一只帆船。"}}
	if run = w.answer(run.ID, "重做"); run.Status != agent.StatusFinished || w.lastAnswer() != "一只帆船。" {
		t.Errorf("the run is %s with %q", run.Status, w.lastAnswer())
	}
}

func TestRefusedStepEndsTheWorkflow(t *testing.T) {
	t.Parallel()
	w := newFlow(t, agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Agent: "east", Task: "Look."}, {Person: agent.PersonApproves, Task: "Is it right?"}, {Agent: "west", Task: "Write."}}},
		map[string][]agenttest.Turn{"east": {{Text: "A sail."}}, "west": {{Text: "Written."}}})
	run := w.postTo("What is to be seen?")
	if card := w.card(); !strings.Contains(card.Message, "A sail.") {
		t.Errorf("the card says %q", card.Message)
	}
	if run = w.answer(run.ID, "No"); run.Status != agent.StatusStopped || run.StopReason != agent.StopRejected || w.lastAnswer() != "A sail." {
		t.Errorf("the run is %s (%s) with %q", run.Status, run.StopReason, w.lastAnswer())
	}
}

func TestRefusedCallOfAStep(t *testing.T) {
	t.Parallel()
	w := newFlow(t, agent.Workflow{Kind: agent.FlowParallel, Steps: []agent.WorkflowStep{flowStep("a", "east", "Look."), flowStep("b", "west", "Save.")}},
		map[string][]agenttest.Turn{"east": {{Text: "A sail."}}, "west": {{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{}`)}}, {Text: "Not saved."}}})
	run := w.postTo("What is to be seen?")
	card := w.card()
	if card.Agent != "west" || len(card.Path) != 2 {
		t.Fatalf("the card is %+v", card)
	}
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideReject}) // the agent says what it has without it
	if run = w.advance(run.ID); run.Status != agent.StatusFinished || w.lastAnswer() != "## a\n\nA sail.\n\n## b\n\nNot saved." {
		t.Errorf("the run is %s with %q", run.Status, w.lastAnswer())
	}
}

func TestRuleAsksAboutSteps(t *testing.T) {
	t.Parallel()
	w := newFlow(t, agent.Workflow{Kind: agent.FlowParallel, Steps: []agent.WorkflowStep{flowStep("a", "east", "Look."), flowStep("b", "west", "Save.")}},
		map[string][]agenttest.Turn{"east": {{Text: "A sail."}}, "west": {{Text: "Saved."}}})
	w.must(w.store.AddPolicyRule(t.Context(), rex, agent.PolicyRule{
		ID: "r", Tool: agent.DelegateTool, Action: agent.ActionAsk, CreatedBy: rex.Email, CreatedAt: w.clock.Now(),
	}))
	run := w.postTo("What is to be seen?")
	cards, _, err := w.store.Approvals(t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{})
	w.must(err)
	if len(cards) != 2 || run.Status != agent.StatusPaused {
		t.Fatalf("the run is %s with %d cards", run.Status, len(cards))
	}
	slices.SortFunc(cards, func(a, b agent.Approval) int { return strings.Compare(a.ToolCallID, b.ToolCallID) })
	w.decide(rex, cards[0].ID, agent.Decision{Verb: agent.DecideApprove})
	run = w.advance(run.ID)
	w.decide(rex, cards[1].ID, agent.Decision{Verb: agent.DecideReject})
	if run = w.advance(run.ID); run.Status != agent.StatusStopped || run.StopReason != agent.StopRejected || w.lastAnswer() != "A sail." {
		t.Errorf("the run is %s (%s) with %q", run.Status, run.StopReason, w.lastAnswer())
	}
}

// TestLateStepsAreNotAskedAbout: once enough steps are done, the cards of the others are closed.
func TestLateStepsAreNotAskedAbout(t *testing.T) {
	t.Parallel()
	w := newFlow(t, agent.Workflow{Kind: agent.FlowParallel, Join: agent.JoinSome, Count: 1, Steps: []agent.WorkflowStep{flowStep("a", "east", "Look."), flowStep("b", "west", "Look.")}},
		map[string][]agenttest.Turn{"east": {{Text: "A sail."}}, "west": {{Text: "Two."}}})
	w.must(w.store.AddPolicyRule(t.Context(), rex, agent.PolicyRule{ID: "r", Tool: agent.DelegateTool, Args: agent.Pattern{"agent": "west"}, Action: agent.ActionAsk}))
	run := w.postTo("What is to be seen?")
	cards, _, err := w.store.Approvals(t.Context(), rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{})
	w.must(err)
	if run.Status != agent.StatusFinished || len(cards) > 0 || w.worked(run.ID) != "east" || w.lastAnswer() != "A sail." {
		t.Errorf("the run is %s with %q, %d cards wait, worked: %s", run.Status, w.lastAnswer(), len(cards), w.worked(run.ID))
	}
}

func TestAbortedWorkflow(t *testing.T) {
	t.Parallel()
	w := newFlow(t, agent.Workflow{Kind: agent.FlowParallel, Steps: []agent.WorkflowStep{flowStep("a", "east", "Look."), flowStep("b", "west", "Save.")}},
		map[string][]agenttest.Turn{"east": {{Text: "A sail."}}, "west": {{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{}`)}}}})
	run := w.postTo("What is to be seen?")
	w.must(w.service.Abort(t.Context(), ana, run.ID))
	w.advance(run.ID)
	for _, r := range w.tree(run.ID) {
		if r.Status != agent.StatusAborted && r.Agent != "east" {
			t.Errorf("the run of %q is %s", r.Agent, r.Status)
		}
	}
}

func TestBudgetCardInAWorkflow(t *testing.T) {
	t.Parallel()
	usage := agent.Usage{Tokens: agent.Tokens{InputTokens: 4000, OutputTokens: 4000}}
	var steps []agent.WorkflowStep
	for i := range 6 {
		steps = append(steps, flowStep(fmt.Sprint("n", i), "east", "Look."))
	}
	w := newFlow(t, agent.Workflow{Kind: agent.FlowParallel, Steps: steps}, map[string][]agenttest.Turn{"east": {{Text: "A sail.", Usage: usage}}})
	w.service.Limits.Tokens = 20_000
	run := w.postTo("What is to be seen?")
	card := w.card()
	if card.Kind != agent.KindBudget || card.RunID != run.ID {
		t.Fatalf("the card is %+v", card)
	}
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, RaiseTokensBy: 200_000})
	if run = w.advance(run.ID); run.Status != agent.StatusFinished || strings.Count(w.lastAnswer(), "A sail.") != 6 {
		t.Errorf("the run is %s with %q", run.Status, w.lastAnswer())
	}
}

func TestWorkflowDeliversOutputs(t *testing.T) {
	t.Parallel()
	w := newFlow(t, agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Agent: "east", Task: "Look."}, {Agent: "west", Task: "Count."}}},
		map[string][]agenttest.Turn{"east": {{Text: "Two sails."}}, "west": {emits(`"count": 2`)}})
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "How many?", Workflow: "flow", Outputs: map[string]string{"count": "integer"}})
	w.must(err)
	if run := w.advance(done.RunID); run.Status != agent.StatusFinished || string(run.State.Values["count"]) != "2" {
		t.Errorf("the run is %s with %s", run.Status, run.State.Values)
	}
}

// TestWorkflowCitesWhatItsStepsHaveFound: sources go along from step to step, and the answer has
// them under the numbers of its run.
func TestWorkflowCitesWhatItsStepsHaveFound(t *testing.T) {
	t.Parallel()
	east := []agenttest.Turn{searches("pump"), readsPage, {Text: "The tariff [3] and the strainer [2]."}}
	for want, steps := range map[string][]agent.WorkflowStep{
		"The tariff [2] and the strainer [1].": {{Agent: "east", Task: "Search."}},
		"Written of [1].":                      {{Agent: "east", Task: "Search."}, {Agent: "west", Task: "Write."}},
	} {
		w := newLibrary(t, map[string][]agenttest.Turn{"east": east, "west": {{Text: "Written of [" + passageOf("Strainer") + "]."}}})
		w.addFlow(agent.Workflow{Kind: agent.FlowSequence, Steps: steps})
		run := w.postTo("What is to be seen?")
		cites := w.cites()
		if got := w.lastAnswer(); run.Status != agent.StatusFinished || got != want || !strings.Contains(cites, "Strainer") || strings.Contains(want, "tariff") && !strings.Contains(cites, "Tariffs") {
			t.Errorf("the run is %s with %q, which cites %s; want %q", run.Status, got, cites, want)
		}
	}
}

// TestFailedWorkflowIsTriedAgain: a run that tries again begins with what the failed one has.
func TestFailedWorkflowIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := newFlow(t, agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{
		{Agent: "east", Task: "Look."}, {Agent: "west", Task: "Write."},
	}}, map[string][]agenttest.Turn{"east": {{Text: "A sail."}}})
	asks := slices.IndexFunc(w.tools.specs, func(s agent.ToolSpec) bool { return s.Name == agent.AskUserTool })
	w.tools.specs[asks].Name = "nobody"
	run := w.postTo("What is to be seen?")
	if run.Status != agent.StatusFailed {
		t.Fatalf("the run is %s", run.Status)
	}
	w.tools.specs[asks].Name = agent.AskUserTool
	w.model.Agents["west"] = []agenttest.Turn{{Text: "Written."}}
	w.addAgent(agent.Agent{Name: "west", Purpose: "Writes.", Instructions: "I am west."})
	again, err := w.service.Retry(t.Context(), ana, run.ID)
	w.must(err)
	if run = w.advance(again.RunID); run.Status != agent.StatusFinished || w.worked(run.ID) != "west" || w.lastAnswer() != "Written." {
		t.Errorf("the run is %s with %q, worked: %s", run.Status, w.lastAnswer(), w.worked(run.ID))
	}
}

// TestTreesOfWorkflowsHaveRoom: a workflow has more steps than other trees have runs.
func TestTreesOfWorkflowsHaveRoom(t *testing.T) {
	t.Parallel()
	var steps []agent.WorkflowStep
	for i := range agent.MaxTree + 5 {
		steps = append(steps, flowStep(fmt.Sprint("n", i), "east", "Look."))
	}
	var many []agent.CallRequest
	for i := range agent.MaxTree + 5 {
		many = append(many, delegateCall(fmt.Sprint(i), "west", fmt.Sprint("Look at ", i, ".")))
	}
	steps[0].Agent = "boss"
	w := newFlow(t, agent.Workflow{Kind: agent.FlowParallel, Steps: steps}, map[string][]agenttest.Turn{
		"boss": {{Calls: many}, {Text: "All have looked."}}, "east": {{Text: "A sail."}}, "west": {{Text: "Nothing."}},
	})
	run := w.postTo("What is to be seen?")
	if runs := len(w.tree(run.ID)); run.Status != agent.StatusFinished || runs != 1+len(steps)+agent.MaxTree-1 {
		t.Errorf("the run is %s in a tree of %d", run.Status, runs)
	}
}
