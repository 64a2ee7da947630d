package store

import (
	"context"
	"fmt"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Reserve checks a model call against all budgets in scope at once; see agent.Journal.
// It needs no disk of its own: the settlement that follows takes it along, and
// one that a power loss undoes had made no call as far as is known.
func (s *Ledger) Reserve(ctx context.Context, a agent.ReservationRequest) (agent.Reservation, error) {
	var room agent.Reservation
	var short *agent.InsufficientBudget
	err := s.db.Write(ctx, false, func(t *sqlite.Tx) (err error) {
		room, short, err = s.reserveCall(t, a)
		return err // accounts that were opened stay, also where the call does not fit
	})
	if err == nil && short != nil {
		err = short
	}
	return room, err
}

func (c *core) reserveCall(t *sqlite.Tx, a agent.ReservationRequest) (agent.Reservation, *agent.InsufficientBudget, error) {
	who, err := spenderOf(t, a.RunID)
	if err != nil {
		return agent.Reservation{}, nil, err
	}
	if who.run.Epoch != a.Epoch || who.run.Status != agent.StatusRunning {
		return agent.Reservation{}, nil, agent.ErrStale
	}
	held, err := openReservation(t, a.RunID)
	if err != nil {
		return agent.Reservation{}, nil, err
	}
	if held.ID != "" && (held.Step != a.Step || held.Kind != a.Kind) {
		if err := releaseRun(t, a.RunID); err != nil {
			return agent.Reservation{}, nil, err
		}
		held = agent.OpenReservation{}
	}
	if held.ID == "" {
		held = agent.OpenReservation{ID: t.NewID(), RunID: a.RunID, Step: a.Step, Kind: a.Kind, At: agent.Stamp(t.Clock), GroupName: who.group}
	}
	who.group = held.GroupName
	own, err := ownBudgets(t, who)
	if err != nil {
		return agent.Reservation{}, nil, err
	}
	shared, err := c.sharedBudgets(t, who, held.At)
	if err != nil {
		return agent.Reservation{}, nil, err
	}
	if held.Tokens > 0 { // accounts that were opened just now have taken it in
		if held, err = openReservation(t, a.RunID); err != nil {
			return agent.Reservation{}, nil, err
		}
	}
	if root, ok := who.tree[who.run.RootID()]; ok {
		a.AnyPrice, a.OwnAnyPrice = a.AnyPrice || root.State.AnyPrice, a.OwnAnyPrice || root.State.OwnAnyPrice
	}
	output, short := a.Fit(append(own, without(shared, held)...))
	if short != nil {
		return agent.Reservation{}, short, nil
	}
	return agent.Reservation{ID: held.ID, Output: output, At: held.At}, nil, saveReservation(t, a, held, shared, output)
}

// without are budgets without what a call itself has reserved.
func without(budgets []agent.BudgetStatus, held agent.OpenReservation) []agent.BudgetStatus {
	others := make([]agent.BudgetStatus, len(budgets))
	for i, b := range budgets {
		for _, a := range held.Accounts {
			if a.BudgetID == b.ID && a.Subject == b.Of && a.StartsAt.Equal(b.StartsAt) {
				b.ReservedTokens -= held.Tokens
				b.ReservedMicros -= held.Micros
			}
		}
		others[i] = b
	}
	return others
}

// saveReservation writes a reservation, or changes the one that the call has already.
func saveReservation(t *sqlite.Tx, a agent.ReservationRequest, held agent.OpenReservation, budgets []agent.BudgetStatus, output int64) error {
	if held.Accounts == nil {
		held.Accounts = accountsOf(budgets)
	}
	tokens, micros := a.Worst(output)
	moreTokens, moreMicros := tokens-held.Tokens, micros-held.Micros
	held.Tokens, held.Micros = tokens, micros
	if err := putReservation(t, held, a.Epoch); err != nil {
		return err
	}
	if err := book(t, held.Accounts, moreTokens, moreMicros, 0, 0); err != nil {
		return err
	}
	var rows []agent.LedgerEntry
	if up := max(moreTokens, 0); up > 0 || moreMicros > 0 {
		rows = append(rows, held.Reserve(up, max(moreMicros, 0)))
	}
	if moreTokens < 0 || moreMicros < 0 {
		rows = append(rows, held.GiveBack(max(-moreTokens, 0), max(-moreMicros, 0)))
	}
	return enterLedger(t, rows)
}

// Release ends a run's reservation whose call used nothing as far as is known.
func (s *Ledger) Release(ctx context.Context, runID string, epoch int64) error {
	return s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		var now int64
		if err := t.Row(`SELECT epoch FROM runs WHERE id = $1`, runID).Scan(&now); err != nil {
			return sqlite.NotFound(err, agent.NoRun)
		}
		if now != epoch {
			return agent.ErrStale
		}
		return releaseRun(t, runID)
	})
}

// releaseRun ends the reservation of a run that its owner has let go of.
func releaseRun(t *sqlite.Tx, runID string) error {
	held, err := dropReservation(t, runID)
	if err != nil || held.ID == "" {
		return err
	}
	if err := book(t, held.Accounts, -held.Tokens, -held.Micros, 0, 0); err != nil {
		return err
	}
	return enterLedger(t, []agent.LedgerEntry{held.Release()})
}

// settleStep ends the reservation of a step's call with what it took: the line of the
// bill, its sums, the rows of the ledger, the budgets' accounts, and what people
// are told of them. The run is already as the change writes it. Where more lines of the
// call follow, what this one leaves of the reservation is theirs.
func (c *core) settleStep(t *sqlite.Tx, step agent.Step, who spender, more bool) ([]agent.Event, error) {
	held, err := dropReservation(t, step.RunID)
	if err != nil {
		return nil, err
	}
	if held.ID == "" { // its process had let go of it
		held.RunID, held.At, held.GroupName = step.RunID, step.StartedAt, who.group
	}
	held.Step, held.Kind = step.N, step.Kind // a summary serves the step that comes
	who.group, step.GroupName = held.GroupName, held.GroupName
	if more && held.ID != "" {
		var rest agent.OpenReservation
		held, rest = held.Split(step.Usage.Total(), step.CostMicros)
		if err := putReservation(t, rest, who.run.Epoch); err != nil {
			return nil, err
		}
	}
	// Budgets that came up while the call was under way count it too.
	shared, err := c.sharedBudgets(t, who, held.At)
	if err != nil {
		return nil, err
	}
	if err := insertStep(t, step, who.run, held.ID); err != nil {
		return nil, fmt.Errorf("write usage: %w", err)
	}
	return c.bookSettlement(t, held, step, shared)
}

// bookSettlement moves what was reserved and what was used on the budgets' accounts, enters
// both into the ledger, and warns people; budgets are those that the step counts for.
func (c *core) bookSettlement(t *sqlite.Tx, held agent.OpenReservation, step agent.Step, budgets []agent.BudgetStatus) ([]agent.Event, error) {
	tokens, micros := step.Usage.Total(), step.CostMicros
	if err := book(t, held.Accounts, -held.Tokens, -held.Micros, 0, 0); err != nil {
		return nil, err
	}
	held.Accounts = accountsOf(budgets)
	if err := book(t, held.Accounts, 0, 0, tokens, micros); err != nil {
		return nil, err
	}
	if err := enterLedger(t, held.Settle(tokens, micros)); err != nil {
		return nil, err
	}
	return c.warnShared(t, budgets, tokens, micros)
}
