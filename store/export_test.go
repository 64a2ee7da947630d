package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// HideMoney shows money to admins only.
func (s *Store) HideMoney() error {
	return s.db.Write(context.Background(), true, func(t *sqlite.Tx) error {
		_, err := t.Exec(`INSERT INTO settings (key, value) VALUES ($1, 'true')`, agent.MoneyHiddenKey)
		return err
	})
}

// AddAuditRows adds many rows within one transaction.
func (s *Store) AddAuditRows(n int, line func(int) agent.AuditRow) error {
	return s.db.Write(context.Background(), true, func(t *sqlite.Tx) error {
		for i := range n {
			if err := insertAudit(t, line(i+1)); err != nil {
				return err
			}
		}
		return nil
	})
}

// AddAccount books what is used of a budget for a subject in the window that begins at start.
func (s *Store) AddAccount(budgetID, subject string, start time.Time, tokens, micros int64) error {
	return s.db.Write(context.Background(), true, func(t *sqlite.Tx) error {
		_, err := t.Exec(`INSERT INTO budget_accounts (budget_id, subject, starts_at, opening_tokens, opening_micros, used_tokens, used_micros)
			VALUES ($1, $2, $3, 1, 2, $4, $5)`, budgetID, subject, sqlite.MS(start), tokens-1, micros-2)
		return err
	})
}

// AddSteps adds lines to the bill, with their sums, within one transaction.
func (s *Store) AddSteps(steps []agent.Step) error {
	return s.db.Write(context.Background(), true, func(t *sqlite.Tx) error {
		for _, step := range steps {
			if err := insertStep(t, step, agent.Run{}, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// Exec changes the database past everything.
func (s *Store) Exec(query string, args ...any) error {
	return s.db.Write(context.Background(), true, func(t *sqlite.Tx) error {
		_, err := t.Exec(query, args...)
		return err
	})
}

// LimitPages lets the database have some pages more than it has.
func (s *Store) LimitPages(more int) error {
	return s.db.Write(context.Background(), true, func(t *sqlite.Tx) error {
		var pages int
		if err := t.Row(`PRAGMA page_count`).Scan(&pages); err != nil {
			return err
		}
		return t.Row(fmt.Sprintf(`PRAGMA max_page_count = %d`, pages+more)).Scan(&pages)
	})
}

// Count counts the rows of a table.
func (s *Store) Count(t testing.TB, table string) (n int) {
	t.Helper()
	if err := s.db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM `+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
