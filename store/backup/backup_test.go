package backup

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
	"fusebox/store/storetest"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// restored restores a backup into a new folder and opens that.
func restored(t *testing.T, backup string) (n int, data *os.Root, err error) {
	t.Helper()
	data, err = os.OpenRoot(t.TempDir())
	check(t, err)
	t.Cleanup(func() { _ = data.Close() })
	n, err = Restore(t.Context(), backup, filepath.Join(data.Name(), "f.db"), data)
	return n, data, err
}

// backedUp backs up the folders "workspaces" and "none" of a root, and restores them.
func backedUp(t *testing.T, root *os.Root) (made agent.Backup, n int, data *os.Root) {
	t.Helper()
	dir := t.TempDir()
	path, backup := storetest.Migrated(t, filepath.Join(dir, "f.db")), filepath.Join(dir, "monday.db")
	made, err := Create(t.Context(), path, backup, Files{Root: root, Folders: []string{"workspaces", "none"}})
	check(t, err)
	n, data, err = restored(t, backup)
	check(t, err)
	return made, n, data
}

// TestBackupTakesFilesAlong: what is restored are the files of the folders that were
// named, byte by byte with their modes, whatever they are called, and a database
// without them. What holds no content is named.
func TestBackupTakesFilesAlong(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 5000)
	_, _ = rand.Read(noise)
	files := map[string]struct {
		content []byte
		mode    os.FileMode
	}{
		"workspaces/c1/deep/note.txt":               {bytes.Repeat([]byte("note "), 4000), 0o640},
		"workspaces/c1/run.sh":                      {[]byte("#!/bin/sh\n"), 0o700},
		"workspaces/c1/empty":                       {nil, 0o600},
		"workspaces/c1/open":                        {[]byte("for all"), 0o666},
		"workspaces/c1/locked":                      {[]byte("for none"), 0},
		"workspaces/c1/a\377b":                      {[]byte("no UTF-8"), 0o600},
		"workspaces/c1/\377/\376":                   {[]byte("no UTF-8 at all"), 0o600},
		"workspaces/c1/a\nb":                        {[]byte("two lines"), 0o600},
		"workspaces/c1/-rf":                         {[]byte("a flag"), 0o600},
		"workspaces/c1/'; --":                       {[]byte("a statement"), 0o600},
		"workspaces/c1/" + strings.Repeat("x", 255): {[]byte("long"), 0o600},
		"workspaces/c1/sparse":                      {make([]byte, 3<<20), 0o600},
		"workspaces/c1/noise":                       {noise, 0o600},
		"workspaces/c1/shut/in":                     {[]byte("behind a door"), 0o400},
		"else/where":                                {[]byte("not named"), 0o600},
	}
	root := openedRoot(t)
	for name, f := range files {
		check(t, root.MkdirAll(path.Dir(name), 0o700))
		check(t, root.WriteFile(name, f.content, 0o600))
		check(t, root.Chmod(name, f.mode))
	}
	check(t, root.Mkdir("workspaces/c1/nothing in it", 0o750))
	check(t, root.Symlink("../../../etc/passwd", "workspaces/c1/out"))
	check(t, root.Symlink("deep", "workspaces/c1/in"))
	check(t, root.Link("workspaces/c1/run.sh", "workspaces/c1/same.sh"))
	check(t, syscall.Mkfifo(filepath.Join(root.Name(), "workspaces/c1/pipe"), 0o600))
	check(t, root.Chmod("workspaces/c1/shut", 0o100))
	made, n, data := backedUp(t, root)
	if len(made.Empty) != 1 || made.Empty[0].Name != "workspaces/c1/pipe" || made.MissingCount() > 0 {
		t.Errorf("%+v", made)
	}
	if n != made.Files || n != len(files) { // one is elsewhere, one is a second name
		t.Errorf("%d files, want %d", n, len(files))
	}
	if mode := modeOf(t, root, "workspaces/c1/shut"); mode != 0o100 {
		t.Errorf("the backup leaves a folder of mode %s", mode)
	}
	for name, mode := range map[string]os.FileMode{"workspaces/c1/shut": 0o100, "workspaces/c1/nothing in it": 0o750, "workspaces/c1/same.sh": 0o700} {
		if got := modeOf(t, data, name); got != mode {
			t.Errorf("%s has the mode %s, want %s", name, got, mode)
		}
	}
	for name, want := range map[string]string{"workspaces/c1/out": "../../../etc/passwd", "workspaces/c1/in": "deep"} {
		if got, err := data.Readlink(name); got != want || err != nil {
			t.Errorf("%s leads to %q, want %q, %v", name, got, want, err)
		}
	}
	check(t, data.Chmod("workspaces/c1/shut", 0o700))
	for name, f := range files {
		if path.Dir(name) == "else" {
			if _, err := data.Lstat(name); err == nil {
				t.Errorf("%s was taken along", name)
			}
			continue
		}
		if got := modeOf(t, data, name); got != f.mode {
			t.Errorf("%s has the mode %s, want %s", name, got, f.mode)
		}
		check(t, data.Chmod(name, 0o600))
		if content, err := data.ReadFile(name); err != nil || !bytes.Equal(content, f.content) {
			t.Errorf("%s has %d bytes, want %d, %v", name, len(content), len(f.content), err)
		}
	}
	db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(data.Name(), "f.db"), Clock: agenttest.NewClock(), NewID: agenttest.IDs()})
	check(t, err)
	check(t, db.Close())
	if raw, err := os.ReadFile(filepath.Join(data.Name(), "f.db")); err != nil || bytes.Contains(raw, noise) {
		t.Errorf("the restored database still holds the files, %v", err)
	}
}

// TestBackupOfFilesWithSeveralNames: the content is in the backup once, and restored they
// are names of one file again, with what they have been given of it.
func TestBackupOfFilesWithSeveralNames(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 1<<20)
	_, _ = rand.Read(noise)
	for name, mode := range map[string]os.FileMode{"plain": 0o640, "locked": 0, "no UTF-8 \377": 0o600, "program": 0o755} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := openedRoot(t)
			check(t, root.MkdirAll("workspaces/c1", 0o700))
			check(t, root.WriteFile("workspaces/c1/"+name, noise, 0o600))
			const names = 40
			for i := range names {
				folder := fmt.Sprintf("workspaces/%c%d", "ad"[i%2], i)
				check(t, root.MkdirAll(folder, 0o700))
				check(t, root.Link("workspaces/c1/"+name, path.Join(folder, name)))
			}
			check(t, root.Chmod("workspaces/c1/"+name, mode))
			made, n, data := backedUp(t, root)
			if made.Files != names+1 || n != names+1 || made.MissingCount() > 0 || made.Bytes > int64(4*len(noise)) {
				t.Errorf("%d of %+v", n, made)
			}
			first, err := data.Lstat("workspaces/c1/" + name)
			check(t, err)
			if last, err := data.Lstat("workspaces/d39/" + name); err != nil || !os.SameFile(first, last) || last.Mode() != mode {
				t.Errorf("another name is %v, %v", last, err)
			}
			check(t, data.Chmod("workspaces/c1/"+name, 0o600))
			if content, err := data.ReadFile("workspaces/a0/" + name); err != nil || !bytes.Equal(content, noise) {
				t.Errorf("it has %d bytes, %v", len(content), err)
			}
		})
	}
}

// TestBackupLeavesOut: files that are too large or too deep are named, and everything
// else is in the backup.
func TestBackupLeavesOut(t *testing.T) {
	t.Parallel()
	root := openedRoot(t)
	check(t, root.MkdirAll("workspaces/c1", 0o700))
	check(t, root.WriteFile("workspaces/c1/kept", []byte("kept"), 0o600))
	f, err := root.Create("workspaces/c1/large\x1b[2J")
	check(t, err)
	check(t, f.Truncate(513<<20))
	check(t, f.Close())
	at, err := root.OpenRoot("workspaces/c1")
	check(t, err)
	for range 300 { // together, the names are longer than a path may be
		name := strings.Repeat("d", 20)
		check(t, at.Mkdir(name, 0o700))
		next, err := at.OpenRoot(name)
		check(t, err)
		check(t, at.Close())
		at = next
	}
	check(t, at.WriteFile("bottom", []byte("x"), 0o600))
	check(t, at.Close())
	made, n, data := backedUp(t, root)
	if n != 1 || made.MissingCount() != 2 {
		t.Fatalf("%d files, %+v", n, made)
	}
	for _, l := range made.Missing {
		if l.Why != agent.MissingTooDeep && (l.Why != agent.MissingTooLarge || !strings.Contains(l.Name, `large\x1b[2J`)) {
			t.Errorf("left out: %q: %s", l.Name, l.Why)
		}
	}
	if content, err := data.ReadFile("workspaces/c1/kept"); string(content) != "kept" {
		t.Errorf("%q, %v", content, err)
	}
}

func modeOf(t *testing.T, root *os.Root, name string) os.FileMode {
	t.Helper()
	info, err := root.Lstat(name)
	check(t, err)
	return info.Mode().Perm()
}

// TestRestoreRefuses: a damaged or foreign file, or a target that exists, changes nothing.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := storetest.Migrated(t, filepath.Join(dir, "f.db"))
	hostile, cut, text := filepath.Join(dir, "hostile.db"), filepath.Join(dir, "cut.db"), filepath.Join(dir, "text.db")
	_, err := Create(t.Context(), whole, hostile, Files{})
	check(t, err)
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
	if _, err := Restore(t.Context(), whole, whole, nil); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a database that exists: %v", err)
	}
}
