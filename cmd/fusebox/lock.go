package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// lockData makes this process the only server of a data folder, and of a database
// wherever it is. Holding the locks proves that no other process is running:
// whatever a run's row says of its owner, that owner is gone. The kernel drops
// the locks when the process ends, however it ends.
func lockData(dir, database string) (release func(), err error) {
	folder, err := lockFile(filepath.Join(dir, "fusebox.lock"), fmt.Sprintf("data folder %s", dir), "-data")
	if err != nil {
		return nil, err
	}
	beside, err := lockPath(database)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	base, err := lockFile(beside, fmt.Sprintf("database %s", database), "-db")
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return func() { _, _ = folder.Close(), base.Close() }, nil // the kernel drops the locks either way
}

// lockDatabase locks the file itself too, which may have other names than the one by
// which lockData finds its lock: hard links. It makes the file where there is none. The
// file stays open until the store is closed, because SQLite's own locks would go with it.
func lockDatabase(database string) (release func(), err error) {
	f, err := lockFile(database, fmt.Sprintf("database %s", database), "-db")
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil // the kernel drops the lock either way
}

// lockFile takes the lock of a file, which is made where there is none. What names
// whose lock it is, flag how to choose another one.
func lockFile(path, what, flag string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("%s cannot be created: %w", what, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", what, err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("%s is in use by another server; stop it, or choose another one with %s", what, flag)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// lockPath is the lock file of a database: beside the file itself, by whichever
// symbolic links it was named.
func lockPath(database string) (string, error) {
	target, err := filepath.EvalSymlinks(database)
	if errors.Is(err, fs.ErrNotExist) {
		target, err = database, nil // it is made at the first start
	}
	if err != nil {
		return "", fmt.Errorf("database %s cannot be found: %w", database, err)
	}
	return target + ".lock", nil
}
