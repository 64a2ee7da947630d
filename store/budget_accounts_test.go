package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

// TestYesterdaysAccountOpenedLate: a call of yesterday that settles after one of
// today opens yesterday's account, of a budget that is newer than the call, with
// what yesterday's calls took.
func TestYesterdaysAccountOpenedLate(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	path := filepath.Join(t.TempDir(), "f.db")
	s := open(t, path, clock, nil)
	first := seed(t, s, clock)
	second := secondRun(t, s, clock)
	early := reserved(t, s, first)
	clock.Advance(20 * time.Hour)
	b := budget("b")
	b.Span = agent.SpanDay
	check(t, s.AddBudget(t.Context(), ada, b))
	late := reserved(t, s, second)
	settled(t, s, clock, second, late)
	settled(t, s, clock, first, early)
	if _, err := store.CheckLedger(t.Context(), path, time.UTC); err != nil {
		t.Error(err)
	}
}

// TestNewBudgetCountsCallsUnderWay: what a call holds that began before a budget
// came up is not given to others.
func TestNewBudgetCountsCallsUnderWay(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	first := seed(t, s, clock)
	second := secondRun(t, s, clock)
	reserved(t, s, first)
	b := budget("b")
	b.LimitMicros, b.LimitTokens = 0, 1500 // for one of the two
	check(t, s.AddBudget(t.Context(), ada, b))
	if _, err := s.Reserve(t.Context(), thousand(second)); err == nil {
		t.Error("two calls of 1000 tokens are under way within 1500")
	}
}

// secondRun is another run of the same person.
func secondRun(t *testing.T, s *store.Store, clock agent.Clock) *agent.Run {
	t.Helper()
	check(t, s.CreateConversation(t.Context(), agent.Conversation{ID: "d", OwnerID: "u", ApprovalMode: agent.ModeDefault, CreatedAt: clock.Now(), UpdatedAt: clock.Now()}))
	_, err := s.Enqueue(t.Context(), agent.NewMessage{ConversationID: "d", UserID: "u", MessageID: "m2", RunID: "r2", Content: "q", Model: "demo"})
	check(t, err)
	run, err := s.Claim(t.Context(), "p", 100*time.Hour)
	check(t, err)
	return run
}

// thousand asks for a call of 1000 tokens.
func thousand(run *agent.Run) agent.ReservationRequest {
	return agent.ReservationRequest{RunID: run.ID, Epoch: run.Epoch, Step: 1, Model: "demo", Prompt: 900, MinOutput: 100, WantOutput: 100, Price: historyPrice, Priced: true}
}

func reserved(t *testing.T, s *store.Store, run *agent.Run) agent.Reservation {
	t.Helper()
	room, err := s.Reserve(t.Context(), thousand(run))
	check(t, err)
	return room
}

// settled ends a run's call with all that it held.
func settled(t *testing.T, s *store.Store, clock agent.Clock, run *agent.Run, room agent.Reservation) {
	t.Helper()
	usage := agent.Usage{Tokens: agent.Tokens{InputTokens: 900, OutputTokens: 100}}
	r := *run
	r.Steps, r.Usage, r.CostMicros = 1, usage, historyPrice.Cost(usage)
	_, err := s.Append(t.Context(), agent.Change{ConversationID: r.ConversationID, RunID: r.ID, Epoch: r.Epoch, Run: &r, Steps: []agent.Step{{
		RunID: r.ID, N: 1, ConversationID: r.ConversationID, UserID: "u", Model: "demo", Usage: usage, CostMicros: r.CostMicros,
		StartedAt: room.At, EndedAt: agent.Stamp(clock),
	}}})
	check(t, err)
}

// TestRaiseWakesItsOwnOnly: a run that waits for its own budget is not woken because
// another one's was raised.
func TestRaiseWakesItsOwnOnly(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	e := agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, LimitIncreases: []agent.LimitIncrease{{BudgetAccount: agent.BudgetAccount{BudgetID: "b", Subject: `u"1`}, Tokens: 5}}}
	for id, subject := range map[string]string{"a1": `u\"1`, "a2": `u\"2`} {
		e.Approvals = append(e.Approvals, agent.ApprovalChange{Approval: agent.Approval{
			ID: id, Kind: agent.KindBudget, RunID: run.ID, ConversationID: "c", BudgetID: "b", Evidence: []byte(`{"budgetId":"b","subject":"` + subject + `"}`),
			Status: agent.ApprovalPending, Generation: 1,
		}})
	}
	_, err := s.Append(t.Context(), e)
	check(t, err)
	cards, err := s.Refilled(t.Context(), clock.Now(), 10)
	check(t, err)
	if len(cards) != 1 || cards[0].ID != "a1" {
		t.Errorf("%d cards look again", len(cards))
	}
}
