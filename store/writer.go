package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/mattn/go-sqlite3"

	"fusebox/agent"
)

// Bounds of the writer: how many writes wait at most, and how many share a commit.
const (
	queueSize = 1024
	groupSize = 256
)

// writer is the one goroutine that writes. Writes that wait are committed
// together: each runs in a savepoint of its own, so that one which fails takes
// back nothing of the others, and one fsync serves them all.
type writer struct {
	env      env
	db       *sql.DB
	conn     *sql.Conn
	queue    chan *write
	quit     chan struct{}
	done     chan struct{}
	onCommit func([]agent.Event)
	onOutbox func()
	log      *slog.Logger
	full     bool // the connection's synchronous setting
}

// write is one waiting change.
type write struct {
	fn      func(*tx) error
	durable bool
	tx      tx
	err     error
	done    chan struct{}
}

func newWriter(ctx context.Context, e env, db *sql.DB, onCommit func([]agent.Event), onOutbox func(), log *slog.Logger) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the writing connection: %w", err)
	}
	if onCommit == nil {
		onCommit = func([]agent.Event) {}
	}
	if onOutbox == nil {
		onOutbox = func() {}
	}
	w := &writer{
		env: e, db: db, conn: conn, queue: make(chan *write, queueSize), quit: make(chan struct{}),
		done: make(chan struct{}), onCommit: onCommit, onOutbox: onOutbox, log: log, full: true,
	}
	go w.loop()
	return w, nil
}

var errClosed = &agent.Error{Code: agent.Unavailable, Message: "The server is shutting down."}

// do runs a change and returns once it is committed, or rolled back. ctx only
// bounds the wait for a place in the queue: what has been queued is done.
func (w *writer) do(ctx context.Context, durable bool, fn func(*tx) error) error {
	req := &write{fn: fn, durable: durable, done: make(chan struct{})}
	select {
	case w.queue <- req:
	case <-w.quit:
		return errClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-req.done:
		return req.err
	case <-w.done:
	}
	select { // the loop has ended: what it did before that counts
	case <-req.done:
		return req.err
	default:
		return errClosed
	}
}

func (w *writer) loop() {
	defer close(w.done)
	for {
		select {
		case first := <-w.queue:
			w.commit(w.gather(first))
		case <-w.quit:
			for {
				select {
				case first := <-w.queue:
					w.commit(w.gather(first))
				default:
					return
				}
			}
		}
	}
}

// gather takes what else is waiting, without waiting for more.
func (w *writer) gather(first *write) []*write {
	group := []*write{first}
	for len(group) < groupSize {
		select {
		case next := <-w.queue:
			group = append(group, next)
		default:
			return group
		}
	}
	return group
}

// commit runs a group in one transaction and answers everyone.
func (w *writer) commit(group []*write) {
	err := w.transact(group)
	var events []agent.Event
	posted := false
	for _, req := range group {
		if req.err == nil {
			req.err = err
		}
		if req.err == nil {
			events = append(events, req.tx.events...)
			posted = posted || req.tx.posted
		}
	}
	if posted {
		w.onOutbox()
	}
	if len(events) > 0 {
		w.tell(events)
	}
	for _, req := range group {
		close(req.done)
	}
}

// tell passes committed events on. A listener that panics must not take the
// writer with it: what is committed is answered, and readers fill the hole
// from the store.
func (w *writer) tell(events []agent.Event) {
	defer func() {
		if p := recover(); p != nil {
			w.log.Error("a listener of commits panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	w.onCommit(events)
}

func (w *writer) transact(group []*write) error {
	ctx := context.Background()
	if err := w.synchronize(ctx, group); err != nil {
		return err
	}
	if _, err := w.conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	for _, req := range group {
		if req.err = w.savepoint(ctx, req); req.err != nil && !w.inTransaction() {
			// A full disk, say, takes the whole transaction back. Going on would
			// commit later changes one by one and then report them as failed.
			return fmt.Errorf("the transaction was taken back: %w", req.err)
		}
	}
	if _, err := w.conn.ExecContext(ctx, `COMMIT`); err != nil {
		_, rollback := w.conn.ExecContext(ctx, `ROLLBACK`)
		return errors.Join(fmt.Errorf("commit: %w", err), rollback)
	}
	return nil
}

// inTransaction reports whether the connection's transaction is still open.
func (w *writer) inTransaction() bool {
	open := false
	err := w.conn.Raw(func(driver any) error {
		c, ok := driver.(*sqlite3.SQLiteConn)
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
func (w *writer) savepoint(ctx context.Context, req *write) (err error) {
	req.tx = tx{env: w.env, ctx: ctx, conn: w.conn}
	if _, err := w.conn.ExecContext(ctx, `SAVEPOINT one`); err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	defer func() {
		if p := recover(); p != nil {
			w.log.Error("a write panicked", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("a write panicked: %v", p)
		}
		end := `RELEASE one`
		if err != nil {
			end = `ROLLBACK TO one; RELEASE one`
		}
		if _, endErr := w.conn.ExecContext(ctx, end); endErr != nil {
			err = errors.Join(err, fmt.Errorf("end savepoint: %w", endErr))
		}
	}()
	return req.fn(&req.tx)
}

func (w *writer) close() error {
	close(w.quit)
	<-w.done
	return errors.Join(w.conn.Close(), w.db.Close())
}
