package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mattn/go-sqlite3"

	"fusebox/agent/agenttest"
	"fusebox/store/sqlite"
)

// statements are those that a database was asked, with the number of their arguments.
type statements struct {
	mu  sync.Mutex
	all map[string]int
}

func (s *statements) add(query string, args int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[query] = args
}

// heardConn is a connection that notes what it is asked.
type heardConn struct {
	*sqlite3.SQLiteConn
	said *statements
}

func (c heardConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.said.add(query, len(args))
	return c.SQLiteConn.ExecContext(ctx, query, args)
}

func (c heardConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.said.add(query, len(args))
	return c.SQLiteConn.QueryContext(ctx, query, args)
}

// heard makes connections that note what they are asked.
type heard struct {
	driver driver.Driver
	dsn    string
	said   *statements
}

func (h heard) Driver() driver.Driver { return h.driver }

func (h heard) Connect(context.Context) (driver.Conn, error) {
	c, err := h.driver.Open(h.dsn)
	if err != nil {
		return nil, err
	}
	return heardConn{c.(*sqlite3.SQLiteConn), h.said}, nil
}

// emptyFile is a database of the newest schema.
var emptyFile = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "fusebox-empty-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := Open(context.Background(), Options{Path: filepath.Join(dir, "f.db")})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "f.db"))
})

// openHeard opens a new database whose statements are noted.
func openHeard(t *testing.T, clock *agenttest.Clock, said *statements) *Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.db")
	content, err := emptyFile()
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := sqlite.Connect(path, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	open := func(extra string, conns int) *sql.DB {
		db := sql.OpenDB(heard{plain.Driver(), sqlite.DSN(path, extra), said})
		db.SetMaxOpenConns(conns)
		return db
	}
	var tables int
	if err := plain.QueryRow(`SELECT COUNT(*) FROM sqlite_schema`).Scan(&tables); err != nil || tables == 0 {
		t.Fatal(tables, err) // now its files are there
	}
	o := Options{Path: path, Clock: clock, NewID: agenttest.IDs(), Logger: slog.New(slog.DiscardHandler)}
	db, err := sqlite.New(t.Context(), o.database(), open("_txlock=immediate", 1), open("_query_only=1", 8))
	if err != nil {
		t.Fatal(err)
	}
	s := compose(newCore(o, db))
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), plain.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// wholeReads are the steps of a plan that may read all there is: it is little, whatever
// happened before.
var wholeReads = regexp.MustCompile(`^SCAN (` + strings.Join([]string{
	`CONSTANT ROW`, `\d+-ROW VALUES CLAUSE`, // the statement's own values
	`path`, `waiting`, `below`, `up`, // what a recursion has found
	`runs USING COVERING INDEX runs_running`, `runs USING INDEX runs_aborting`, // what goes on now
	`guard_switches`, `guard_numbers`, `guard_rules USING INDEX guard_rules_active`, // what admins have set
	`policy_rules USING INDEX policy_rules_active`, `budgets USING INDEX budgets_active`, `users`, `a USING INDEX sqlite_autoindex_agents_1`, `a USING INDEX sqlite_autoindex_workflows_1`,
}, `|`) + `)$`)

// sortedFew are parts of statements that sort a few rows.
var sortedFew = []string{
	`status = 'running' AND lease_until < $`,                          // runs that another process left
	`FROM messages m WHERE m.run_id = $1`,                             // the ids of one run's messages
	`WHERE a.run_id = $1 AND a.status = 'decided' AND NOT a.applied `, // the decisions that a run waits for
	`AND a.tool_name = $2 AND a.args_hash = $3 AND a.kind = 'tool'`,   // the decisions about one call in a conversation
}

// TestStatementsOfRunsFindTheirRows: whatever the journal asks while runs go on is
// answered by an index, in the order in which it is needed.
func TestStatementsOfRunsFindTheirRows(t *testing.T) {
	t.Parallel()
	said := &statements{all: map[string]int{}}
	t.Run("journal", func(t *testing.T) {
		agenttest.TestJournal(t, func(t *testing.T, clock *agenttest.Clock) agenttest.Journal { return openHeard(t, clock, said) })
	})
	s := openFor(t, nil)
	planned := 0
	for query, args := range said.all {
		if !readsOrWrites.MatchString(query) {
			continue
		}
		planned++
		few := slices.ContainsFunc(sortedFew, func(part string) bool { return strings.Contains(query, part) })
		for _, step := range strings.Split(s.plan(t, query, make([]any, args)...), "\n") {
			if strings.HasPrefix(step, "SCAN") && !wholeReads.MatchString(step) || strings.Contains(step, "TEMP B-TREE") && !few {
				t.Errorf("%s\n%s", step, query)
			}
		}
	}
	if planned < 50 {
		t.Errorf("only %d statements were heard", planned)
	}
}

// readsOrWrites matches what has a plan.
var readsOrWrites = regexp.MustCompile(`^(SELECT|WITH|INSERT|UPDATE|DELETE)`)
