package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"fusebox/agent"
)

// tx is what a change works with: the writer's connection within a
// transaction, and the events to tell of once it is committed.
type tx struct {
	clock  agent.Clock
	newID  agent.NewID
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

// maxParams bounds the parameters of one statement; SQLite takes 32,766 of them and
// PostgreSQL 65,535.
const maxParams = 8000

// insertRows writes rows of equal length with as few statements as possible. insert
// ends with VALUES; tail, which may be empty, follows the rows.
func (t *tx) insertRows(insert, tail string, rows [][]any) error {
	for len(rows) > 0 {
		n := min(len(rows), maxParams/len(rows[0]))
		args := make([]any, 0, n*len(rows[0]))
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		if _, err := t.exec(insert+rowParams(n, len(rows[0]))+tail, args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// rowParams are the parameters of rows: ($1, $2), ($3, $4).
func rowParams(rows, columns int) string {
	var b strings.Builder
	for i := range rows * columns {
		switch {
		case i == 0:
			b.WriteString(" ($")
		case i%columns == 0:
			b.WriteString("), ($")
		default:
			b.WriteString(", $")
		}
		b.WriteString(strconv.Itoa(i + 1))
	}
	b.WriteString(")")
	return b.String()
}
