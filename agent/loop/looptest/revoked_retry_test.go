package looptest

import (
	"testing"

	"fusebox/agent"
)

// TestApprovedAgainAfterRevoking: a call whose approval was taken back before it
// ran is asked about again, and runs once that is approved.
func TestApprovedAgainAfterRevoking(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, nil)
	run, card := markOnce(w, `{"x":1}`)
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeRun})
	_, err := w.service.Revoke(t.Context(), ana, card.ID)
	w.must(err)
	w.advance(run.ID)
	again := w.card()
	if w.tools.executed("mark") != 0 || again.ID != card.ID || again.Generation != 2 || !again.RevokedAt.IsZero() || again.RevokedBy != "" {
		t.Fatalf("asked again: %+v", again)
	}
	w.decide(rex, again.ID, approves())
	if now := w.advance(run.ID); now.Status != agent.StatusFinished || w.tools.executed("mark") != 1 {
		t.Errorf("run %s, executed %d times; its card is of generation %d", now.Status, w.tools.executed("mark"), w.cardsOf(run.ID)[0].Generation)
	}
}
