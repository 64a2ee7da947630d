package store

import (
	"context"
	"database/sql"
	"errors"
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
