package storetest

import (
	"bytes"
	"database/sql"
	"os"
	"testing"

	"fusebox/store"
)

// Pages is how many pages a database has.
func Pages(t testing.TB, path string) (n int64) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRowContext(t.Context(), `PRAGMA page_count`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// CountIn is how often a word is in the files of a database.
func CountIn(t testing.TB, path, word string) (n int) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		n += bytes.Count(content, []byte(word))
	}
	return n
}

// Tidy calls Tidy until there is nothing more to do.
func Tidy(t testing.TB, s *store.Store) {
	t.Helper()
	for range 1000 {
		more, err := s.Tidy(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return
		}
	}
	t.Fatal("there is no end to tidying")
}
