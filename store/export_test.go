package store

import (
	"context"

	"fusebox/agent"
)

// HideMoney shows money to admins only.
func (s *Store) HideMoney() error {
	return s.write.do(context.Background(), true, func(t *tx) error {
		_, err := t.exec(`INSERT INTO settings (key, value) VALUES ($1, 'true')`, agent.MoneyHiddenKey)
		return err
	})
}

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
