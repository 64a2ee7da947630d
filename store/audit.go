package store

import (
	"context"

	"fusebox/agent"
)

func insertAudit(t *tx, row agent.AuditRow) error {
	_, err := t.exec(`INSERT INTO audit (id, at, actor, role, action, target, place, shown, detail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		row.ID, ms(row.At), row.Actor, row.Role, row.Action, row.Target, row.Place, row.Shown, row.Detail)
	return err
}

// Audit adds a line to the audit log.
func (s *Store) Audit(ctx context.Context, row agent.AuditRow) error {
	return s.write.do(ctx, true, func(t *tx) error { return insertAudit(t, row) })
}

// AuditRows lists the audit log, newest first.
func (s *Store) AuditRows(ctx context.Context, p agent.Page) ([]agent.AuditRow, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err != nil {
		return nil, "", err
	}
	limit := limitOf(p)
	items, err := list(ctx, s, func(r scanner) (agent.AuditRow, error) {
		var row agent.AuditRow
		var at int64
		err := r.Scan(&row.ID, &at, &row.Actor, &row.Action, &row.Target, &row.Detail)
		row.At = fromMS(at)
		return row, err
	}, `SELECT id, at, actor, action, target, detail FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2`, from.id, limit+1)
	if err != nil {
		return nil, "", err
	}
	items, next := page(items, limit, func(r agent.AuditRow) cursor { return cursor{id: r.ID} })
	return items, next, nil
}
