package store_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestPolicyRules: what holds is what was added and neither ran out nor was
// taken back; nothing is forgotten, and the audit log says who did it.
func TestPolicyRules(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	ctx := t.Context()
	ada := agent.Viewer{Email: "ada@example.org", Role: agent.RoleAdmin, Place: "session 192.0.2.7"}
	rule := func(id string) agent.PolicyRule {
		return agent.PolicyRule{
			ID: id, Tool: "run_shell", Args: agent.Pattern{"command": "go test *"}, Who: "role:user", Action: agent.ActionAllow,
			Priority: 5, Reason: "Tests may run.", Source: agent.RuleFromAdmin, CreatedBy: ada.Email, CreatedAt: agent.Stamp(clock),
		}
	}
	short := rule("r1")
	short.ExpiresAt = agent.Stamp(clock).Add(time.Hour)
	check(t, s.AddPolicyRule(ctx, ada, short))
	check(t, s.AddPolicyRule(ctx, ada, rule("r2")))
	check(t, s.ChangePolicyRule(ctx, ada, "r2", rule("r3")))
	in := func(state agent.PolicyState, want ...string) {
		t.Helper()
		items, _, err := s.AllPolicyRules(ctx, state, agent.Page{})
		check(t, err)
		got := []string{}
		for _, r := range items {
			got = append(got, r.ID)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q rules: %v, want %v", state, got, want)
		}
	}
	in(agent.PolicyInForce, "r3", "r1")
	in(agent.PolicyRevoked, "r2")
	clock.Advance(time.Hour)
	in(agent.PolicyInForce, "r3")
	in(agent.PolicyExpired, "r1")
	in("", "r3", "r2", "r1")

	got, err := s.PolicyRule(ctx, "r3")
	check(t, err)
	if got.Args["command"] != "go test *" || got.Who != "role:user" || got.Priority != 5 || got.CreatedBy != ada.Email {
		t.Errorf("stored as %+v", got)
	}
	if err := s.ChangePolicyRule(ctx, ada, "r2", rule("r4")); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a revoked rule was changed: %v", err)
	}
	check(t, s.RevokePolicyRule(ctx, ada, "r3"))
	if err := s.RevokePolicyRule(ctx, ada, "r3"); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("revoked twice: %v", err)
	}
	if err := s.RevokePolicyRule(ctx, ada, "none"); agent.CodeOf(err) != agent.NotFound {
		t.Errorf("revoked what is not there: %v", err)
	}
	if now, err := s.PolicyRules(ctx); err != nil || len(now) != 0 {
		t.Errorf("in force %v, %v", now, err)
	}
	first, next, err := s.AllPolicyRules(ctx, "", agent.Page{Limit: 2})
	check(t, err)
	rest, last, err := s.AllPolicyRules(ctx, "", agent.Page{Limit: 2, Cursor: next})
	check(t, err)
	if len(first) != 2 || len(rest) != 1 || rest[0].ID != "r1" || last != "" {
		t.Errorf("pages %v and %v", first, rest)
	}
	rows, _, err := s.AuditRows(ctx, agent.AuditFilter{}, agent.Page{})
	check(t, err)
	actions := ""
	for _, r := range rows {
		actions += r.Actor + " " + r.Action + " " + r.Target + "\n"
	}
	want := "ada@example.org policy.rule.revoke r3\nada@example.org policy.rule.change r2\nada@example.org policy.rule.add r2\nada@example.org policy.rule.add r1\n"
	if actions != want {
		t.Errorf("audit log\n%s, want\n%s", actions, want)
	}
}

// TestPolicyRulesAreBounded: every call is held against all rules in force.
func TestPolicyRulesAreBounded(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
	ada := agent.Viewer{Email: "ada@example.org", Role: agent.RoleAdmin}
	for i := range agent.MaxPolicyRules {
		check(t, s.AddPolicyRule(t.Context(), ada, agent.PolicyRule{ID: fmt.Sprintf("r%03d", i), Action: agent.ActionAsk}))
	}
	if err := s.AddPolicyRule(t.Context(), ada, agent.PolicyRule{ID: "s", Action: agent.ActionAsk}); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("one too many: %v", err)
	}
	check(t, s.ChangePolicyRule(t.Context(), ada, "r000", agent.PolicyRule{ID: "t", Action: agent.ActionDeny}))
}
