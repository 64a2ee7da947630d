package store_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

var ada = agent.Viewer{UserID: "a", Email: "ada@example.org", Role: agent.RoleAdmin, Place: "session 192.0.2.7"}

func budget(id string) agent.Budget {
	return agent.Budget{
		ID: id, Who: agent.WhoEverybody, Span: agent.SpanMonth, LimitMicros: 10_000_000, AtLimit: agent.LimitPause,
		CreatedBy: ada.Email, CreatedAt: agent.Stamp(agenttest.NewClock()),
	}
}

// TestBudgets: what holds is what was added and not ended, once for the same
// people and window; the audit log keeps what stood before.
func TestBudgets(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
	ctx := t.Context()
	check(t, s.AddBudget(ctx, ada, budget("b1")))
	if err := s.AddBudget(ctx, ada, budget("b2")); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("the same budget twice: %v", err)
	}
	day := budget("b3")
	day.Span = agent.SpanDay
	check(t, s.AddBudget(ctx, ada, day))

	change := budget("b1")
	change.Who, change.LimitMicros, change.LimitTokens = agent.WhoUser, 0, 5000 // whom it bounds stays
	check(t, s.ChangeBudget(ctx, ada, budget("b1"), change))
	if err := s.ChangeBudget(ctx, ada, budget("b1"), budget("b1")); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("changed over another's change: %v", err)
	}
	got, err := s.Budget(ctx, "b1")
	check(t, err)
	if got.Who != agent.WhoEverybody || got.LimitTokens != 5000 || got.LimitMicros != 0 {
		t.Errorf("changed to %+v", got)
	}
	check(t, s.EndBudget(ctx, ada, "b1"))
	for name, err := range map[string]error{
		"ended twice": s.EndBudget(ctx, ada, "b1"), "changed after its end": s.ChangeBudget(ctx, ada, change, change), "ended unknown": s.EndBudget(ctx, ada, "x"),
	} {
		if agent.CodeOf(err) != agent.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	check(t, s.AddBudget(ctx, ada, budget("b4"))) // the place is free again
	all, err := s.Budgets(ctx)
	check(t, err)
	if len(all) != 2 || all[0].ID != "b3" || all[1].ID != "b4" {
		t.Errorf("budgets that hold: %+v", all)
	}
	rows, _, err := s.AuditRows(ctx, agent.AuditFilter{Action: "budget.change"}, agent.Page{})
	check(t, err)
	if len(rows) != 1 || rows[0].Place != ada.Place || !strings.Contains(rows[0].Detail, "10000000") || !strings.Contains(rows[0].Detail, "5000") {
		t.Errorf("audited as %+v", rows)
	}
}

// TestBudgetOfNobody: a budget of one user needs the user; a group may get its people later.
func TestBudgetOfNobody(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
	b := budget("b1")
	b.Who, b.Subject = agent.WhoUser, "nobody"
	err := s.AddBudget(t.Context(), ada, b)
	if agent.CodeOf(err) != agent.Invalid || !strings.Contains(agent.MessageOf(err), "account") {
		t.Errorf("a budget of nobody: %v", err)
	}
	b.Who, b.Subject = agent.WhoGroup, "research"
	check(t, s.AddBudget(t.Context(), ada, b))
}

// TestBudgetsAreBounded: every call is held against all of them.
func TestBudgetsAreBounded(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
	var err error
	for i := range agent.MaxBudgets + 1 {
		b := budget(strings.Repeat("x", i+1))
		b.Who, b.Subject = agent.WhoGroup, b.ID
		if err != nil {
			t.Fatalf("the %d. budget: %v", i, err)
		}
		err = s.AddBudget(t.Context(), ada, b)
	}
	if agent.CodeOf(err) != agent.Conflict {
		t.Errorf("one too many: %v", err)
	}
}

// TestBudgetChangesAreLookedAt: who waits for a budget looks again as soon as it
// is changed, and so does who comes into another group.
func TestBudgetChangesAreLookedAt(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	check(t, s.AddBudget(t.Context(), ada, budget("b1")))
	for _, a := range []agent.Approval{{ID: "a1", BudgetID: "b1"}, {ID: "a2", BudgetID: "other"}} {
		a.Kind, a.RunID, a.ConversationID, a.Status, a.RequestedAt = agent.KindBudget, run.ID, "c", agent.ApprovalPending, clock.Now()
		a.RefillAt = clock.Now().Add(24 * time.Hour)
		_, err := s.Append(t.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Approvals: []agent.ApprovalChange{{Approval: a}}})
		check(t, err)
	}
	due := func(id string) bool {
		a, err := s.Approval(t.Context(), ada, id)
		check(t, err)
		return !a.RefillAt.After(clock.Now())
	}
	if due("a1") || due("a2") {
		t.Fatal("due before anything changed")
	}
	check(t, s.ChangeBudget(t.Context(), ada, budget("b1"), budget("b1")))
	if !due("a1") || due("a2") {
		t.Errorf("after the change: due %t, the other's %t", due("a1"), due("a2"))
	}
	group := "Research"
	check(t, s.PatchUser(t.Context(), "u", agent.UserPatch{Group: &group}))
	if !due("a2") {
		t.Error("a new group changes nothing for a run that waits")
	}
}
