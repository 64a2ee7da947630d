package store_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pressly/goose/v3"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/migrations"
	"fusebox/store"
	"fusebox/store/backup"
)

// TestCommittedIsThere: what was acknowledged is found by the next process.
func TestCommittedIsThere(t *testing.T) {
	t.Parallel()
	path, clock := filepath.Join(t.TempDir(), "sub", "f.db"), agenttest.NewClock()
	first := open2(t, path)
	t.Cleanup(func() { check(t, first.Close()) })
	run := seed(t, first, clock)
	_, err := first.Append(t.Context(), delta(run, "text"))
	check(t, err)
	second := open(t, path, clock, nil) // the first is still open: as after kill -9, nothing was closed
	events, err := second.Events(t.Context(), "c", 0, 10)
	check(t, err)
	if len(events) != 2 {
		t.Errorf("%d events, want 2", len(events))
	}
	for file, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(file)
		check(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", file, info.Mode().Perm(), want)
		}
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	check(t, open2(t, path).Close())
	db, err := sql.Open("sqlite3", path)
	check(t, err)
	_, err = db.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
	check(t, err)
	check(t, db.Close())
	_, err = store.Open(t.Context(), store.Options{Path: path, Clock: agenttest.NewClock()})
	if err == nil || !strings.Contains(err.Error(), "999") {
		t.Errorf("err = %v", err)
	}
}

func open2(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: path, Clock: agenttest.NewClock(), NewID: agenttest.IDs()})
	check(t, err)
	return s
}

// TestOpenedByMany: processes that start at the same moment all find the schema.
func TestOpenedByMany(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := store.Open(t.Context(), store.Options{Path: path, Clock: agenttest.NewClock(), NewID: agenttest.IDs()})
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(s.Ready(t.Context()), s.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestNoFolderNoDatabase: each of these is one clear line, nothing is left half open.
func TestNoFolderNoDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, text := filepath.Join(dir, "file"), filepath.Join(dir, "text.db")
	check(t, os.WriteFile(file, nil, 0o600))
	check(t, os.WriteFile(text, []byte(strings.Repeat("this is no database\n", 100)), 0o600))
	for _, path := range []string{filepath.Join(file, "f.db"), dir, text} {
		_, err := store.Open(t.Context(), store.Options{Path: path, Clock: agenttest.NewClock()})
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("opening %s: %v", path, err)
		}
	}
}

func TestBackupWhileServing(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), agenttest.NewClock()
	path, copied := filepath.Join(dir, "f.db"), filepath.Join(dir, "copy.db")
	s := open(t, path, clock, nil)
	seed(t, s, clock)
	copyOf(t, path, copied)
	if _, err := backup.Create(t.Context(), path, copied, backup.Files{}); err == nil {
		t.Error("an existing file was overwritten")
	}
	events, err := open(t, copied, clock, nil).Events(t.Context(), "c", 0, 10)
	check(t, err)
	if len(events) != 1 {
		t.Errorf("the copy has %d events", len(events))
	}
}

// TestOlderDatabaseIsBroughtUp: rows of the first schema are still there under the newest.
func TestOlderDatabaseIsBroughtUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	db, err := sql.Open("sqlite3", path)
	check(t, err)
	p, err := goose.NewProvider(goose.DialectSQLite3, db, migrations.FS)
	check(t, err)
	_, err = p.UpTo(t.Context(), 1)
	check(t, err)
	_, err = db.ExecContext(t.Context(), `INSERT INTO audit (id, at, actor, action, target, detail) VALUES ('old', 1, 'a', 'b', 'c', '')`)
	check(t, err)
	check(t, db.Close())
	s := open2(t, path)
	check(t, s.Ready(t.Context()))
	rows, _, err := s.AuditRows(t.Context(), agent.AuditFilter{}, agent.Page{})
	check(t, err)
	if len(rows) != 1 || rows[0].ID != "old" {
		t.Errorf("rows %v", rows)
	}
	check(t, s.Close())
}
