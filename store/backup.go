package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// reserve makes the empty file of a backup; a name that is taken stays as it is.
func reserve(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("backup %s exists already; choose another name", path)
	}
	if err != nil {
		return fmt.Errorf("backup %s cannot be written: %w", path, err)
	}
	return f.Close()
}

// Backup writes a consistent copy to a file that must not exist yet. It may
// run while the server is serving.
func Backup(ctx context.Context, from, to string) error {
	if _, err := os.Stat(from); err != nil {
		return fmt.Errorf("database %s cannot be read: %w", from, err)
	}
	db, err := open(from, "_txlock=deferred", 1)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := reserve(to); err != nil {
		return err
	}
	// VACUUM INTO takes an empty file as a new one and keeps its narrow rights.
	if _, err := db.ExecContext(ctx, `VACUUM INTO $1`, to); err != nil {
		return errors.Join(fmt.Errorf("back up to %s: %w", to, err), os.Remove(to))
	}
	return nil
}
