package store

import (
	"fmt"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// settleStep ends the reservation of a step's call with what it took: the line of the
// bill, its sums, the rows of the ledger, the budgets' accounts, and what people
// are told of them. The run is already as the change writes it. Where more lines of the
// call follow, what this one leaves of the reservation is theirs.
func (c *core) settleStep(t *sqlite.Tx, step agent.Step, who spender, more bool) ([]agent.EventData, error) {
	held, err := takeReservation(t, step, who)
	if err != nil {
		return nil, err
	}
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
	if err := insertStep(t, step, held.ID); err != nil {
		return nil, fmt.Errorf("write usage: %w", err)
	}
	if err := bookSettlement(t, held, step, accountsOf(shared)); err != nil {
		return nil, err
	}
	return c.warnShared(t, shared, step.Usage.Total(), step.CostMicros)
}

// takeReservation takes the open reservation of a step's call out. A step without
// one (its process had let go of it) is booked all the same.
func takeReservation(t *sqlite.Tx, step agent.Step, who spender) (agent.OpenReservation, error) {
	held, err := dropReservation(t, step.RunID)
	if err != nil {
		return held, err
	}
	if held.ID == "" {
		held.RunID, held.At, held.GroupName = step.RunID, step.StartedAt, who.group
	}
	held.Step, held.Kind = step.N, step.Kind // a summary serves the step that comes
	return held, nil
}

// bookSettlement moves what was reserved and what was used on the budgets' accounts,
// and enters both into the ledger.
func bookSettlement(t *sqlite.Tx, held agent.OpenReservation, step agent.Step, accounts []agent.BudgetAccount) error {
	tokens, micros := step.Usage.Total(), step.CostMicros
	if err := book(t, held.Accounts, -held.Tokens, -held.Micros, 0, 0); err != nil {
		return err
	}
	if err := book(t, accounts, 0, 0, tokens, micros); err != nil {
		return err
	}
	held.Accounts = accounts
	return enterLedger(t, held.Settle(tokens, micros))
}
