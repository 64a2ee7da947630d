package store

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// ReserveTitle reserves what the call for a conversation's title may take at worst, in the
// budgets of its owner, of their group, of the conversation, and of everybody, and returns when it
// was counted in. An *agent.InsufficientBudget says that it does not fit.
func (s *Ledger) ReserveTitle(ctx context.Context, u agent.Untitled, call agent.ReservationRequest) (at time.Time, err error) {
	var short *agent.InsufficientBudget
	err = s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		at = agent.Stamp(t.Clock)
		budgets, who, err := s.titleBudgets(t, u, at)
		if err != nil {
			return err
		}
		output, why := call.Fit(budgets)
		if short = why; why == nil {
			held := agent.OpenReservation{ID: t.NewID(), RunID: u.ConversationID, Step: 1, Kind: call.Kind, At: at, GroupName: who.group}
			err = saveReservation(t, call, held, budgets, output)
		}
		return err // accounts that were opened stay
	})
	if err == nil && short != nil {
		err = short
	}
	return at, err
}

func (c *core) titleBudgets(t *sqlite.Tx, u agent.Untitled, at time.Time) ([]agent.BudgetStatus, spender, error) {
	who, err := personOf(t, u.UserID)
	if err != nil {
		return nil, who, err
	}
	who.run.ConversationID = u.ConversationID
	budgets, err := c.sharedBudgets(t, who, at)
	return budgets, who, err
}

// SettleTitle books what a call for a title took in place of what it had reserved, and names the
// conversation, unless title is "", the person has renamed it, or its first run has ended.
func (s *Ledger) SettleTitle(ctx context.Context, u agent.Untitled, call agent.Step, title string) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if err := s.bookTitle(t, u, call); err != nil || title == "" {
			return err
		}
		n, err := t.Exec(`UPDATE conversations SET title = $1 WHERE id = $2 AND title = $3
			AND EXISTS (SELECT 1 FROM runs WHERE id = $4 AND status IN ('queued', 'running', 'paused'))`, title, u.ConversationID, u.Title, u.RunID)
		if err != nil || n == 0 {
			return err
		}
		_, err = eventlog.Append(t, u.ConversationID, []agent.Event{{Data: agent.TitleEvent{Title: title}}})
		return err
	})
}

func (c *core) bookTitle(t *sqlite.Tx, u agent.Untitled, call agent.Step) error {
	if call.Usage.Total() == 0 {
		return releaseRun(t, u.ConversationID)
	}
	held, err := dropReservation(t, u.ConversationID)
	if err != nil {
		return err
	}
	if held.ID == "" { // a process that came later has let go of it
		held = agent.OpenReservation{RunID: u.ConversationID, Step: 1, Kind: call.Kind, At: call.StartedAt}
	}
	budgets, who, err := c.titleBudgets(t, u, held.At)
	if agent.CodeOf(err) == agent.NotFound { // the account is gone: it was paid all the same
		err = nil
	}
	if err != nil {
		return err
	}
	call.RunID, call.N, call.GroupName = u.ConversationID, held.Step, who.group
	if err := insertStep(t, call, agent.Run{}, held.ID); err != nil {
		return err
	}
	_, err = c.bookSettlement(t, held, call, budgets)
	return err
}

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
	_, err = c.bookSettlement(t, held, call, budgets)
	return err
}

// KeepEmbeddingCost books a call whose vectors are not kept.
func (s *Ledger) KeepEmbeddingCost(ctx context.Context, call agent.Step) error {
	return s.db.Write(ctx, false, func(t *sqlite.Tx) error { return s.bookEmbedding(t, call) })
}
