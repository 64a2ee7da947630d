package store

import (
	"context"
	"fmt"

	"fusebox/agent"
)

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

// maxLedgerRows bounds one reading of the ledger.
const maxLedgerRows = 1000

// Ledger returns rows of the ledger behind a number, oldest first: those of one
// run, or all for "".
func (s *Store) Ledger(ctx context.Context, runID string, after int64, limit int) ([]agent.LedgerEntry, error) {
	w := &where{}
	w.and(`seq > `, after, ``)
	if runID != "" {
		w.and(`run_id = `, runID, ``)
	}
	return list(ctx, s, func(r scanner) (agent.LedgerEntry, error) {
		var e agent.LedgerEntry
		var at int64
		var accounts string
		err := r.Scan(&e.Seq, &at, &e.Kind, &e.ReservationID, &e.RunID, &e.Step, &e.StepKind, &e.Debit, &e.Credit, &e.Tokens, &e.Micros, &accounts)
		if err != nil {
			return e, err
		}
		e.At = fromMS(at)
		return e, fromJSON(accounts, &e.Accounts)
	}, `SELECT seq, at, kind, reservation_id, run_id, step, step_kind, debit, credit, tokens, micros, accounts FROM ledger `+
		w.String()+w.param(` ORDER BY seq LIMIT `, min(limit, maxLedgerRows)), w.args...)
}
