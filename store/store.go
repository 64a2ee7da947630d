package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"

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
	read  *sql.DB
	write *writer
	clock agent.Clock
	newID agent.NewID
	log   *slog.Logger

	channels Channels
	location *time.Location
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
	w, err := newWriter(ctx, db, o.OnCommit, o.OnOutbox, log)
	if err != nil {
		return nil, errors.Join(err, read.Close(), db.Close())
	}
	s := &Store{
		read: read, write: w, clock: o.Clock, newID: o.NewID, log: log, channels: o.Channels,
		location: cmp.Or(o.Zone, time.UTC),
	}
	n, err := s.chainOldRows(ctx)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if n > 0 {
		log.Info("older rows of the audit log were put into its chain", "rows", n)
	}
	return s, nil
}

// prepareFile makes folder and file with narrow rights before SQLite would
// make them with wide ones.
func prepareFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("database folder %s cannot be made: %w", filepath.Dir(path), err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("database %s cannot be written: %w", path, err)
	}
	return f.Close()
}

// open opens a pool. Pragmas stand in the DSN so that every connection has them.
func open(path, extra string, conns int) (*sql.DB, error) {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	dsn := u.String() + "?_journal_mode=WAL&_foreign_keys=1&_busy_timeout=10000&_stmt_cache_size=200&" + extra
	db, err := sql.Open(driverName, dsn)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

func provider(db *sql.DB) (*goose.Provider, error) {
	return goose.NewProvider(goose.DialectSQLite3, db, migrations.FS)
}

// migrate brings the schema to this program's version.
func migrate(ctx context.Context, db *sql.DB) error {
	p, err := provider(db)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	have, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("read the database's version: %w", err)
	}
	if newest := newest(p); have > newest {
		return fmt.Errorf("the database has schema version %d, this program knows %d: start the newer program, or restore a backup", have, newest)
	}
	for range migrateTries {
		if _, err = p.Up(ctx); err == nil {
			return nil
		}
		// Another process may have been faster with the same step; each step
		// is one transaction, so what it left is whole.
		now, versionErr := p.GetDBVersion(ctx)
		if versionErr != nil || now == have {
			break
		}
		have = now
	}
	return fmt.Errorf("migrate the database: %w", err)
}

// migrateTries bounds how often a step lost to another process is looked at again.
const migrateTries = 10

func newest(p *goose.Provider) int64 {
	sources := p.ListSources()
	return sources[len(sources)-1].Version
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

// reserve makes the empty file of a backup; a name that is taken stays as it is.
func reserve(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("backup %s exists already; choose another name", path)
	}
	if err != nil {
		return fmt.Errorf("backup %s cannot be written: %w", path, err)
	}
	return f.Close()
}

// Backup writes a consistent copy to a file that must not exist yet. It may
// run while the server is serving.
func Backup(ctx context.Context, from, to string) error {
	if _, err := os.Stat(from); err != nil {
		return fmt.Errorf("database %s cannot be read: %w", from, err)
	}
	db, err := open(from, "_txlock=deferred", 1)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := reserve(to); err != nil {
		return err
	}
	// VACUUM INTO takes an empty file as a new one and keeps its narrow rights.
	if _, err := db.ExecContext(ctx, `VACUUM INTO $1`, to); err != nil {
		return errors.Join(fmt.Errorf("back up to %s: %w", to, err), os.Remove(to))
	}
	return nil
}
