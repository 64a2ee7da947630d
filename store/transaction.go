package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// transact runs a group in one transaction.
func (w *writer) transact(group []*write) error {
	ctx := context.Background()
	if err := w.files.inPlace(); err != nil {
		return err
	}
	if err := w.synchronize(ctx, group); err != nil {
		return err
	}
	if _, err := w.conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if len(group) == 1 {
		if err := w.run(ctx, group[0]); err != nil {
			return w.rollback(ctx, err)
		}
	} else if err := w.runAll(ctx, group); err != nil {
		return err
	}
	if _, err := w.conn.ExecContext(ctx, `COMMIT`); err != nil {
		return w.rollback(ctx, fmt.Errorf("commit: %w", err))
	}
	return nil
}

// rollback takes the transaction back, unless SQLite has done so already.
func (w *writer) rollback(ctx context.Context, because error) error {
	if !w.inTransaction() {
		return because
	}
	if _, err := w.conn.ExecContext(ctx, `ROLLBACK`); err != nil {
		return errors.Join(because, fmt.Errorf("roll back: %w", err))
	}
	return because
}

// runAll runs the changes of a group, each in a savepoint of its own.
func (w *writer) runAll(ctx context.Context, group []*write) error {
	for _, req := range group {
		if req.err = w.savepoint(ctx, req); req.err != nil && !w.inTransaction() {
			// A full disk, say, takes the whole transaction back. Going on would
			// commit later changes one by one and then report them as failed.
			return fmt.Errorf("the transaction was taken back: %w", req.err)
		}
	}
	return nil
}

// inTransaction reports whether the connection's transaction is still open.
func (w *writer) inTransaction() bool {
	open := false
	err := w.conn.Raw(func(driver any) error {
		c, ok := driver.(interface{ AutoCommit() bool })
		open = ok && !c.AutoCommit()
		return nil
	})
	return err == nil && open
}

// synchronize lets a group wait for the disk where one of its changes must
// survive a power loss. Streamed deltas alone need not: the next durable
// commit takes them along.
func (w *writer) synchronize(ctx context.Context, group []*write) error {
	full := false
	for _, req := range group {
		full = full || req.durable
	}
	if full == w.full {
		return nil
	}
	pragma := `PRAGMA synchronous = NORMAL`
	if full {
		pragma = `PRAGMA synchronous = FULL`
	}
	if _, err := w.conn.ExecContext(ctx, pragma); err != nil {
		return fmt.Errorf("set synchronous: %w", err)
	}
	w.full = full
	return nil
}

// savepoint runs one change; a failing or panicking one is rolled back alone.
func (w *writer) savepoint(ctx context.Context, req *write) error {
	if _, err := w.conn.ExecContext(ctx, `SAVEPOINT one`); err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	err := w.run(ctx, req)
	end := `RELEASE one`
	if err != nil {
		end = `ROLLBACK TO one; RELEASE one`
	}
	if _, endErr := w.conn.ExecContext(ctx, end); endErr != nil {
		err = errors.Join(err, fmt.Errorf("end savepoint: %w", endErr))
	}
	return err
}

// run runs one change; a panic is its error.
func (w *writer) run(ctx context.Context, req *write) (err error) {
	req.tx = tx{clock: w.clock, newID: w.newID, ctx: ctx, conn: w.conn}
	defer func() {
		if p := recover(); p != nil {
			w.log.Error("a write panicked", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("a write panicked: %v", p)
		}
	}()
	return req.fn(&req.tx)
}
