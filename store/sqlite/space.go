package sqlite

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
func (db *DB) Erase(ctx context.Context) (done bool, err error) {
	if !db.deleted.Swap(false) {
		return true, nil
	}
	err = db.write.alone(ctx, func() error {
		// An interrupted connection would keep the short wait, and not empty the log when it is closed.
		done, err = db.write.conn.emptyLog(context.WithoutCancel(ctx))
		return err
	})
	if !done {
		db.NoteDeletion()
	}
	return done, err
}

// emptyLog copies the write-ahead log into the database and cuts it to nothing; false
// where a reader still needs it.
func (c *connection) emptyLog(ctx context.Context) (done bool, err error) {
	if _, err := c.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, eraseWait)); err != nil {
		return false, fmt.Errorf("shorten the wait: %w", err)
	}
	var busy, pages, copied int
	err = c.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &copied)
	if isLocked(err) {
		busy, err = 1, nil
	}
	_, restored := c.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, busyTimeout))
	return err == nil && busy == 0, errors.Join(err, restored)
}

// vacuumStep is how many pages one write gives back. It takes about a millisecond, so
// that runs do not wait for it.
const vacuumStep = 64

// spareShare is the share of a file that stays free for what is written next: one in so many pages.
const spareShare = 8

// ReturnSpace gives some of the pages that were freed back to the file system, in one
// short write, and returns how many; 0 where there is nothing left to do. A share of
// the file stays free for what is written next. Databases that were made before there
// was incremental vacuum return nothing: their free pages are used again.
func (db *DB) ReturnSpace(ctx context.Context) (pages int64, err error) {
	const incremental = 2
	err = db.write.do(ctx, false, func(t *Tx) error {
		var mode, free, before, after int64
		for pragma, into := range map[string]*int64{"auto_vacuum": &mode, "freelist_count": &free, "page_count": &before} {
			if err := t.Row(`PRAGMA ` + pragma).Scan(into); err != nil {
				return err
			}
		}
		if mode != incremental || free-before/spareShare < vacuumStep {
			return nil
		}
		// Each row that is read is one page that is given back.
		if err := t.Each(func(Scanner) error { return nil }, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, vacuumStep)); err != nil {
			return err
		}
		err := t.Row(`PRAGMA page_count`).Scan(&after)
		pages = before - after
		return err
	})
	return pages, err
}
