package store_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

func TestMirrorReadsDecisions(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	path := filepath.Join(t.TempDir(), "f.db")
	s := open(t, path, clock, nil)
	run := seed(t, s, clock)
	ctx := t.Context()
	check(t, s.CreateUser(ctx, agent.User{ID: "r", Email: "rex@example.org", Role: agent.RoleReviewer}, "h"))
	db := raw(t, path)
	day := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	decided := func(id, by string, at time.Time, took time.Duration, verb agent.Verb, call string) {
		votes := ""
		if verb == agent.DecideApprove {
			raw, err := json.Marshal([]agent.Vote{{By: by, At: at}})
			check(t, err)
			votes = string(raw)
		}
		_, err := db.ExecContext(ctx, `INSERT INTO approvals
			(id, kind, risk, run_id, conversation_id, tool_call_id, evidence, message, status, generation, requested_at, expires_at, decision, decided_by, decided_at, votes)
			VALUES ($1, 'tool', 'medium', $2, 'c', $3, '{}', '', 'decided', 1, $4, $4, $5, $6, $7, $8)`,
			id, run.ID, call, at.Add(-took).UnixMilli(), verb, by, at.UnixMilli(), votes)
		check(t, err)
	}
	called := func(id, state, rule string) {
		_, err := db.ExecContext(ctx, `INSERT INTO tool_calls (run_id, id, conversation_id, message_id, step, idx, name, args, args_hash, state, rule)
			VALUES ($1, $2, 'c', 'm', 1, 1, 'x', '{}', '', $3, $4)`, run.ID, id, state, rule)
		check(t, err)
	}
	looked := func(approval, user string, opened bool) {
		_, err := db.ExecContext(ctx, `INSERT INTO approval_looks (approval_id, user_id, email, first_at, last_at, opened) VALUES ($1, $2, '', 1, 1, $3)`, approval, user, opened)
		check(t, err)
	}
	decided("a1", "rex@example.org", day, time.Minute, agent.DecideApprove, "call1")
	called("call1", "error", "approval:a1")
	looked("a1", "r", true)
	decided("a2", "rex@example.org", day.Add(time.Hour), time.Second, agent.DecideApprove, "call2")
	called("call2", "error", "rejected") // not this approval let it run
	looked("a2", "r", false)
	looked("a2", "u", true) // somebody else has
	decided("a3", "ana@example.org", day.Add(2*time.Hour), 2*time.Second, agent.DecideAnswer, "")
	decided("a4", "ana@example.org", day.Add(3*time.Hour), time.Minute, agent.DecideReject, "call4") // rex had approved it before
	votes, err := json.Marshal([]agent.Vote{{By: "rex@example.org", At: day.Add(3*time.Hour - 50*time.Second)}})
	check(t, err)
	_, err = db.ExecContext(ctx, `UPDATE approvals SET votes = $1 WHERE id = 'a4'`, votes)
	check(t, err)
	looked("a4", "r", true)
	decided("covered", "rex@example.org", day.Add(4*time.Hour), time.Second, agent.DecideApprove, "call5") // by a decision on another one
	_, err = db.ExecContext(ctx, `UPDATE approvals SET votes = '' WHERE id = 'covered'`)
	check(t, err)
	decided("early", "ana@example.org", day.AddDate(0, 0, -1), time.Second, agent.DecideApprove, "")
	decided("late", "ana@example.org", day.AddDate(0, 0, 1), time.Second, agent.DecideApprove, "")
	decided("time", agent.System, day, time.Hour, agent.DecideReject, "")

	got, err := s.ReviewerDecisions(ctx, day, day.AddDate(0, 0, 1))
	check(t, err)
	want := []agent.ReviewerDecision{
		{By: "rex@example.org", Decision: agent.DecideApprove, RequestedAt: day.Add(-time.Minute), DecidedAt: day, Call: true, Opened: true, Failed: true},
		{By: "rex@example.org", Decision: agent.DecideApprove, RequestedAt: day.Add(time.Hour - time.Second), DecidedAt: day.Add(time.Hour), Call: true},
		{By: "ana@example.org", Decision: agent.DecideAnswer, RequestedAt: day.Add(2*time.Hour - 2*time.Second), DecidedAt: day.Add(2 * time.Hour)},
		{By: "rex@example.org", Decision: agent.DecideApprove, RequestedAt: day.Add(3*time.Hour - time.Minute), DecidedAt: day.Add(3*time.Hour - 50*time.Second), Call: true, Opened: true},
		{By: "ana@example.org", Decision: agent.DecideReject, RequestedAt: day.Add(3*time.Hour - time.Minute), DecidedAt: day.Add(3 * time.Hour), Call: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestMirrorCountsUndone: what was undone counts for who had decided, not for who undid it.
func TestMirrorCountsUndone(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
	day := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	for i, line := range []string{
		"rex approval.decide a1", "ana approval.undo a1", "ana approval.decide a1", "ana approval.undo a1", "zoe approval.undo a2", "rex approval.decide a3",
	} {
		var row agent.AuditRow
		_, err := fmt.Sscan(line, &row.Actor, &row.Action, &row.Target)
		check(t, err)
		row.ID, row.At = fmt.Sprint(i), day
		check(t, s.Audit(t.Context(), row))
	}
	got, err := s.ReviewerUndone(t.Context(), day, day.Add(time.Hour))
	check(t, err)
	if diff := cmp.Diff(map[string]int{"rex": 1, "ana": 1, "zoe": 1}, got); diff != "" {
		t.Error(diff)
	}
	if got, err = s.ReviewerUndone(t.Context(), day.Add(time.Hour), day.AddDate(0, 0, 1)); err != nil || len(got) != 0 {
		t.Errorf("later: %v %v", got, err)
	}
}
