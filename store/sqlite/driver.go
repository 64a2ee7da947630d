package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
	"github.com/pressly/goose/v3"
	"golang.org/x/sys/unix"

	"fusebox/migrations"
)

// driverName is SQLite with a LOWER that handles all letters, as PostgreSQL's
// does; SQLite's own knows ASCII only.
const driverName = "fusebox-sqlite3"

func init() {
	sql.Register(driverName, &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		return c.RegisterFunc("lower", strings.ToLower, true)
	}})
}

// prepareFile makes folder and file with narrow rights before SQLite would
// make them with wide ones.
func prepareFile(path string) error {
	if err := PrepareFolder(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		// Not opened: closing it would drop the locks of a store that this process has open.
		if err = unix.Access(path, unix.R_OK|unix.W_OK); err == nil {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("database %s cannot be written: %w", path, err)
	}
	return f.Close()
}

// PrepareFolder makes the folder of a database.
func PrepareFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("database folder %s cannot be created: %w", filepath.Dir(path), err)
	}
	return nil
}

// Incremental makes a new file give its free pages back in small steps. A file that is
// there already stays as it is.
const Incremental = "&_auto_vacuum=incremental"

// busyTimeout is how long, in milliseconds, a connection waits for another process.
const busyTimeout = 10_000

// uri is a path as SQLite takes one with parameters.
func uri(path string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	return u.String()
}

// Connect opens a pool. Pragmas are in the DSN so that every connection has them.
func Connect(path, extra string, conns int) (*sql.DB, error) {
	db, err := sql.Open(driverName, DSN(path, extra))
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// DSN is how a database is named, with parameters that all have and extra ones.
func DSN(path, extra string) string {
	return fmt.Sprintf("%s?_journal_mode=WAL&_foreign_keys=1&_secure_delete=on&_busy_timeout=%d&_stmt_cache_size=200&%s", uri(path), busyTimeout, extra)
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
	have, err := version(ctx, p)
	if err != nil {
		return fmt.Errorf("read the database's version: %w", err)
	}
	if err := known(have, p); err != nil {
		return err
	}
	for range migrateTries {
		if _, err = p.Up(ctx); err == nil {
			return nil
		}
		// Another process may have been faster with the same step; each step
		// is one transaction, so what it left is whole.
		now, versionErr := version(ctx, p)
		if versionErr != nil || now == have {
			break
		}
		have = now
	}
	return fmt.Errorf("migrate the database: %w", err)
}

// How often, and how soon, a database that is locked is tried again.
const (
	lockTries = 100
	lockWait  = 20 * time.Millisecond
)

// version reads the schema's version. Several processes that open a new file
// at once all want to switch it to WAL; SQLite tells some of them at once that it
// is locked, without waiting as it does for writes.
func version(ctx context.Context, p *goose.Provider) (v int64, err error) {
	for range lockTries {
		if v, err = p.GetDBVersion(ctx); !isLocked(err) {
			return v, err
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(lockWait):
		}
	}
	return v, err
}

func isLocked(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}

// IsCorrupt reports whether an error says that the database is damaged, which one that
// another process holds is not.
func IsCorrupt(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrCorrupt
}

// migrateTries bounds how often a step lost to another process is checked again.
const migrateTries = 10

// known is an error for a version that only a newer program has.
func known(have int64, p *goose.Provider) error {
	sources := p.ListSources()
	if newest := sources[len(sources)-1].Version; have > newest {
		return fmt.Errorf("the database has schema version %d, this program knows %d: start the newer program, or restore a backup", have, newest)
	}
	return nil
}

// SchemaVersion is that of a database, 0 for none. It is an error where only a newer
// program knows it.
func SchemaVersion(ctx context.Context, db *sql.DB) (int64, error) {
	p, err := provider(db)
	if err != nil {
		return 0, err
	}
	have, err := version(ctx, p)
	if err != nil {
		return 0, fmt.Errorf("read its version: %w", err)
	}
	return have, known(have, p)
}

// Private opens a database that no server uses, as a single file without a write-ahead log.
func Private(path string) (*sql.DB, error) {
	return sql.Open(driverName, uri(path)+"?_journal_mode=OFF&_synchronous=OFF"+Incremental)
}
