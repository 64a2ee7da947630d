package backup

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store/sqlite"
)

// TestArchiveOfWhatIsListedTwice: a file system may list an entry again that a program has
// replaced meanwhile. The first one is kept, and can be restored.
func TestArchiveOfWhatIsListedTwice(t *testing.T) {
	t.Parallel()
	makes := map[string]func(root *os.Root, name string) error{
		"file": func(root *os.Root, name string) error { return root.WriteFile(name, []byte("text"), 0o600) },
		"link": func(root *os.Root, name string) error { return root.Symlink("/etc/passwd", name) },
		"folder": func(root *os.Root, name string) error {
			if err := root.Mkdir(name, 0o700); err != nil {
				return err
			}
			return root.WriteFile(name+"/inside", []byte("text"), 0o600)
		},
	}
	for first, makeFirst := range makes {
		for then, makeThen := range makes {
			t.Run(first+", then "+then, func(t *testing.T) {
				t.Parallel()
				from, into := openedRoot(t), openedRoot(t)
				db := openedArchive(t)
				a := archiver{made: &agent.Backup{}, names: map[fileID]string{}, add: func(ctx context.Context, e entry) (added bool, err error) {
					tx, err := db.BeginTx(ctx, nil)
					if err != nil {
						return false, err
					}
					if added, err = addRow(ctx, tx, e); err != nil {
						return false, err
					}
					return added, tx.Commit()
				}}
				for _, makeIt := range []func(*os.Root, string) error{makeFirst, makeThen} {
					check(t, from.RemoveAll("x"))
					check(t, makeIt(from, "x"))
					check(t, a.entries(t.Context(), from, "", 0))
				}
				if n, err := unpack(t.Context(), db, into); err != nil || n != a.made.Files {
					t.Fatalf("%d files of %d, %v", n, a.made.Files, err)
				}
				info, err := into.Lstat("x")
				check(t, err)
				want := openedRoot(t)
				check(t, makeFirst(want, "x"))
				if was, err := want.Lstat("x"); err != nil || was.Mode().Type() != info.Mode().Type() {
					t.Errorf("restored is %s, %v", info.Mode(), err)
				}
			})
		}
	}
}

func openedRoot(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	check(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func openedArchive(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sqlite.Private(filepath.Join(t.TempDir(), "archive.db"))
	check(t, err)
	t.Cleanup(func() { _ = db.Close() })
	_, err = db.ExecContext(t.Context(), archiveTable+";"+linkTable)
	check(t, err)
	return db
}

// TestArchiveWaitsForNoPipe: a pipe that has come in the place of a folder since that was listed
// is left out, and not waited for.
func TestArchiveWaitsForNoPipe(t *testing.T) {
	t.Parallel()
	from := openedRoot(t)
	check(t, syscall.Mkfifo(filepath.Join(from.Name(), "x"), 0o600))
	a := archiver{made: &agent.Backup{}, names: map[fileID]string{}, add: func(context.Context, entry) (bool, error) { return true, nil }}
	over := make(chan error, 1)
	go func() { over <- a.folder(t.Context(), from, "x", "x", 0) }()
	check(t, agenttest.Receive(t, "the end of the walk", over))
	if len(a.made.Missing) != 1 || a.made.Missing[0].Why != agent.MissingUnreadable {
		t.Errorf("left out are %+v", a.made.Missing)
	}
}
