package present

import (
	"strings"
	"testing"

	"fusebox/agent"
)

// flowScript is a log in which a workflow has a step made, a person asked, and ends.
func flowScript() *script {
	s := newScript()
	s.said("root", "u1", "Write")
	s.add("root", 0, agent.RunStart{Model: "demo", Limits: agent.Limits{Steps: 50, CostMicros: 500_000}, Workflow: "article", WorkflowVersion: 2, TakenOver: []string{"old"}})
	facts, check := handsOver("s0-r1-t1-x", "scout", "Look"), agent.CallRequest{ID: "s1-r1-t1-x", Name: agent.AskUserTool, Arguments: `{"question":"Right?"}`}
	s.add("root", 1, agent.StepStart{MessageID: "m1"}, answered("m1", "Step facts", facts), small)
	s.add("root", 1, callStates(facts.ID, agent.CallValidating, agent.CallScheduled, agent.CallExecuting)...)
	s.spawned("root", facts.ID, "w1", "scout", "Look")
	s.add("root", 1, agent.RunPaused{Children: []string{"w1"}})
	s.below("root", "w1", 1, agent.StepStart{MessageID: "m2"}, answered("m2", "A sail"), small, agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal})
	s.add("root", 1, callStates(facts.ID, agent.CallSuccess)...)
	s.add("root", 1, agent.ToolCallResult{ToolCallID: facts.ID, Result: `{"runId":"w1","status":"finished","answer":"A sail"}`})
	s.add("root", 2, agent.StepStart{MessageID: "m3"}, answered("m3", "Step check", check))
	s.add("root", 2, callStates(check.ID, agent.CallValidating, agent.CallAwaiting)...)
	s.add("root", 2, agent.Finish{Status: agent.StatusAborted, StopReason: agent.StopUserAbort})
	return s
}

func foldFlows() *Presenter {
	p := foldTree()
	p.Flows = func(name string, version int) (agent.Workflow, func(string) int64, bool) {
		return agent.Workflow{Name: name, Version: version, Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{
			{Name: "facts", Agent: "scout", Task: "Look."}, {Name: "check", Person: agent.PersonApproves, Task: "Right?"},
			{Name: "draft", Agent: "scribe", Task: "Write."}, {Name: "old", Agent: "scout", Task: "Look.", Needs: []string{}},
		}}, func(string) int64 { return 0 }, name == "article"
	}
	return p
}

// TestFlowLiveEqualsReload: the steps of a workflow on a page that was open all the time are those of
// one that is loaded now, at every point of the log.
func TestFlowLiveEqualsReload(t *testing.T) {
	t.Parallel()
	liveEqualsReload(t, flowScript().events, foldFlows)
	reconnectsAnywhere(t, flowScript().events, foldFlows)
}

// TestFlowSaysHowStepsStand: each step has its state, what it waits for, and its cost.
func TestFlowSaysHowStepsStand(t *testing.T) {
	t.Parallel()
	page := func(until func(agent.Event) bool, tokensOnly bool) string {
		p := foldFlows()
		p.TokensOnly = tokensOnly
		for _, e := range flowScript().events {
			if p.Replay(agent.Transcript{Events: []agent.Event{e}, From: 1}, e.Seq); until(e) {
				break
			}
		}
		return shown(t, p)
	}
	checkPage(t, page(pauses("root"), false), []string{`id="flow-root"`, `class="plan-step flow-running"`, "waits for facts", "waits for check", "reused from an earlier run", "at most $0.50", `href="/runs/w1"`}, []string{"flow-failed"})
	asks := func(e agent.Event) bool {
		d, is := e.Data.(agent.ToolCallStateEvent)
		return is && d.State == agent.CallAwaiting
	}
	checkPage(t, page(asks, false), []string{`class="plan-step flow-done"`, `class="plan-step flow-awaiting_person"`, "$0.02"}, []string{"flow-running"})
	checkPage(t, page(ends("root"), false), []string{"flow-stopped", "flow-skipped", "2 of 4 done"}, []string{"at most"})
	if hidden := page(ends("root"), true); strings.Contains(hidden, "flow-cost") {
		t.Error("money is shown to who is not to see it")
	}
}
