package store

import (
	"context"
	"fmt"
	"path/filepath"

	"fusebox/agent"
)

// minFree is how much of the disk has to be free: a database that runs out of it in
// the middle of a run is worse than one that says so before.
const minFree = 8 << 20

// Writable writes the page that holds the settings of the file, the way all changes are
// written. Unavailable where that fails or takes longer than ctx allows: the disk may be
// full, the folder gone, or another program may hold the database.
func (s *Store) Writable(ctx context.Context) error {
	if free, known := freeBytes(filepath.Dir(s.path)); known && free < minFree {
		return agent.Errorf(agent.Unavailable, "The disk with the database is full: %d MB are left, at least %d MB are needed.", free>>20, minFree>>20)
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
