package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"fusebox/agent"
)

// minFree is how much of the disk has to be free: a database that runs out of it in
// the middle of a run is worse than one that says so before.
const minFree = 8 << 20

// Room is Full where the disk with the database is: nothing is begun then that has to be
// kept. It asks the file system, and writes nothing.
func (c *core) Room() error {
	free, known := freeBytes(filepath.Dir(c.path))
	if !known || free >= minFree {
		return nil
	}
	return agent.Errorf(agent.Full, "The disk with the database is full: %d MB are left, at least %d MB are needed.", free>>20, minFree>>20)
}

// told is what people are told of a change that failed: where the disk is full, they hear that.
func told(err error) error {
	var e sqlite3.Error
	if errors.As(err, &e) && (e.Code == sqlite3.ErrFull || e.SystemErrno == syscall.ENOSPC || e.SystemErrno == syscall.EDQUOT) {
		return agent.Wrap(agent.Full, err, "The disk with the database is full.")
	}
	return err
}

// Writable writes the page that holds the settings of the file, the way all changes are
// written. Unavailable where that fails or takes longer than ctx allows: the disk may be
// full, the folder gone, or another program may hold the database.
func (s *Store) Writable(ctx context.Context) error {
	if err := s.Room(); err != nil {
		return agent.Wrap(agent.Unavailable, err, "%s", agent.MessageOf(err))
	}
	done := make(chan error, 1)
	go func() {
		done <- s.write.do(ctx, false, func(t *tx) error {
			var mark int32
			if err := t.row(`PRAGMA user_version`).Scan(&mark); err != nil {
				return err
			}
			_, err := t.exec(fmt.Sprintf(`PRAGMA user_version = %d`, mark^1))
			return err
		})
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		return agent.Wrap(agent.Unavailable, err, "The database cannot be written: the disk may be full, or the file may be damaged or locked.")
	}
	return nil
}
