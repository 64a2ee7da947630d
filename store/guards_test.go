package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestGuardSettingsAreKept: numbers, switches and rules stand after a change,
// are undone by an empty one, and each change is a line of the audit log.
func TestGuardSettingsAreKept(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
	ctx := t.Context()
	check(t, s.SetGuardNumber(ctx, "a@example.org", "guard.critical", agent.GuardOverride{Value: "6", Most: "9"}))
	check(t, s.SetGuardNumber(ctx, "a@example.org", "guard.critical", agent.GuardOverride{Value: "7", Most: "9"}))
	check(t, s.SetGuardNumber(ctx, "a@example.org", "guard.breaker", agent.GuardOverride{Value: "12"}))
	check(t, s.SetGuardNumber(ctx, "a@example.org", "guard.breaker", agent.GuardOverride{}))
	check(t, s.SetGuardSwitch(ctx, "a@example.org", "cycle", false))
	check(t, s.SaveRule(ctx, agent.GuardRule{ID: "r1", ToolRule: agent.ToolRule{Tool: "job", Polling: true}, Actor: "a@example.org"}))
	check(t, s.SaveRule(ctx, agent.GuardRule{ID: "r2", ToolRule: agent.ToolRule{Tool: "job", Volatile: []string{"at"}}, Actor: "a@example.org"}))
	c, err := s.GuardConfig(ctx)
	check(t, err)
	if len(c.Numbers) != 1 || c.Numbers["guard.critical"] != (agent.GuardOverride{Value: "7", Most: "9"}) || c.Switches["cycle"] {
		t.Errorf("config %+v", c)
	}
	if len(c.Rules) != 1 || c.Rules[0].Polling || len(c.Rules[0].Volatile) != 1 {
		t.Errorf("rules %+v, want the second alone", c.Rules)
	}
	base := agent.DefaultGuardSettings()
	if e := c.Effective(base, map[string]string{"guard.critical": "9", "guard.warning": "6"}); e.Critical != 9 || e.Warning != base.Warning || e.Off[0] != "cycle" {
		t.Errorf("a conversation got critical %d, warning %d, off %v", e.Critical, e.Warning, e.Off)
	}
	check(t, s.DismissRule(ctx, "a@example.org", "r2"))
	if err := s.DismissRule(ctx, "a@example.org", "r2"); agent.CodeOf(err) != agent.NotFound {
		t.Errorf("dismissed twice: %v", err)
	}
	rows, _, err := s.AuditRows(ctx, agent.AuditFilter{}, agent.Page{})
	check(t, err)
	if len(rows) != 8 {
		t.Errorf("%d lines in the audit log, want 8", len(rows))
	}
}

// TestStatsCountWhatEnded: warnings and pauses are counted; tokens, and what
// was saved, only of the streak that ended a run.
func TestStatsCountWhatEnded(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	verdict := func(id, level string, off bool) agent.VerdictRecord {
		return agent.VerdictRecord{
			ID: id, RunID: run.ID, ConversationID: "c", Detector: "cycle", Level: level, Off: off, Count: 4, Calls: []int{1, 2},
			Tokens: 10, SavedTokens: 100, At: clock.Now(),
		}
	}
	done := *run
	done.Status, done.StopReason = agent.StatusStopped, agent.StopLoop
	_, err := s.Append(t.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Run: &done, Verdicts: []agent.VerdictRecord{
		verdict("1", "warning", false), verdict("2", "critical", false), verdict("3", "breaker", false), verdict("4", "critical", true), verdict("5", "pass", false),
	}})
	check(t, err)
	stats, err := s.GuardStats(t.Context(), clock.Now().Add(-time.Hour), clock.Now().Add(time.Hour))
	check(t, err)
	want := agent.GuardStat{Detector: "cycle", Warnings: 1, Pauses: 1, Stops: 1, Off: 1, Tokens: 10, SavedTokens: 100}
	if len(stats) != 1 || stats[0] != want {
		t.Errorf("stats %+v", stats)
	}
	for _, span := range [][2]time.Duration{{1, 2}, {-2, 0}} { // the moment itself is the first of a span, and not its end
		stats, err = s.GuardStats(t.Context(), clock.Now().Add(span[0]*time.Hour), clock.Now().Add(span[1]*time.Hour))
		if err != nil || len(stats) != 0 {
			t.Errorf("stats of another time: %v, %v", stats, err)
		}
	}
	rows, err := s.Verdicts(t.Context(), run.ID)
	check(t, err)
	if len(rows) != 5 || len(rows[1].Calls) != 2 {
		t.Errorf("trace %+v", rows)
	}
}

// TestNoLoopIsSaidOnce: the mark on an approval and its proposal are one change.
func TestNoLoopIsSaidOnce(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	card := agent.Approval{ID: "a", Kind: agent.KindLoop, RunID: run.ID, ConversationID: "c", Status: agent.ApprovalPending, Generation: 1, Evidence: []byte(`{}`)}
	_, err := s.Append(t.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Approvals: []agent.ApprovalChange{{Approval: card}}})
	check(t, err)
	rule := agent.GuardRule{ID: "r", ToolRule: agent.ToolRule{Tool: "job", Polling: true}, State: agent.RuleProposed, ApprovalID: "a", Actor: "x@example.org"}
	if err := s.ProposeRule(t.Context(), rule); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a pending card was called no loop: %v", err)
	}
	card.Status, card.Decision, card.N = agent.ApprovalDecided, agent.DecideResume, 7
	decided, err := s.ChangeApproval(t.Context(), agent.ApprovalUpdate{To: card, Frees: true})
	check(t, err)
	if decided.N != 7 {
		t.Errorf("allowed %d more, want 7", decided.N)
	}
	check(t, s.ProposeRule(t.Context(), rule))
	if err := s.ProposeRule(t.Context(), rule); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("it was said twice: %v", err)
	}
	rules, err := s.GuardRules(t.Context())
	check(t, err)
	if len(rules) != 1 || rules[0].State != agent.RuleProposed || !rules[0].Polling || rules[0].ApprovalID != "a" {
		t.Errorf("rules %+v", rules)
	}
	if c, err := s.GuardConfig(t.Context()); err != nil || len(c.Rules) != 0 {
		t.Errorf("a proposal is in force: %+v, %v", c.Rules, err)
	}
}
