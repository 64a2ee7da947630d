package looptest

import (
	"fmt"
	"testing"

	"fusebox/agent"
)

// TestStandingRulesAreBounded: approvals for good end where the bound of rules is
// reached, as those of admins do; the approval waits on.
func TestStandingRulesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shell("ls"))
	for i := range agent.MaxPolicyRules {
		w.must(w.store.AddPolicyRule(t.Context(), rex, agent.PolicyRule{ID: fmt.Sprintf("rule%04d", i), Tool: "other", Action: agent.ActionAsk}))
	}
	run := w.post("look")
	card := w.card()
	wantError(t, w.tryDecide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeAlways}), agent.Invalid, "Revoke one first")
	if n := len(w.cardsOf(run.ID)); n != 1 || w.card().ID != card.ID {
		t.Errorf("%d cards", n)
	}
	w.decide(rex, card.ID, approve)
	if now := w.advance(run.ID); now.Status != agent.StatusFinished || w.tools.executed("run_shell") != 1 {
		t.Errorf("run %s", now.Status)
	}
}
