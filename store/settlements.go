package store

import (
	"fmt"

	"fusebox/agent"
)

// settle ends the reservation of a step's call with what it took: the line of the
// bill, its sums, the rows of the ledger, the budgets' accounts, and what people
// are told of them. The run stands as the
// entry writes it.
func (s *Store) settle(t *tx, step agent.Step) ([]agent.EventData, error) {
	who, err := spenderOf(t, step.RunID)
	if err != nil {
		return nil, err
	}
	held, err := s.holdOf(t, step, who)
	if err != nil {
		return nil, err
	}
	step.GroupName = held.GroupName
	if err := insertStep(t, step, held.ID); err != nil {
		return nil, fmt.Errorf("write usage: %w", err)
	}
	before, err := s.standings(t, who, held)
	if err != nil {
		return nil, err
	}
	tokens := step.Usage.Total()
	if err := book(t, held.Accounts, -held.Tokens, -held.Micros, tokens, step.CostMicros); err != nil {
		return nil, err
	}
	held.Step, held.Kind = step.N, step.Kind
	if err := s.enter(t, held.Settle(tokens, step.CostMicros)); err != nil {
		return nil, err
	}
	return s.warn(t, who, before, tokens, step.CostMicros)
}

// holdOf takes the open reservation of a step's call. A step without one (its
// process had let go of it) is booked all the same, on the accounts of now.
func (s *Store) holdOf(t *tx, step agent.Step, who spender) (agent.Reservation, error) {
	held, err := openReservation(t, step.RunID)
	if err != nil {
		return held, err
	}
	if held.ID != "" {
		return held, dropReservation(t, held)
	}
	held = agent.Reservation{RunID: step.RunID, Step: step.N, Kind: step.Kind, At: step.StartedAt, GroupName: who.group}
	shared, err := s.sharedBudgets(t, who, held.At)
	for _, b := range shared {
		held.Accounts = append(held.Accounts, agent.BudgetAccount{BudgetID: b.ID, Subject: b.Of, StartsAt: b.StartsAt})
	}
	return held, err
}

// enter appends rows to the ledger.
func (s *Store) enter(t *tx, rows []agent.LedgerEntry) error {
	now := ms(s.clock.Now())
	for _, e := range rows {
		accounts, err := accountsText(e.Accounts)
		if err != nil {
			return err
		}
		_, err = t.exec(`INSERT INTO ledger (at, kind, reservation_id, run_id, step, step_kind, debit, credit, tokens, micros, accounts)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			now, e.Kind, e.ReservationID, e.RunID, e.Step, e.StepKind, e.Debit, e.Credit, e.Tokens, e.Micros, accounts)
		if err != nil {
			return fmt.Errorf("write ledger: %w", err)
		}
	}
	return nil
}

func accountsText(accounts []agent.BudgetAccount) (string, error) {
	if len(accounts) == 0 {
		return "", nil
	}
	return toJSON(accounts)
}
