package store

import (
	"context"
	"database/sql"

	"fusebox/agent"
)

// tx is what a change works with: the writer's connection within a
// transaction, and the events to tell of once it is committed.
type tx struct {
	env
	ctx    context.Context
	conn   *sql.Conn
	events []agent.Event
	posted bool // there are notifications to send
}

func (t *tx) exec(query string, args ...any) (int64, error) {
	res, err := t.conn.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (t *tx) row(query string, args ...any) *sql.Row {
	return t.conn.QueryRowContext(t.ctx, query, args...)
}

// each runs a statement and hands every row over.
func (t *tx) each(scan func(scanner) error, query string, args ...any) error {
	return each(t.ctx, t.conn, scan, query, args...)
}
