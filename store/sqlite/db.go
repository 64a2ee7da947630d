package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"sync/atomic"

	"fusebox/agent"
)

// DB is an open database: a pool of readers, and the one writer. It is safe for concurrent use.
type DB struct {
	path    string
	read    *sql.DB
	write   *writer
	files   *files
	deleted atomic.Bool // something was deleted that the write-ahead log still has
}

// readers is the size of the pool of read connections.
const readers = 8

// Open opens the database, making and migrating it where needed. A schema that is
// newer than this program is refused.
func Open(ctx context.Context, o Options) (*DB, error) {
	if err := prepareFile(o.Path); err != nil {
		return nil, err
	}
	write, err := Connect(o.Path, "_txlock=immediate&_synchronous=FULL"+Incremental, 1)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, write); err != nil {
		return nil, errors.Join(err, write.Close())
	}
	read, err := Connect(o.Path, "_query_only=1", readers)
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	return New(ctx, o, write, read)
}

// New puts the writing connection and the readers of an open database together.
func New(ctx context.Context, o Options, write, read *sql.DB) (*DB, error) {
	w, err := newWriter(ctx, o, write)
	if err != nil {
		return nil, errors.Join(err, read.Close(), write.Close())
	}
	if w.conn.files, err = lookAtFiles(o.Path); err != nil {
		return nil, errors.Join(err, read.Close(), w.close())
	}
	db := &DB{path: o.Path, read: read, write: w, files: w.conn.files}
	db.NoteDeletion() // perhaps, by a process that was killed
	return db, nil
}

// Write runs a change and returns once it is committed, or rolled back; a durable one
// survives a power loss. ctx only bounds the wait for a place in the queue: what has been
// queued is done.
func (db *DB) Write(ctx context.Context, durable bool, change func(*Tx) error) error {
	return db.write.do(ctx, durable, change)
}

// Exec is Write of one statement.
func (db *DB) Exec(ctx context.Context, durable bool, statement string, args ...any) error {
	return db.Write(ctx, durable, func(t *Tx) error {
		_, err := t.Exec(statement, args...)
		return err
	})
}

// View reads in one transaction, so that all of it is of one moment.
func (db *DB) View(ctx context.Context, read func(Reader) error) error {
	t, err := db.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = t.Rollback() }()
	return read(t)
}

// QueryContext asks one of the readers.
func (db *DB) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return db.read.QueryContext(ctx, query, args...)
}

// QueryRowContext asks one of the readers for a row.
func (db *DB) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return db.read.QueryRowContext(ctx, query, args...)
}

// FilesIntact checks that the database's files and locks are still those of this
// process. Once they are not, the answer stays, code Unavailable, and nothing more
// is written: what would be acknowledged could be lost.
func (db *DB) FilesIntact() error { return db.files.intact() }

// OwnsFile reports whether a file is one that the database has open. Nothing else in
// this process may open it: closing it would drop SQLite's locks.
func (db *DB) OwnsFile(info fs.FileInfo) bool { return db.files.owns(info) }

// minFree is how much of the disk has to be free: a database that runs out of it in
// the middle of a run is worse than one that says so before.
const minFree = 8 << 20

// Room is Full where the disk with the database is: nothing is begun then that has to be
// kept. It asks the file system, and writes nothing.
func (db *DB) Room() error {
	free, known := freeBytes(filepath.Dir(db.path))
	if !known || free >= minFree {
		return nil
	}
	return agent.Errorf(agent.Full, "The disk with the database is full: %d MB are left, at least %d MB are needed.", free>>20, minFree>>20)
}

// Close writes what is queued and closes the database. The writer comes last: the last to
// close takes the write-ahead log into the file, and a reader whose last query was
// interrupted would not. A reader that is still in use then leaves the log where it is.
func (db *DB) Close() error { return errors.Join(db.read.Close(), db.write.close()) }

// NoteDeletion has the next Erase do its work: something was deleted.
func (db *DB) NoteDeletion() { db.deleted.Store(true) }
