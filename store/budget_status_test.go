package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
	"fusebox/store/storetest"
)

// TestBudgetStandings: the current window of the instance's zone counts and no
// other, the fullest account stands first, a budget nobody has used stands too,
// and of the runs only those that continue.
func TestBudgetStandings(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/New_York")
	check(t, err)
	clock := agenttest.NewClock() // 2 March 2026 09:00 UTC
	s, err := store.Open(t.Context(), store.Options{Path: storetest.Migrated(t, filepath.Join(t.TempDir(), "f.db")), Clock: clock, NewID: agenttest.IDs(), Zone: zone})
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	run := seed(t, s, clock)
	each, unused, runs := budget("b1"), budget("b2"), budget("b3")
	each.Who = agent.WhoUser
	runs.Who, runs.Span = agent.WhoRun, agent.SpanRun
	for _, b := range []agent.Budget{each, unused, runs} {
		check(t, s.AddBudget(t.Context(), ada, b))
	}
	march := time.Date(2026, 3, 1, 0, 0, 0, 0, zone)
	check(t, s.AddAccount("b1", "ben", march, 10, 100))
	check(t, s.AddAccount("b1", "ana", march, 20, 200))
	check(t, s.AddAccount("b1", "old", march.AddDate(0, -1, 0), 30, 300))
	check(t, s.AddAccount("b3", run.ID, time.Time{}, 40, 400))
	check(t, s.AddAccount("b3", "over", time.Time{}, 50, 500))

	all, err := s.BudgetStatuses(t.Context())
	check(t, err)
	want := []struct {
		id, of string
		micros int64
	}{{"b1", "ana", 200}, {"b1", "ben", 100}, {"b2", "", 0}, {"b3", run.ID, 400}}
	if len(all) != len(want) {
		t.Fatalf("%d standings: %+v", len(all), all)
	}
	for i, w := range want {
		if st := all[i]; st.ID != w.id || st.Of != w.of || st.UsedMicros != w.micros {
			t.Errorf("standing %d: budget %s of %q used %d, want %+v", i, st.ID, st.Of, st.UsedMicros, w)
		}
	}
	april := time.Date(2026, 4, 1, 0, 0, 0, 0, zone)
	if !all[0].StartsAt.Equal(march) || !all[0].EndsAt.Equal(april) || !all[3].EndsAt.IsZero() {
		t.Errorf("windows: %v to %v, run %v", all[0].StartsAt, all[0].EndsAt, all[3].EndsAt)
	}
}

// TestBudgetStandingsOf: users see the budgets that limit them, with their
// own figures; what was used before an account is opened counts.
func TestBudgetStandingsOf(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	group := "Research"
	check(t, s.PatchUser(t.Context(), "u", agent.UserPatch{Group: &group}))
	step := agent.Step{
		RunID: run.ID, N: 1, Kind: agent.StepAnswer, ConversationID: "c", UserID: "u", Model: "demo", CostMicros: 700,
		Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 60, OutputTokens: 10}}, StartedAt: clock.Now(), EndedAt: clock.Now(),
	}
	_, err := s.Append(t.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Steps: []agent.Step{step}})
	check(t, err)
	all, each, other, own, others := budget("b1"), budget("b2"), budget("b3"), budget("b4"), budget("b5")
	each.Who, other.Who, own.Who, others.Who = agent.WhoUser, agent.WhoGroup, agent.WhoGroup, agent.WhoConversation
	other.Subject, own.Subject = "Sales", group
	for _, b := range []agent.Budget{all, each, other, own, others} {
		check(t, s.AddBudget(t.Context(), ada, b))
	}
	check(t, s.AddAccount("b2", "u", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 90, 900))
	got, err := s.BudgetStatusesOf(t.Context(), "u")
	check(t, err)
	want := map[string]int64{"b1": 700, "b2": 900, "b4": 700, "b5": 0}
	if len(got) != len(want) {
		t.Fatalf("%d standings: %+v", len(got), got)
	}
	for _, st := range got {
		if micros, ok := want[st.ID]; !ok || st.UsedMicros != micros {
			t.Errorf("budget %s of %q: %d used, want %d", st.ID, st.Of, st.UsedMicros, micros)
		}
	}
}
