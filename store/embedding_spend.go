package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// FitEmbedding answers with an *agent.InsufficientBudget where a call that no run makes does
// not fit the budgets of a person, of their group, or of everybody. Nothing is reserved: calls
// that are made one after the other exceed a budget by one of them at most.
func (s *Ledger) FitEmbedding(ctx context.Context, userID string, call agent.ReservationRequest) error {
	var short *agent.InsufficientBudget
	err := s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		who, err := personOf(t, userID)
		if err != nil {
			return err
		}
		budgets, err := s.sharedBudgets(t, who, agent.Stamp(t.Clock))
		if err == nil {
			_, short = call.Fit(budgets)
		}
		return err // accounts that were opened stay
	})
	if err == nil && short != nil {
		err = short
	}
	return err
}

// personOf is a spender without a run. NotFound where there is no such account.
func personOf(t *sqlite.Tx, userID string) (who spender, err error) {
	who.run.UserID = userID
	err = t.Row(`SELECT group_name FROM users WHERE id = $1`, userID).Scan(&who.group)
	return who, sqlite.NotFound(err, "There is no such account.")
}

// bookEmbedding writes the line of the bill of a call that no run has made. One that took
// nothing has none.
func (c *core) bookEmbedding(t *sqlite.Tx, call agent.Step) error {
	if call.Usage.Total() == 0 {
		return nil
	}
	who, err := personOf(t, call.UserID)
	var budgets []agent.BudgetStatus
	switch {
	case agent.CodeOf(err) == agent.NotFound: // it was paid all the same, and counts for no budget of theirs
	case err != nil:
		return err
	default:
		if budgets, err = c.sharedBudgets(t, who, call.StartedAt); err != nil {
			return err
		}
	}
	if err := t.Row(`SELECT COALESCE(MAX(step), 0) + 1 FROM usage WHERE run_id = ''`).Scan(&call.N); err != nil {
		return err
	}
	call.Kind, call.GroupName = agent.StepEmbedding, who.group
	if err := insertStep(t, call, agent.Run{}, ""); err != nil {
		return err
	}
	held := agent.OpenReservation{Step: call.N, Kind: call.Kind, At: call.StartedAt, GroupName: who.group}
	if err := bookSettlement(t, held, call, accountsOf(budgets)); err != nil {
		return err
	}
	_, err = c.warnShared(t, budgets, call.Usage.Total(), call.CostMicros)
	return err
}

// KeepEmbeddingCost books a call whose vectors are not kept.
func (s *Ledger) KeepEmbeddingCost(ctx context.Context, call agent.Step) error {
	return s.db.Write(ctx, false, func(t *sqlite.Tx) error { return s.bookEmbedding(t, call) })
}
