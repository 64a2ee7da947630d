package looptest

import (
	"context"
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
	w.advance(run.ID)
	if next := w.card(); next.ID != sibling.ID || next.Risk != agent.RiskCritical {
		t.Errorf("asked about %s with %s risk", next.ToolCallID, next.Risk)
	}
	w.decide(rex, sibling.ID, approves()) // which ana has let run as what it was then
	if now := w.advance(run.ID); now.Status != agent.StatusFinished || w.tools.executed("mark") != 2 || w.tools.executed("save") != 1 {
		t.Errorf("run %s, executed %v", now.Status, w.tools.runs)
	}
	w.soundHistory()
}

// TestApprovalOfALesserRisk: a call that is graver when it is to run than the approval
// on which it was let continue is asked about by itself.
func TestApprovalOfALesserRisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, again("run_shell", `{"command":"ls"}`)...)
	yolo, asks := agent.ModeYolo, agent.ModeDefault
	set := func(mode *agent.ApprovalMode) {
		_, err := w.store.UpdateConversation(t.Context(), ana, "c", agent.ConversationPatch{ApprovalMode: mode})
		w.must(err)
	}
	set(&yolo)
	run := w.post("look")
	held := w.card()
	if held.Kind != agent.KindLoop || held.Risk != agent.RiskMedium {
		t.Fatalf("asked is %+v", held)
	}
	before := w.tools.executed("run_shell")
	set(&asks)
	w.decide(ana, held.ID, resume(agent.ResumePlain, 0))
	w.advance(run.ID)
	card := w.card()
	if card.Kind != agent.KindTool || card.Risk != agent.RiskHigh || card.ToolCallID != held.ToolCallID || w.tools.executed("run_shell") != before {
		t.Fatalf("asked is %+v, executed %d times", card, w.tools.executed("run_shell")-before)
	}
	w.decide(rex, card.ID, approves())
	w.advance(run.ID)
	if n := w.tools.executed("run_shell") - before; n != 1 {
		t.Errorf("executed %d times", n)
	}
}

// TestCriticalAgainNeedsTwo: to run what is critical once more takes as many
// people as to run it at all.
func TestCriticalAgainNeedsTwo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("rm -rf build"))
	w.addPeople(ria)
	tries := 0
	w.tools.do["run_shell"] = func(context.Context, agent.ToolInput) agent.ToolResult {
		if tries++; tries == 1 {
			return agent.ToolResult{ErrorType: agent.ErrTimeout}
		}
		return agent.ToolResult{Content: "gone"}
	}
	run := w.post("clean up")
	for _, v := range []agent.Viewer{rex, ria} {
		w.decide(v, w.card().ID, approve)
	}
	w.advance(run.ID)
	doubt := w.card()
	if doubt.Kind != agent.KindOutcome || doubt.Risk != agent.RiskCritical || doubt.Needs != 2 {
		t.Errorf("asked is a card of kind %s and %s risk that needs %d", doubt.Kind, doubt.Risk, doubt.Needs)
	}
	w.decide(rex, doubt.ID, approve)
	if w.advance(run.ID); tries != 1 {
		t.Fatal("one person alone had it run again")
	}
	w.decide(ria, doubt.ID, approve)
	if now := w.advance(run.ID); now.Status != agent.StatusFinished || tries != 2 {
		t.Errorf("run %s after %d tries", now.Status, tries)
	}
}

// TestEditIsWhatItIs: the approval of edited arguments says how grave these are, also
// where nobody else is there to approve them, and they cover no more than that.
func TestEditIsWhatItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("ls"), shell("rm -r a"))
	run := w.post("clean up")
	card := w.card()
	edit := editTo(`{"command":"rm -rf build"}`)
	edit.Scope = agent.ScopeRun
	wantError(t, w.tryDecide(rex, card.ID, edit), agent.Invalid, "scope")
	edit.Scope = agent.ScopeOnce
	w.decide(rex, card.ID, edit)
	if now := w.approval(card.ID); now.Status != agent.ApprovalDecided || now.Risk != agent.RiskCritical {
		t.Errorf("the card is %s, of %s risk", now.Status, now.Risk)
	}
	w.advance(run.ID)
	if n := w.tools.executed("run_shell"); n != 1 {
		t.Errorf("executed %d times", n)
	}
}
