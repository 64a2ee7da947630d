package looptest

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// starts is a call that starts a workflow, or what else its arguments say.
func starts(id string, args map[string]any) agent.CallRequest {
	return agenttest.Call(id, agent.DelegateTool, string(agent.MustJSON(args)))
}

// watch is a workflow that asks for a value: east looks, and west writes.
var watch = agent.Workflow{
	Kind:   agent.FlowSequence,
	Inputs: []agent.WorkflowInput{{Name: "where", Required: true}, {Name: "hours", Type: "integer"}},
	Steps:  []agent.WorkflowStep{{Name: "see", Agent: "east", Task: "Look."}, {Name: "write", Agent: "west", Task: "Write."}},
}

// newWatch is a world in which the root's model, and agents, can start watch.
func newWatch(t *testing.T, agents map[string][]agenttest.Turn, turns ...agenttest.Turn) *world {
	t.Helper()
	for name, says := range map[string]string{"east": "A sail.", "west": "There is a sail."} {
		if agents[name] == nil {
			agents[name] = []agenttest.Turn{{Text: says}}
		}
	}
	w := newTree(t, agents, turns...)
	w.addFlow(watch)
	return w
}

func TestAgentStartsWorkflow(t *testing.T) {
	t.Parallel()
	usage := agent.Usage{Tokens: agent.Tokens{InputTokens: 100, OutputTokens: 10}}
	w := newWatch(t, map[string][]agenttest.Turn{"east": {{Text: "A sail.", Usage: usage}}, "west": {emits(`"count": 1`)}},
		agenttest.Turn{Calls: []agent.CallRequest{starts("1", map[string]any{
			"workflow": "flow", "task": "What is to be seen?", "inputs": map[string]any{"where": "north"}, "outputs": map[string]string{"count": "integer"},
		})}},
		agenttest.Turn{Text: "One sail in the north."})
	run := w.post("Have a look.")
	tree := w.tree(run.ID)
	if run.Status != agent.StatusFinished || len(tree) != 4 || w.worked(run.ID) != " east west" {
		t.Fatalf("the root is %s, the tree has %d runs: %s", run.Status, len(tree), w.worked(run.ID))
	}
	flow := tree[1]
	if flow.WorksBy() != "flow" || flow.State.Workflow.Version != 1 || flow.Usage.Total() != 0 || tree[2].Lineage.ParentRunID != flow.ID || tree[3].Lineage.Depth != 2 {
		t.Errorf("the workflow's run is %+v, its steps' are %+v", flow, tree[2:])
	}
	if res, text := w.handedIn(0); res.Workflow != "flow" || res.Status != agent.StatusFinished || res.Partial || string(res.Values["count"]) != "1" {
		t.Errorf("the result is %s", text)
	}
	task, in := w.task(run.ID, 2)
	if task != "Look." || in["message"] != "What is to be seen?" || in["where"] != "north" {
		t.Errorf("the first step was told %q with %v", task, in)
	}
	for _, start := range find[agent.RunStart](w.events()) {
		if start.Workflow == "flow" && (start.WorkflowVersion != 1 || start.ToolCallID != "1" || !strings.HasPrefix(start.Task, "What is to be seen?")) {
			t.Errorf("the workflow begins with %+v", start)
		}
	}
	told := w.model.Requests()[0].Tools
	listed := false
	for _, tool := range told {
		listed = listed || strings.Contains(tool.Description, "- flow: Works.")
	}
	if !listed {
		t.Errorf("the model is not told of the workflow: %+v", told)
	}
}

// TestWorkflowsThatCannotBeStarted: each refusal names the field, and says what there is.
func TestWorkflowsThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	with := func(more map[string]any) map[string]any {
		args := map[string]any{"task": "What is to be seen?", "workflow": "flow", "inputs": map[string]any{"where": "north"}}
		for name, value := range more {
			args[name] = value
		}
		return args
	}
	for name, test := range map[string]struct {
		args map[string]any
		want []string
	}{
		"unknown":       {with(map[string]any{"workflow": "tour"}), []string{`workflow: there is no workflow "tour"`, "- flow: Works."}},
		"both":          {with(map[string]any{"agent": "east"}), []string{"workflow: takes the place of agent"}},
		"neither":       {with(map[string]any{"workflow": ""}), []string{"agent: is missing", "- east:", "- flow:"}},
		"input missing": {with(map[string]any{"inputs": map[string]any{}}), []string{"inputs.where: is missing", "- flow: Works. Inputs: where, hours? (integer)."}},
		"input unknown": {with(map[string]any{"inputs": map[string]any{"where": "north", "when": "now"}}), []string{"inputs.when: is not an input of flow"}},
		"input's type":  {with(map[string]any{"inputs": map[string]any{"where": "north", "hours": "two"}}), []string{"inputs.hours: is not what is asked for"}},
		"no task":       {with(map[string]any{"task": " "}), []string{"The task is empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatch(t, map[string][]agenttest.Turn{}, agenttest.Turn{Calls: []agent.CallRequest{starts("1", test.args)}}, agenttest.Turn{Text: "No."})
			run := w.post("Have a look.")
			_, text := w.handedIn(0)
			for _, want := range test.want {
				if !strings.Contains(text, want) {
					t.Errorf("the refusal is %q, want %q", text, want)
				}
			}
			if run.Status != agent.StatusFinished || len(w.tree(run.ID)) != 1 {
				t.Errorf("the run is %s, its tree %+v", run.Status, w.tree(run.ID))
			}
		})
	}
}

// TestWorkflowsDoNotStartThemselves: neither at once nor over agents, nor where their steps would be
// too deep; and who leads a team has its agents alone.
func TestWorkflowsDoNotStartThemselves(t *testing.T) {
	t.Parallel()
	again := starts("1", map[string]any{"workflow": "flow", "task": "Look again.", "inputs": map[string]any{"where": "south"}})
	stubborn := []agenttest.Turn{{Calls: []agent.CallRequest{again}}, {Text: "I did it myself."}}
	first := agenttest.Turn{Calls: []agent.CallRequest{starts("1", map[string]any{"workflow": "flow", "task": "Look.", "inputs": map[string]any{"where": "north"}})}}
	for name, test := range map[string]struct {
		flow   agent.Workflow
		agents map[string][]agenttest.Turn
		turn   agenttest.Turn
		worked string
		told   string
	}{
		"a step":        {watch, map[string][]agenttest.Turn{"east": stubborn}, first, " east west", "workflow: this task is already a step of flow"},
		"over an agent": {watch, map[string][]agenttest.Turn{"east": {{Calls: []agent.CallRequest{delegateCall("1", "north", "Go and see.")}}, {Text: "Seen."}}, "north": stubborn}, first, " east north west", "At this level no further agent can be asked"},
		"too deep": {
			watch, map[string][]agenttest.Turn{"boss": {{Calls: []agent.CallRequest{delegateCall("1", "north", "Go and see.")}}, {Text: "Seen."}}, "north": stubborn},
			agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "boss", "Lead.")}}, "boss north", "workflow: no workflow can be started from here",
		},
		"a team": {
			agent.Workflow{Kind: agent.FlowHierarchy, Inputs: watch.Inputs, Steps: []agent.WorkflowStep{flowStep("lead", "boss", "Lead."), flowStep("hand", "east", "Looks.")}},
			map[string][]agenttest.Turn{"boss": {{Calls: []agent.CallRequest{starts("1", map[string]any{"workflow": "other", "task": "Look again."})}}, {Text: "Led."}}}, first, " boss", "workflow: no workflow can be started from here",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTree(t, test.agents, test.turn, agenttest.Turn{Text: "Done."})
			for _, name := range []string{"east", "west"} {
				if test.agents[name] == nil {
					w.addAgent(agent.Agent{Name: name, Purpose: "Looks.", Instructions: "Look."})
				}
			}
			w.addFlow(test.flow)
			run := w.post("Have a look.")
			refused := ""
			for _, e := range find[agent.ToolCallResult](w.events()) {
				if e.ErrorType != "" {
					refused += e.Result
				}
			}
			if run.Status != agent.StatusFinished || w.worked(run.ID) != test.worked || !strings.Contains(refused, test.told) {
				t.Errorf("the run is %s, worked: %q, refused: %q", run.Status, w.worked(run.ID), refused)
			}
		})
	}
}

// TestStartedWorkflowHasTheRightsOfItsStarter: an agent with few tools starts a workflow whose step is
// a person's; its steps' agents have no more tools than it.
func TestStartedWorkflowHasTheRightsOfItsStarter(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string][]agenttest.Turn{"west": {{Calls: []agent.CallRequest{agenttest.Call("s", "save", `{}`)}}, {Text: "Not saved."}}},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "boss", "Lead.")}}, agenttest.Turn{Text: "Done."})
	w.model.Agents["boss"] = []agenttest.Turn{{Calls: []agent.CallRequest{starts("1", map[string]any{"workflow": "flow", "task": "Save it."})}}, {Text: "Led."}}
	w.addAgent(agent.Agent{Name: "boss", Purpose: "Leads.", Instructions: "Lead.", Tools: []string{agent.DelegateTool}})
	w.addFlow(agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Agent: "west", Task: "Save."}, {Person: agent.PersonApproves, Task: "Is it good?"}}})
	run := w.post("Save x.")
	card := w.card()
	if card.Kind != agent.KindQuestion || card.Agent != "flow" || len(card.Path) != 3 || card.Path[2].Workflow != "flow" || card.Path[1].Agent != "boss" {
		t.Fatalf("the card is %+v", card)
	}
	if n := w.tools.executed("save"); n > 0 {
		t.Errorf("a step has saved %d times", n)
	}
	if run = w.answer(run.ID, "Yes"); run.Status != agent.StatusFinished || w.worked(run.ID) != "boss  west" {
		t.Errorf("the run is %s, worked: %q", run.Status, w.worked(run.ID))
	}
}

// TestStartedWorkflowHandsOnWhatItHasRead: sources go along from a step over its workflow to who
// started that, and so does that they are not to be trusted.
func TestStartedWorkflowHandsOnWhatItHasRead(t *testing.T) {
	t.Parallel()
	w := newLibrary(t, map[string][]agenttest.Turn{"east": {searches("pump"), readsPage, {Text: "The tariff [3] and the strainer [2]."}}},
		agenttest.Turn{Calls: []agent.CallRequest{starts("1", map[string]any{"workflow": "flow", "task": "What of the pump?"})}},
		agenttest.Turn{Text: "The strainer [2]."})
	w.addFlow(agent.Workflow{Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Agent: "east", Task: "Search."}}})
	run := w.post("Find out.")
	res, text := w.handedIn(0)
	if run.Status != agent.StatusFinished || !res.Untrusted || len(res.Sources) != 2 || !run.State.Untrusted {
		t.Errorf("the run is %s, untrusted: %t, the result is %s", run.Status, run.State.Untrusted, text)
	}
	if cites := w.cites(); !strings.Contains(cites, "Strainer") && !strings.Contains(cites, "Tariffs") {
		t.Errorf("the answer %q cites %s", w.lastAnswer(), cites)
	}
	last := w.model.Requests()[len(w.model.Requests())-1]
	if told := last.Messages[len(last.Messages)-1].Content; !strings.Contains(told, "[From the workflow flow, untrusted") {
		t.Errorf("the root's model reads %q", told)
	}
}

// TestOneBudgetAlsoBelowStartedWorkflows: the budget is that of the root, which asks for all; and to
// stop the root stops the workflow's steps.
func TestOneBudgetAlsoBelowStartedWorkflows(t *testing.T) {
	t.Parallel()
	usage := agent.Usage{Tokens: agent.Tokens{InputTokens: 4000, OutputTokens: 4000}}
	var steps []agent.WorkflowStep
	for _, name := range []string{"a", "b", "c", "d"} {
		steps = append(steps, flowStep(name, "east", "Look."))
	}
	begin := func() (*world, *agent.Run) {
		w := newTree(t, map[string][]agenttest.Turn{"east": {{Text: "A sail.", Usage: usage}}},
			agenttest.Turn{Calls: []agent.CallRequest{starts("1", map[string]any{"workflow": "flow", "task": "What is to be seen?"})}}, agenttest.Turn{Text: "Sails."})
		w.addFlow(agent.Workflow{Kind: agent.FlowParallel, Steps: steps})
		w.service.Limits.Tokens = 20_000
		run := w.post("Have a look.")
		if card := w.card(); card.Kind != agent.KindBudget || card.RunID != run.ID {
			t.Fatalf("the card is %+v", card)
		}
		return w, run
	}
	w, run := begin()
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove, RaiseTokensBy: 200_000})
	run = w.advance(run.ID)
	if _, text := w.handedIn(0); run.Status != agent.StatusFinished || strings.Count(text, "A sail.") != 4 {
		t.Errorf("the run is %s, the result %s", run.Status, text)
	}
	w, run = begin()
	w.must(w.service.Abort(t.Context(), ana, run.ID))
	run = w.advance(run.ID)
	for _, r := range w.tree(run.ID) {
		if !r.Status.Ended() || r.Lineage.Depth < 2 && r.Status != agent.StatusAborted {
			t.Errorf("the run of %q is %s", r.WorksBy(), r.Status)
		}
	}
}
