package store

import (
	"context"

	"fusebox/agent"
)

// AddAuditRows adds many rows within one transaction.
func (s *Store) AddAuditRows(n int, line func(int) agent.AuditRow) error {
	return s.write.do(context.Background(), true, func(t *tx) error {
		for i := range n {
			if err := insertAudit(t, line(i+1)); err != nil {
				return err
			}
		}
		return nil
	})
}

// AddSteps adds lines to the bill, with their sums, within one transaction.
func (s *Store) AddSteps(steps []agent.Step) error {
	return s.write.do(context.Background(), true, func(t *tx) error {
		for _, step := range steps {
			if err := insertStep(t, step, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// Exec changes the database past everything.
func (s *Store) Exec(query string, args ...any) error {
	return s.write.do(context.Background(), true, func(t *tx) error {
		_, err := t.exec(query, args...)
		return err
	})
}
