package backup

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Create writes a consistent copy of a database to a file that must not exist yet. It
// may run while the server is serving. The copy holds files too, where there are any:
// see archive. A file with the name of the backup is always a whole one: it is written
// under another name first.
func Create(ctx context.Context, from, to string, files Files) (made agent.Backup, err error) {
	made.At = time.Now()
	if _, err := os.Stat(from); err != nil {
		return made, fmt.Errorf("database %s cannot be read: %w", from, err)
	}
	aside, err := reserve(to)
	if err != nil {
		return made, err
	}
	defer func() {
		if removed := os.Remove(aside); err == nil && !errors.Is(removed, fs.ErrNotExist) {
			err = removed
		}
	}()
	if err := copyDatabase(ctx, from, aside); err != nil {
		return made, fmt.Errorf("back up to %s: %w", to, err)
	}
	if len(files.Folders) > 0 {
		if err := archive(ctx, aside, files, &made); err != nil {
			return made, fmt.Errorf("back up files to %s: %w", to, err)
		}
	}
	if err := syncFile(aside); err != nil {
		return made, fmt.Errorf("back up to %s: %w", to, err)
	}
	if err := notTaken(to); err != nil { // it may have come meanwhile
		return made, err
	}
	info, err := os.Stat(aside)
	if err != nil {
		return made, err
	}
	made.Bytes = info.Size()
	return made, os.Rename(aside, to)
}

// maxShown is how many files that a backup lacks are kept by their names.
const maxShown = 100

// Note keeps in the database what its last backup was. It takes the database as it
// is: it may be of another version.
func Note(ctx context.Context, database string, made agent.Backup) error {
	if n := len(made.Missing) - maxShown; n > 0 {
		made.Missing, made.More = made.Missing[:maxShown], made.More+n
	}
	text, err := json.Marshal(made)
	if err != nil {
		return err
	}
	db, err := sqlite.Connect(database, "_txlock=immediate"+sqlite.Incremental, 1)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `INSERT INTO settings (key, value) VALUES ($1, $2)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, agent.LastBackupKey, string(text))
	return errors.Join(err, db.Close())
}

// copyDatabase copies a database in use. VACUUM INTO takes an empty file as a new one
// and keeps its narrow rights.
func copyDatabase(ctx context.Context, from, to string) error {
	db, err := sqlite.Connect(from, "_txlock=deferred"+sqlite.Incremental, 1)
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
