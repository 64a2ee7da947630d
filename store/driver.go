package store

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/mattn/go-sqlite3"
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
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("database folder %s cannot be created: %w", filepath.Dir(path), err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("database %s cannot be written: %w", path, err)
	}
	return f.Close()
}

// open opens a pool. Pragmas are in the DSN so that every connection has them.
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
