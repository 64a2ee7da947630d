package store_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"fusebox/agent/agenttest"
	"fusebox/store"
	"fusebox/store/storetest"
)

// copyOf backs a database up without files.
func copyOf(t testing.TB, from, to string) {
	t.Helper()
	_, err := store.Backup(context.WithoutCancel(t.Context()), from, to, store.Files{})
	check(t, err)
}

// restored restores a backup into a new folder and opens that.
func restored(t *testing.T, backup string) (n int, data *os.Root, err error) {
	t.Helper()
	data, err = os.OpenRoot(t.TempDir())
	check(t, err)
	t.Cleanup(func() { _ = data.Close() })
	n, err = store.Restore(t.Context(), backup, filepath.Join(data.Name(), "f.db"), data)
	return n, data, err
}

// TestBackupTakesFilesAlong: what is restored are the files of the folders that were
// named, as they were, and a database without them.
func TestBackupTakesFilesAlong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, backup := storetest.Migrated(t, filepath.Join(dir, "f.db")), filepath.Join(dir, "monday.db")
	noise := make([]byte, 5000)
	_, _ = rand.Read(noise)
	files := fstest.MapFS{
		"workspaces/c1/deep/note.txt": {Data: bytes.Repeat([]byte("note "), 4000), Mode: 0o640},
		"workspaces/c1/run.sh":        {Data: []byte("#!/bin/sh\n"), Mode: 0o700},
		"workspaces/c1/empty":         {Mode: 0o600},
		"outputs/noise":               {Data: noise, Mode: 0o600},
		"else/where":                  {Data: []byte("not named"), Mode: 0o600},
	}
	left, err := store.Backup(t.Context(), path, backup, store.Files{FS: files, Folders: []string{"workspaces", "outputs", "none"}})
	if err != nil || len(left) > 0 {
		t.Fatalf("left %v, %v", left, err)
	}
	n, data, err := restored(t, backup)
	if err != nil || n != 4 {
		t.Fatalf("%d files, %v", n, err)
	}
	for name, f := range files {
		content, err := data.ReadFile(name)
		if name == "else/where" {
			if err == nil {
				t.Errorf("%s was taken along", name)
			}
			continue
		}
		check(t, err)
		info, err := data.Stat(name)
		check(t, err)
		if !bytes.Equal(content, f.Data) || info.Mode() != f.Mode {
			t.Errorf("%s has %d bytes and mode %s, want %d and %s", name, len(content), info.Mode(), len(f.Data), f.Mode)
		}
	}
	db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(data.Name(), "f.db"), Clock: agenttest.NewClock(), NewID: agenttest.IDs()})
	check(t, err)
	check(t, db.Close())
	if raw, err := os.ReadFile(filepath.Join(data.Name(), "f.db")); err != nil || bytes.Contains(raw, noise) {
		t.Errorf("the restored database still holds the files, %v", err)
	}
}

// TestRestoreRefuses: a damaged or foreign file, or a target that exists, changes nothing.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := storetest.Migrated(t, filepath.Join(dir, "f.db"))
	hostile, cut, text := filepath.Join(dir, "hostile.db"), filepath.Join(dir, "cut.db"), filepath.Join(dir, "text.db")
	copyOf(t, whole, hostile)
	db, err := sql.Open("sqlite3", hostile)
	check(t, err)
	_, err = db.Exec(`CREATE TABLE sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB);
		INSERT INTO sqlar VALUES ('../../outside.txt', 384, 0, 1, 'x')`)
	check(t, err)
	check(t, db.Close())
	raw, err := os.ReadFile(whole)
	check(t, err)
	check(t, os.WriteFile(cut, raw[:len(raw)/2], 0o600))
	check(t, os.WriteFile(text, []byte(strings.Repeat("hello ", 1000)), 0o600))
	for name, want := range map[string]string{hostile: "escapes", cut: "no whole backup", text: "no whole backup", filepath.Join(dir, "none"): "cannot be copied"} {
		_, data, err := restored(t, name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", filepath.Base(name), err, want)
		}
		if entries, err := os.ReadDir(data.Name()); err != nil || len(entries) > 0 {
			t.Errorf("%s left %v, %v", filepath.Base(name), entries, err)
		}
	}
	if _, err := store.Restore(t.Context(), whole, whole, nil); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a database that exists: %v", err)
	}
}
