package sqlite

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"fusebox/agent"
)

// Tx is what a change works with: the writing connection inside a transaction, and what
// to announce once it is committed.
type Tx struct {
	Clock agent.Clock
	NewID agent.NewID
	// Events are told of, in this order.
	Events []agent.Event
	// Posted says that there are notifications to send.
	Posted bool

	ctx  context.Context
	conn *sql.Conn
}

// Exec runs a statement and returns how many rows it has changed.
func (t *Tx) Exec(query string, args ...any) (int64, error) {
	res, err := t.conn.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// ExecOr runs a statement that is refused where it changes no row.
func (t *Tx) ExecOr(refusal error, query string, args ...any) error {
	n, err := t.Exec(query, args...)
	if err == nil && n == 0 {
		err = refusal
	}
	return err
}

// ExecEach runs statements that have the same parameters, in their order.
func (t *Tx) ExecEach(args []any, statements ...string) error {
	for _, s := range statements {
		if _, err := t.Exec(s, args...); err != nil {
			return err
		}
	}
	return nil
}

// Row runs a statement that returns one row.
func (t *Tx) Row(query string, args ...any) *sql.Row {
	return t.conn.QueryRowContext(t.ctx, query, args...)
}

// Each runs a statement and hands every row over.
func (t *Tx) Each(scan func(Scanner) error, query string, args ...any) error {
	return Each(t.ctx, t.conn, scan, query, args...)
}

// ListIn is List within a change.
func ListIn[T any](t *Tx, scan func(Scanner) (T, error), statement string, args ...any) ([]T, error) {
	return List(t.ctx, t.conn, scan, statement, args...)
}

// Reader reads what the change has written so far.
func (t *Tx) Reader() Reader { return t.conn }

// maxParams bounds the parameters of one statement; SQLite takes 32,766 of them and
// PostgreSQL 65,535.
const maxParams = 8000

// InsertRows writes rows of equal length with as few statements as possible. insert
// ends with VALUES; tail, which may be empty, follows the rows.
func (t *Tx) InsertRows(insert, tail string, rows [][]any) error {
	for len(rows) > 0 {
		n := min(len(rows), maxParams/len(rows[0]))
		args := make([]any, 0, n*len(rows[0]))
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		if _, err := t.Exec(insert+RowParams(n, len(rows[0]))+tail, args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// RowParams are the parameters of rows: ($1, $2), ($3, $4).
func RowParams(rows, columns int) string {
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
