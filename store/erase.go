package store

import (
	"context"
	"errors"
	"fmt"
)

// eraseWait is how long, in milliseconds, one attempt to empty the write-ahead log
// waits for readers. Runs wait with it.
const eraseWait = 50

// Erase takes what was deleted out of the files: the database overwrites it when it
// is deleted, but the write-ahead log keeps the pages as they were until it is emptied.
// Where nothing was deleted since the last time it does nothing. done is false where
// readers were in the way: it is to be called again soon.
func (s *EventLog) Erase(ctx context.Context) (done bool, err error) {
	if !s.deleted.Swap(false) {
		return true, nil
	}
	err = s.write.alone(ctx, func() error {
		done, err = s.write.emptyLog(ctx)
		return err
	})
	if !done {
		s.deleted.Store(true)
	}
	return done, err
}

// forget notes that a conversation was deleted.
func (c *core) forget(conversationID string) {
	c.branches.kept.Take(conversationID)
	c.deleted.Store(true)
}

// emptyLog copies the write-ahead log into the database and cuts it to nothing; false
// where a reader still needs it.
func (w *writer) emptyLog(ctx context.Context) (done bool, err error) {
	if _, err := w.conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, eraseWait)); err != nil {
		return false, fmt.Errorf("shorten the wait: %w", err)
	}
	var busy, pages, copied int
	err = w.conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &copied)
	if isLocked(err) {
		busy, err = 1, nil
	}
	_, restored := w.conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, busyTimeout))
	return err == nil && busy == 0, errors.Join(err, restored)
}
