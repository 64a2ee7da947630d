package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/mattn/go-sqlite3"

	"fusebox/agent"
)

// Bounds of the writer: how many writes wait at most, and how many share a commit.
const (
	queueSize = 1024
	groupSize = 256
)

// checkpointPages is how long the write-ahead log grows, in pages of 4 KB, before its
// pages are copied into the database. Runs write the same pages again and again: the
// longer the log, the fewer copies and waits for the disk.
const checkpointPages = 4000

// Options say where the database is, what changes work with, and who is told of commits.
type Options struct {
	// Path is the database file; its folder is made with mode 0700.
	Path  string
	Clock agent.Clock
	NewID agent.NewID
	// Log hears of panics and of files that others changed. It is required.
	Log *slog.Logger
	// OnCommit gets the events of each commit, after it, in order. It must not block.
	OnCommit func([]agent.Event)
	// OnPosted is called after each commit that adds notifications. It must not block.
	OnPosted func()
	// OnGroup gets the measures of each commit. It must neither block nor allocate.
	OnGroup func(GroupStats)
}

// writer is the one connection that writes. Writes that wait are committed
// together, by one of those who wait: each of several runs in a savepoint of its own,
// so that one which fails takes back nothing of the others, and one fsync serves them
// all. Who finds the connection free commits without waiting for another goroutine.
type writer struct {
	options Options
	db      *sql.DB
	conn    *connection
	queue   chan *write
	turn    chan struct{} // one token
	quit    chan struct{} // closed when nothing more is queued
	done    chan struct{} // closed when nothing more is written
}

// GroupStats are the measures of one commit.
type GroupStats struct {
	// Writes is how many writes shared the commit, Waiting how many were queued when
	// it ended.
	Writes, Waiting int
	// Took is the time from the beginning of the transaction until it was durable.
	Took time.Duration
}

func newWriter(ctx context.Context, o Options, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the writing connection: %w", err)
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA wal_autocheckpoint = %d`, checkpointPages)); err != nil {
		return nil, errors.Join(fmt.Errorf("set the checkpoint: %w", err), conn.Close())
	}
	w := &writer{
		options: o, db: db, conn: &connection{Conn: conn, clock: o.Clock, newID: o.NewID, full: true, log: o.Log},
		queue: make(chan *write, queueSize), turn: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	w.turn <- struct{}{}
	return w, nil
}

// ErrClosed is the answer to who comes when nothing is written any more.
var ErrClosed = &agent.Error{Code: agent.Unavailable, Message: "The server is shutting down."}

// do queues a change and waits for what becomes of it; see DB.Write.
func (w *writer) do(ctx context.Context, durable bool, fn func(*Tx) error) error {
	req := &write{fn: fn, durable: durable, done: make(chan struct{})}
	select {
	case w.queue <- req:
	case <-w.quit:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for {
		select {
		case <-req.done:
			return told(req.err)
		case <-w.turn:
			w.commitWaiting()
		case <-w.done:
			select {
			case <-req.done:
				return told(req.err)
			default:
				return ErrClosed
			}
		}
	}
}

// commitWaiting commits what is waiting and passes the turn on, even where it panics.
func (w *writer) commitWaiting() {
	defer func() { w.turn <- struct{}{} }()
	w.commit(w.gather())
}

// alone calls fn with the writing connection while nothing else is written. ctx only
// bounds the wait for the turn.
func (w *writer) alone(ctx context.Context, fn func() error) error {
	select {
	case <-w.turn:
		defer func() { w.turn <- struct{}{} }()
		return fn()
	case <-w.quit:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// gather takes what is waiting, without waiting for more.
func (w *writer) gather() []*write {
	var group []*write
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
	if len(group) == 0 {
		return
	}
	begun := time.Now()
	err := w.conn.transact(group)
	if err == nil && w.options.OnGroup != nil {
		w.options.OnGroup(GroupStats{Writes: len(group), Waiting: len(w.queue), Took: time.Since(begun)})
	}
	var events []agent.Event
	posted := false
	for _, req := range group {
		if req.err == nil {
			req.err = err
		}
		if req.err == nil {
			events = append(events, req.tx.Events...)
			posted = posted || req.tx.Posted
		}
	}
	if posted && w.options.OnPosted != nil {
		w.options.OnPosted()
	}
	if len(events) > 0 && w.options.OnCommit != nil {
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
			w.options.Log.Error("a listener of commits panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	w.options.OnCommit(events)
}

// close commits what is queued and keeps the turn: who comes now is refused.
func (w *writer) close() error {
	close(w.quit)
	<-w.turn
	for group := w.gather(); len(group) > 0; group = w.gather() {
		w.commit(group)
	}
	close(w.done)
	return errors.Join(w.conn.Close(), w.db.Close())
}

// told is what people are told of a change that failed: where the disk is full, they hear that.
func told(err error) error {
	var e sqlite3.Error
	if errors.As(err, &e) && (e.Code == sqlite3.ErrFull || e.SystemErrno == syscall.ENOSPC || e.SystemErrno == syscall.EDQUOT) {
		return agent.Wrap(agent.Full, err, "The disk with the database is full.")
	}
	return err
}
