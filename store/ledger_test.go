package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

func TestSpendDaysFollowTheZone(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	zone, err := time.LoadLocation("Europe/Berlin")
	check(t, err)
	// Around the change of clocks on 29 March 2026: 23:30 and 00:30 local time.
	for i, at := range []time.Time{
		time.Date(2026, 3, 28, 23, 30, 0, 0, zone), time.Date(2026, 3, 29, 0, 30, 0, 0, zone), time.Date(2026, 3, 29, 23, 30, 0, 0, zone),
	} {
		e := agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Steps: []agent.Step{{
			RunID: run.ID, N: i + 1, ConversationID: "c", UserID: "u", Model: fmt.Sprint("m", i%2),
			Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 10, CachedTokens: 4, OutputTokens: 1}}, CostMicros: 100, StartedAt: at, EndedAt: at,
		}}}
		_, err := s.Append(t.Context(), e)
		check(t, err)
	}
	q := agent.SpendQuery{From: time.Date(2026, 3, 1, 0, 0, 0, 0, zone), To: time.Date(2026, 4, 1, 0, 0, 0, 0, zone), Zone: zone, Group: agent.SpendByDay}
	days, err := s.Spend(t.Context(), q)
	check(t, err)
	if len(days) != 2 || days[0].Key != "2026-03-28" || days[0].CostMicros != 100 || days[1].Key != "2026-03-29" || days[1].CostMicros != 200 || days[1].Runs != 0 {
		t.Errorf("days = %+v", days)
	}
	q.Group = agent.SpendByUser
	users, err := s.Spend(t.Context(), q)
	check(t, err)
	if len(users) != 1 || users[0].Key != "ana@example.org" || users[0].InputTokens != 30 || users[0].CachedTokens != 12 {
		t.Errorf("users = %+v", users)
	}
	both, err := s.SpendByDayAndModel(t.Context(), q)
	check(t, err)
	if len(both) != 3 || both[1].Key != "2026-03-29" || both[1].Label != "m0" {
		t.Errorf("by day and model = %+v", both)
	}
}

// TestSpendWhereDaysHaveNoMidnight: in Santiago clocks go from 24:00 to 01:00.
func TestSpendWhereDaysHaveNoMidnight(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	zone, err := time.LoadLocation("America/Santiago")
	check(t, err)
	for i, at := range []time.Time{
		time.Date(2025, 9, 6, 23, 59, 0, 0, zone), time.Date(2025, 9, 7, 1, 0, 0, 0, zone), time.Date(2025, 9, 9, 12, 0, 0, 0, zone),
	} {
		_, err := s.Append(t.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Steps: []agent.Step{{
			RunID: run.ID, N: i + 1, ConversationID: "c", UserID: "u", Model: "m", CostMicros: 1, StartedAt: at, EndedAt: at,
		}}})
		check(t, err)
	}
	days, err := s.Spend(t.Context(), agent.SpendQuery{
		From: time.Date(2025, 9, 1, 0, 0, 0, 0, zone), To: time.Date(2025, 10, 1, 0, 0, 0, 0, zone), Zone: zone, Group: agent.SpendByDay,
	})
	check(t, err)
	var got []string
	for _, d := range days {
		got = append(got, d.Key)
	}
	if strings.Join(got, " ") != "2025-09-06 2025-09-07 2025-09-09" {
		t.Errorf("days: %v", got)
	}
}

// TestLedgerOutlivesTheConversation: what hangs on a conversation goes, the bill stays.
func TestLedgerOutlivesTheConversation(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	end := *run
	end.Status, end.EndedAt = agent.StatusFinished, clock.Now()
	_, err := s.Append(t.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Run: &end, Steps: []agent.Step{{
		RunID: run.ID, N: 1, ConversationID: "c", UserID: "u", Model: "m", CostMicros: 7, StartedAt: clock.Now(), EndedAt: clock.Now(),
	}}})
	check(t, err)
	check(t, s.DeleteConversation(t.Context(), agent.Viewer{UserID: "u", Role: agent.RoleUser}, "c"))
	events, err := s.Events(t.Context(), "c", 0, 10)
	check(t, err)
	rows, err := s.Spend(t.Context(), agent.SpendQuery{From: clock.Now(), To: clock.Now().Add(time.Hour), Group: agent.SpendByConversation})
	check(t, err)
	if len(events) != 0 || len(rows) != 1 || rows[0].CostMicros != 7 {
		t.Errorf("%d events and %+v are left", len(events), rows)
	}
}
