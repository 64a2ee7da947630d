package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/migrations"
)

// Options say where the database is and who hears of commits.
type Options struct {
	// Path is the database file; its folder is made with mode 0700.
	Path   string
	Clock  agent.Clock
	NewID  agent.NewID
	Logger *slog.Logger
	// Channels are those by which people outside are told.
	Channels Channels
	// Zone is where the days, weeks and months of budgets begin; nil is UTC.
	Zone *time.Location
	// OnCommit gets the events of each commit, after it, in order. It must not block.
	OnCommit func([]agent.Event)
	// OnOutbox is called after each commit that has people told. It must not block.
	OnOutbox func()
}

// Store is the database. It is safe for concurrent use.
type Store struct {
	env
	read  *sql.DB
	write *writer
	log   *slog.Logger
}

var (
	_ agent.Journal     = (*Store)(nil)
	_ service.DeskStore = (*Store)(nil)
)

// readers is the size of the pool of read connections.
const readers = 8

// Open opens the database, making and migrating it where needed. A schema that
// is newer than this program is refused.
func Open(ctx context.Context, o Options) (*Store, error) {
	if err := prepareFile(o.Path); err != nil {
		return nil, err
	}
	db, err := open(o.Path, "_txlock=immediate&_synchronous=FULL", 1)
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
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	e := env{clock: o.Clock, newID: o.NewID, zone: cmp.Or(o.Zone, time.UTC), channels: o.Channels}
	w, err := newWriter(ctx, e, db, o.OnCommit, o.OnOutbox, log)
	if err != nil {
		return nil, errors.Join(err, read.Close(), db.Close())
	}
	s := &Store{env: e, read: read, write: w, log: log}
	n, err := s.chainOldRows(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if n > 0 {
		log.Info("older rows of the audit log were put into its chain", "rows", n)
	}
	return s, nil
}

// Ready checks that the database answers with this program's schema.
func (s *Store) Ready(ctx context.Context) error {
	var have int64
	err := s.read.QueryRowContext(ctx, `SELECT MAX(version_id) FROM goose_db_version`).Scan(&have)
	if err != nil {
		return agent.Wrap(agent.Unavailable, err, "The database does not answer.")
	}
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil || have != int64(len(files)) {
		return agent.Wrap(agent.Unavailable, err, "The database has another schema version than this program.")
	}
	return nil
}

// Close writes what is queued and closes the database.
func (s *Store) Close() error {
	return errors.Join(s.write.close(), s.read.Close())
}
