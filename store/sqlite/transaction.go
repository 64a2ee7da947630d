package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"fusebox/agent"
)

// connection is the one that writes. It belongs to whoever has the writer's turn.
type connection struct {
	*sql.Conn
	clock agent.Clock
	newID agent.NewID
	files *files
	full  bool // its synchronous setting
	log   *slog.Logger
}

// write is one waiting change.
type write struct {
	fn      func(*Tx) error
	durable bool
	tx      Tx
	err     error
	done    chan struct{}
}

// transact runs a group in one transaction.
func (c *connection) transact(group []*write) error {
	ctx := context.Background()
	if err := c.files.inPlace(); err != nil {
		return err
	}
	if err := c.synchronize(ctx, group); err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if len(group) == 1 {
		if err := c.run(ctx, group[0]); err != nil {
			return c.rollback(ctx, err)
		}
	} else if err := c.runAll(ctx, group); err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, `COMMIT`); err != nil {
		return c.rollback(ctx, fmt.Errorf("commit: %w", err))
	}
	return nil
}

// rollback takes the transaction back, unless SQLite has done so already.
func (c *connection) rollback(ctx context.Context, because error) error {
	if !c.inTransaction() {
		return because
	}
	if _, err := c.ExecContext(ctx, `ROLLBACK`); err != nil {
		return errors.Join(because, fmt.Errorf("roll back: %w", err))
	}
	return because
}

// runAll runs the changes of a group, each in a savepoint of its own.
func (c *connection) runAll(ctx context.Context, group []*write) error {
	for _, req := range group {
		if req.err = c.savepoint(ctx, req); req.err != nil && !c.inTransaction() {
			// A full disk, say, takes the whole transaction back. Going on would
			// commit later changes one by one and then report them as failed.
			return fmt.Errorf("the transaction was taken back: %w", req.err)
		}
	}
	return nil
}

// inTransaction reports whether the connection's transaction is still open.
func (c *connection) inTransaction() bool {
	open := false
	err := c.Raw(func(driver any) error {
		d, ok := driver.(interface{ AutoCommit() bool })
		open = ok && !d.AutoCommit()
		return nil
	})
	return err == nil && open
}

// synchronize lets a group wait for the disk where one of its changes must
// survive a power loss. Streamed deltas alone need not: the next durable
// commit takes them along.
func (c *connection) synchronize(ctx context.Context, group []*write) error {
	full := false
	for _, req := range group {
		full = full || req.durable
	}
	if full == c.full {
		return nil
	}
	pragma := `PRAGMA synchronous = NORMAL`
	if full {
		pragma = `PRAGMA synchronous = FULL`
	}
	if _, err := c.ExecContext(ctx, pragma); err != nil {
		return fmt.Errorf("set synchronous: %w", err)
	}
	c.full = full
	return nil
}

// savepoint runs one change; a failing or panicking one is rolled back alone.
func (c *connection) savepoint(ctx context.Context, req *write) error {
	if _, err := c.ExecContext(ctx, `SAVEPOINT one`); err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	err := c.run(ctx, req)
	end := `RELEASE one`
	if err != nil {
		end = `ROLLBACK TO one; RELEASE one`
	}
	if _, endErr := c.ExecContext(ctx, end); endErr != nil {
		err = errors.Join(err, fmt.Errorf("end savepoint: %w", endErr))
	}
	return err
}

// run runs one change; a panic is its error.
func (c *connection) run(ctx context.Context, req *write) (err error) {
	req.tx = Tx{Clock: c.clock, NewID: c.newID, ctx: ctx, conn: c.Conn}
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("a write panicked", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("a write panicked: %v", p)
		}
	}()
	return req.fn(&req.tx)
}
