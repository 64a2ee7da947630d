package storetest

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
)

// Plan is how a new database answers a query, a line a step.
func Plan(t testing.TB, query string, args ...any) string {
	t.Helper()
	db, err := sql.Open("sqlite3", Migrated(t, filepath.Join(t.TempDir(), "f.db")))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}
