package store

import (
	"database/sql"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// driverName is SQLite with a LOWER that knows all letters, as PostgreSQL's
// does; SQLite's own knows ASCII only.
const driverName = "fusebox-sqlite3"

func init() {
	sql.Register(driverName, &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		return c.RegisterFunc("lower", strings.ToLower, true)
	}})
}
