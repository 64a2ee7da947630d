package store_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// BenchmarkReserveAndSettle is what budgets add to a model call: the reservation
// and the settlement with none, and with nine in scope.
func BenchmarkReserveAndSettle(b *testing.B) {
	for _, budgets := range []int{0, 9} {
		b.Run(fmt.Sprint(budgets, " budgets"), func(b *testing.B) {
			clock := agenttest.NewClock()
			s := open(b, filepath.Join(b.TempDir(), "f.db"), clock, nil)
			run := seed(b, s, clock)
			admin := agent.Viewer{Email: "ria@example.org", Role: agent.RoleAdmin}
			for i := range budgets {
				check(b, s.AddBudget(b.Context(), admin, agent.Budget{
					ID: fmt.Sprint("b", i), Who: []agent.BudgetWho{agent.WhoEverybody, agent.WhoUser, agent.WhoConversation}[i/3],
					Span: []agent.BudgetSpan{agent.SpanDay, agent.SpanWeek, agent.SpanMonth}[i%3], LimitTokens: 1 << 49, AtLimit: agent.LimitPause,
				}))
			}
			n := 0
			for b.Loop() {
				n++
				_, err := s.Reserve(b.Context(), agent.ReservationRequest{RunID: run.ID, Epoch: run.Epoch, Step: n, Prompt: 500, MinOutput: 1, WantOutput: 1, Priced: true})
				check(b, err)
				_, err = s.Append(b.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Steps: []agent.Step{{
					RunID: run.ID, N: n, ConversationID: "c", UserID: "u", Model: "m", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 1}}, StartedAt: clock.Now(), EndedAt: clock.Now(),
				}}})
				check(b, err)
			}
		})
	}
}
