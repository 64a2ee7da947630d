package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync/atomic"

	"fusebox/agent"
)

// tx is what a change works with: the writer's connection within a
// transaction, and the events to tell of once it is committed.
type tx struct {
	clock  agent.Clock
	newID  agent.NewID
	ctx    context.Context
	conn   *sql.Conn
	events []agent.Event
	posted bool // there are notifications to send
}

func (t *tx) exec(query string, args ...any) (int64, error) {
	res, err := t.conn.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (t *tx) row(query string, args ...any) *sql.Row {
	return t.conn.QueryRowContext(t.ctx, query, args...)
}

// each runs a statement and hands every row over.
func (t *tx) each(scan func(scanner) error, query string, args ...any) error {
	return each(t.ctx, t.conn, scan, query, args...)
}

// core is what the types of all aggregates share: the pool of readers, the one
// writer, and what changes need to know.
type core struct {
	env
	path     string // of the file
	read     *sql.DB
	write    *writer
	lane     *lane
	branches branches
	deleted  atomic.Bool // something was deleted that the write-ahead log still has
	files    *files
	uses     tokenUses
	log      *slog.Logger
}

// readers is the size of the pool of read connections.
const readers = 8

// openCore opens the database, making and migrating it where needed.
func openCore(ctx context.Context, o Options) (*core, error) {
	if err := prepareFile(o.Path); err != nil {
		return nil, err
	}
	db, err := open(o.Path, "_txlock=immediate&_synchronous=FULL"+incremental, 1)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	read, err := open(o.Path, "_query_only=1", readers)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return newCore(ctx, o, db, read)
}

// newCore puts the writing connection and the readers of an open database together.
func newCore(ctx context.Context, o Options, db, read *sql.DB) (*core, error) {
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	e := o.env()
	w, err := newWriter(ctx, e.clock, e.newID, db, o.OnCommit, o.OnOutbox, o.OnGroup, log)
	if err != nil {
		return nil, errors.Join(err, read.Close(), db.Close())
	}
	seen, err := lookAtFiles(o.Path)
	if err != nil {
		return nil, errors.Join(err, read.Close(), w.close())
	}
	w.files = seen
	c := &core{env: e, path: o.Path, read: read, write: w, lane: newLane(w), branches: newBranches(), uses: newTokenUses(), files: seen, log: log}
	c.deleted.Store(true) // perhaps, by a process that was killed
	return c, nil
}

// view reads in one transaction, so that all of it is of one moment.
func (c *core) view(ctx context.Context, read func(reader) error) error {
	t, err := c.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = t.Rollback() }()
	return read(t)
}

// close writes what is queued and closes the database. The writer is the last: who closes
// last takes the write-ahead log into the file, and a reader whose last query was
// interrupted would not.
func (c *core) close() error {
	c.lane.close()
	return errors.Join(c.read.Close(), c.write.close())
}
