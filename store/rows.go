package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"fusebox/agent"
)

// ms writes a time as stored in the database; 0 means none.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMS(v int64) time.Time {
	if v == 0 {
		return time.Time{}
	}
	return time.UnixMilli(v).UTC()
}

// toJSON encodes our own types, which always encode; nothing is "".
func toJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return string(b), nil
}

func fromJSON(text string, into any) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("decode %T: %w", into, err)
	}
	return nil
}

// notFound turns the absence of a row into a domain error.
func notFound(err error, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		return agent.Errorf(agent.NotFound, format, args...)
	}
	return err
}

// scanner is a row or rows.
type scanner interface{ Scan(...any) error }

// reader is what can be read from: the pool of readers, a transaction, or a connection.
type reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// list runs a query and scans every row.
func list[T any](ctx context.Context, from reader, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	items := []T{}
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, rows.Err()
}

func scanString(r scanner) (string, error) {
	var s string
	err := r.Scan(&s)
	return s, err
}

// each runs a query and hands every row over.
func each(ctx context.Context, from reader, scan func(scanner) error, query string, args ...any) error {
	_, err := list(ctx, from, func(r scanner) (struct{}, error) { return struct{}{}, scan(r) }, query, args...)
	return err
}

// beside hands the first columns of a row to the scan function that knows them,
// and scans the columns behind them into more.
type beside struct {
	row  scanner
	more []any
}

func (b beside) Scan(dest ...any) error { return b.row.Scan(append(dest, b.more...)...) }

func rawJSON(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

func normalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }
