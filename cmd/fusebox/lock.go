package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockData makes this process the only server of a data folder. Holding the
// lock proves that no other process is running: whatever a run's row says of
// its owner, that owner is gone. The kernel drops the lock when the process
// ends, however it ends.
func lockData(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data folder %s cannot be created: %w", dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "fusebox.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data folder %s cannot be written: %w", dir, err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("data folder %s is in use by another server; stop it, or choose another folder with -data", dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // the kernel drops the lock either way
}
