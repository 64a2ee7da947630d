package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"fusebox/agent"
)

// MS writes a time as stored in the database; 0 means none.
func MS(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// FromMS is MS backwards.
func FromMS(v int64) time.Time {
	if v == 0 {
		return time.Time{}
	}
	return time.UnixMilli(v).UTC()
}

// Time scans a time that is stored as MS writes it.
func Time(into *time.Time) sql.Scanner { return (*storedTime)(into) }

type storedTime time.Time

func (s *storedTime) Scan(value any) error {
	ms, ok := value.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as a number of milliseconds, not as %T", value)
	}
	*s = storedTime(FromMS(ms))
	return nil
}

// OrNone returns the error of a query, or nil if it only says that there is no row.
func OrNone(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// NotFound turns the absence of a row into a domain error.
func NotFound(err error, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		return agent.Errorf(agent.NotFound, format, args...)
	}
	return err
}

// Scanner is a row or rows.
type Scanner interface{ Scan(...any) error }

// Reader is what can be read from: the pool of readers, a transaction, or a connection.
type Reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// One scans a row; NotFound where there is none.
func One[T any](row Scanner, scan func(Scanner) (T, error), none string) (*T, error) {
	found, err := scan(row)
	if err != nil {
		return nil, NotFound(err, "%s", none)
	}
	return &found, nil
}

// List runs a query and scans every row.
func List[T any](ctx context.Context, from Reader, scan func(Scanner) (T, error), query string, args ...any) ([]T, error) {
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

// ScanString scans a row of one text.
func ScanString(r Scanner) (s string, err error) {
	err = r.Scan(&s)
	return s, err
}

// Each runs a query and hands every row over.
func Each(ctx context.Context, from Reader, scan func(Scanner) error, query string, args ...any) error {
	_, err := List(ctx, from, func(r Scanner) (struct{}, error) { return struct{}{}, scan(r) }, query, args...)
	return err
}
