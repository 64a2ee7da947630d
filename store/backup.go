package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Files are folders of a file system, as a backup takes them along. The zero value is none.
type Files struct {
	FS      fs.FS
	Folders []string
}

// Backup writes a consistent copy of a database to a file that must not exist yet. It
// may run while the server is serving. The copy holds files too, where there are any:
// see archive. left names those that were too large for it. A file with the name of
// the backup is always a whole one: it is written under another name first.
func Backup(ctx context.Context, from, to string, files Files) (left []string, err error) {
	if _, err := os.Stat(from); err != nil {
		return nil, fmt.Errorf("database %s cannot be read: %w", from, err)
	}
	aside, err := reserve(to)
	if err != nil {
		return nil, err
	}
	defer func() {
		if removed := os.Remove(aside); err == nil && !errors.Is(removed, fs.ErrNotExist) {
			err = removed
		}
	}()
	if err := copyDatabase(ctx, from, aside); err != nil {
		return nil, fmt.Errorf("back up to %s: %w", to, err)
	}
	if len(files.Folders) > 0 {
		if left, err = archive(ctx, aside, files); err != nil {
			return nil, fmt.Errorf("back up files to %s: %w", to, err)
		}
	}
	if err := syncFile(aside); err != nil {
		return nil, fmt.Errorf("back up to %s: %w", to, err)
	}
	if err := notTaken(to); err != nil { // it may have come meanwhile
		return nil, err
	}
	return left, os.Rename(aside, to)
}

// copyDatabase copies a database in use. VACUUM INTO takes an empty file as a new one
// and keeps its narrow rights.
func copyDatabase(ctx context.Context, from, to string) error {
	db, err := open(from, "_txlock=deferred"+incremental, 1)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO $1`, to)
	return errors.Join(err, db.Close())
}

// reserve makes an empty file beside the backup; a name that is taken stays as it is.
func reserve(path string) (aside string, err error) {
	if err := notTaken(path); err != nil {
		return "", err
	}
	aside = fmt.Sprintf("%s.%s.part", path, rand.Text())
	f, err := os.OpenFile(aside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("backup %s cannot be written: %w", path, err)
	}
	return aside, f.Close()
}

// notTaken reports whether a name is not taken yet, as an error where it is.
func notTaken(path string) error {
	_, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("backup %s cannot be written: %w", path, err)
	default:
		return fmt.Errorf("backup %s exists already; choose another name", path)
	}
}

// syncFile waits until a file is on the disk, and its name in its folder.
func syncFile(path string) error {
	for _, name := range []string{path, filepath.Dir(path)} {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// private opens a database that no server has, as one plain file without a log beside it.
func private(path string) (*sql.DB, error) {
	return sql.Open(driverName, uri(path)+"?_journal_mode=OFF&_synchronous=OFF"+incremental)
}
