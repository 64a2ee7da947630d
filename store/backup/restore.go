package backup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"

	"fusebox/store/sqlite"
)

// Restore puts a backup in the place of a database that does not exist, and its files
// below a folder. It returns how many files there were. The backup is checked first
// and stays as it is; where it is broken, or of a newer program, nothing is written.
func Restore(ctx context.Context, from, to string, into *os.Root) (files int, err error) {
	if _, err := os.Lstat(to); err == nil {
		return 0, fmt.Errorf("database %s exists already; move it away first", to)
	}
	if err := sqlite.PrepareFolder(to); err != nil {
		return 0, err
	}
	aside := to + ".restoring"
	if err := copyFile(from, aside); err != nil {
		return 0, fmt.Errorf("backup %s cannot be copied: %w", from, err)
	}
	defer func() { _ = os.Remove(aside) }()
	if files, err = adopt(ctx, aside, into); err != nil {
		return 0, fmt.Errorf("restore %s: %w", from, err)
	}
	if err := syncFile(aside); err != nil {
		return 0, err
	}
	return files, os.Rename(aside, to)
}

// copyFile copies a file to one that only its owner may read, in place of what an
// earlier attempt has left.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// adopt checks the copy of a backup, and takes its files out of it.
func adopt(ctx context.Context, path string, into *os.Root) (files int, err error) {
	db, err := sqlite.Private(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := checkWhole(ctx, db); err != nil {
		return 0, err
	}
	if files, err = unpack(ctx, db, into); err != nil {
		return files, err
	}
	_, err = db.ExecContext(ctx, `VACUUM`)
	return files, err
}

// checkWhole is nil for a whole database of a version that this program knows.
func checkWhole(ctx context.Context, db *sql.DB) error {
	var answer string
	if err := db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&answer); err != nil {
		return fmt.Errorf("it is no whole backup: %w", err)
	}
	if answer != "ok" {
		return fmt.Errorf("it is no whole backup: %s", answer)
	}
	have, err := sqlite.SchemaVersion(ctx, db)
	if err == nil && have == 0 {
		err = errors.New("it is not a backup of this program: it has no schema version")
	}
	return err
}
