package agent_test

import (
	"testing"

	"fusebox/agent"
)

// TestScopeCoversTheRiskOfNow: a call that a scope let pass, and that waited for
// its siblings, is asked about where it is graver by now than what was approved.
func TestScopeCoversTheRiskOfNow(t *testing.T) {
	t.Parallel()
	p := &ruled{}
	w, _ := dictatedWorld(t, func(w *world) {
		p.Policy = w.runner.Loop.Policy
		w.runner.Loop.Policy = p
	})
	call := func(id, tool, args string) agent.CallRequest {
		return agent.CallRequest{ID: id, Name: tool, Arguments: args}
	}
	run := w.post(message(
		[]agent.CallRequest{call("a", "mark", `{"x":1}`)},
		[]agent.CallRequest{call("b", "mark", `{"x":3}`), call("c", "save", `{"x":2}`)},
	))
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeRun})
	w.advance(run.ID)
	sibling := w.card()
	p.risk = agent.RiskCritical
	w.decide(ana, sibling.ID, approves())
	w.advance(run.ID)
	again := w.card()
	if again.ToolCallID != "b" || again.Risk != agent.RiskCritical || w.tools.executed("mark") != 1 {
		t.Fatalf("%s waits with %s risk, marked %d times", again.ToolCallID, again.Risk, w.tools.executed("mark"))
	}
	w.decide(rex, again.ID, approves())
	if now := w.advance(run.ID); now.Status != agent.StatusFinished || w.tools.executed("mark") != 2 || w.tools.executed("save") != 1 {
		t.Errorf("run %s, executed %v", now.Status, w.tools.runs)
	}
	w.soundHistory()
}
