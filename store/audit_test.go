package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
	"fusebox/store/backup"
	"fusebox/store/storetest"
)

// auditLine is a row as the program adds it.
func auditLine(n int) agent.AuditRow {
	return agent.AuditRow{
		ID: fmt.Sprintf("%06d", n), At: time.UnixMilli(int64(1_700_000_000_000 + n*1000)), Actor: "ana@example.org", Role: agent.RoleAdmin,
		Action: "user.update", Target: fmt.Sprintf("user %d", n), Place: "session 192.0.2.7", Detail: fmt.Sprintf(`{"n":%d}`, n),
	}
}

// auditLog makes a database with n rows in its chain.
func auditLog(t testing.TB, n int) (path string) {
	t.Helper()
	path = storetest.Migrated(t, filepath.Join(t.TempDir(), "f.db"))
	s, err := store.Open(t.Context(), store.Options{Path: path, Clock: agenttest.NewClock(), NewID: agenttest.IDs()})
	check(t, err)
	for i := range n {
		check(t, s.Audit(t.Context(), auditLine(i+1)))
	}
	check(t, s.Close())
	return path
}

// raw opens a database past the program.
func raw(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=10000&_txlock=immediate")
	check(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// copyOf backs a database up without files.
func copyOf(t testing.TB, from, to string) {
	t.Helper()
	_, err := backup.Create(context.WithoutCancel(t.Context()), from, to, backup.Files{})
	check(t, err)
}

const dropTriggers = `DROP TRIGGER audit_no_update; DROP TRIGGER audit_no_delete; DROP TRIGGER audit_no_replace; `

func TestTamperingIsFound(t *testing.T) {
	t.Parallel()
	clean := auditLog(t, 12)
	var whole agent.AuditCheck
	check(t, store.CheckAudit(t.Context(), clean, &whole))
	head := whole.Last()
	if head.Seq != 12 || head.Hash != head.Sum() {
		t.Fatalf("the untouched chain ends at %+v", head)
	}
	for _, row := range []struct {
		name, change string
		check        agent.AuditCheck
		want         string // "" for nothing to find
	}{
		{name: "nothing", check: agent.AuditCheck{Head: head.Hash, Rows: 12}},
		{name: "another detail", change: `UPDATE audit SET detail = '{"n":70}' WHERE seq = 7`, want: "row 7 (2023-11-14T22:13:27Z, user.update by ana@example.org, id 000007): it was changed"},
		{name: "another actor", change: `UPDATE audit SET actor = 'eve@example.org' WHERE seq = 1`, want: "row 1 "},
		{name: "another role", change: `UPDATE audit SET role = 'user' WHERE seq = 3`, want: "row 3 "},
		{name: "another time", change: `UPDATE audit SET at = at + 1 WHERE seq = 12`, want: "row 12 "},
		{name: "another place", change: `UPDATE audit SET place = '' WHERE seq = 4`, want: "row 4 "},
		{name: "something shown", change: `UPDATE audit SET shown = 'x' WHERE seq = 4`, want: "row 4 "},
		{name: "a letter moved to the next field", change: `UPDATE audit SET action = 'user.updateu', target = substr(target, 2) WHERE seq = 5`, want: "row 5 "},
		{name: "a row in the middle gone", change: `DELETE FROM audit WHERE seq = 6`, want: "row 7 (2023-11-14T22:13:27Z, user.update by ana@example.org, id 000007): row 6 is missing"},
		{name: "rows in the middle gone", change: `DELETE FROM audit WHERE seq IN (5, 6)`, want: "rows 5 to 6 are missing"},
		{name: "a row gone and the hole closed", change: `DELETE FROM audit WHERE seq = 6; DROP INDEX audit_chain; UPDATE audit SET seq = seq - 1 WHERE seq > 6`, want: "out of place"},
		{name: "the first row gone", change: `DELETE FROM audit WHERE seq = 1`, want: "row 1 is missing"},
		{name: "the end gone", change: `DELETE FROM audit WHERE seq > 9`, check: agent.AuditCheck{Rows: 12}, want: "the chain has 9 rows, there were 12"},
		{name: "the end gone, by its head", change: `DELETE FROM audit WHERE seq > 11`, check: agent.AuditCheck{Head: head.Hash}, want: "no row with the hash " + head.Hash},
		{name: "everything gone", change: `DELETE FROM audit`, check: agent.AuditCheck{Rows: 1}, want: "has 0 rows"},
		{name: "two swapped", change: `UPDATE audit SET seq = -1 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 4; UPDATE audit SET seq = 4 WHERE seq = -1`, want: "row 3 (2023-11-14T22:13:24Z, user.update by ana@example.org, id 000004): it is out of place"},
		{name: "one put in between", change: `DROP INDEX audit_chain; UPDATE audit SET seq = seq + 1 WHERE seq > 5; INSERT INTO audit
			SELECT 'new', at, actor, action, target, detail, 6, role, place, shown, hash, 'f00' FROM audit WHERE seq = 5`, want: "id new): it was changed"},
		{name: "one put in beside the chain", change: `INSERT INTO audit (id, at, actor, action, target, detail) VALUES ('x', 1, 'a', 'b', 'c', '')`, want: "it is not in the chain"},
		{name: "a row's hash taken away", change: `UPDATE audit SET seq = 0, hash = '' WHERE seq = 12`, want: "it is not in the chain"},
		{name: "the same number twice", change: `DROP INDEX audit_chain; UPDATE audit SET seq = 6 WHERE seq = 7`, want: "it is in the wrong order"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "copy.db")
			copyOf(t, clean, path)
			_, err := raw(t, path).ExecContext(t.Context(), dropTriggers+row.change)
			check(t, err)
			err = store.CheckAudit(t.Context(), path, &row.check)
			if row.want == "" {
				check(t, err)
				return
			}
			var fault *agent.AuditFault
			if !errors.As(err, &fault) || !strings.Contains(fault.Error(), row.want) {
				t.Errorf("found %v, want %q", err, row.want)
			}
		})
	}
}

// TestARewrittenRowIsFoundAtTheNext: anyone who recomputes the hash of the row they
// changes breaks the link of the one behind it.
func TestARewrittenRowIsFoundAtTheNext(t *testing.T) {
	t.Parallel()
	path := auditLog(t, 5)
	db := raw(t, path)
	row := auditLine(3)
	row.Seq, row.Actor = 3, "eve@example.org"
	check(t, db.QueryRowContext(t.Context(), `SELECT before_hash FROM audit WHERE seq = 3`).Scan(&row.Before))
	_, err := db.ExecContext(t.Context(), dropTriggers)
	check(t, err)
	_, err = db.ExecContext(t.Context(), `UPDATE audit SET actor = $1, hash = $2 WHERE seq = 3`, row.Actor, row.Sum())
	check(t, err)
	err = store.CheckAudit(t.Context(), path, &agent.AuditCheck{})
	if err == nil || !strings.Contains(err.Error(), "row 4 ") || !strings.Contains(err.Error(), "does not follow the previous row") {
		t.Errorf("found %v", err)
	}
}

func TestDatabaseRefusesChangesOfTheLog(t *testing.T) {
	t.Parallel()
	db := raw(t, auditLog(t, 3))
	for _, change := range []string{
		`UPDATE audit SET detail = ''`, `UPDATE audit SET hash = '', seq = 0 WHERE seq = 3`, `DELETE FROM audit`, `DELETE FROM audit WHERE seq = 2`,
		`REPLACE INTO audit SELECT * FROM audit WHERE seq = 2`,
		`INSERT OR REPLACE INTO audit SELECT 'other', at, actor, action, target, detail, seq, role, place, shown, before_hash, hash FROM audit WHERE seq = 2`,
	} {
		if _, err := db.ExecContext(t.Context(), change); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// TestOldRowsJoinTheChainOnce: rows from before the chain are put into it by the
// first of the processes that start, in their order, and only once.
func TestOldRowsJoinTheChainOnce(t *testing.T) {
	t.Parallel()
	path := auditLog(t, 0)
	db := raw(t, path)
	const old = 1203
	tx, err := db.BeginTx(t.Context(), nil)
	check(t, err)
	for i := range old {
		_, err := tx.ExecContext(t.Context(), `INSERT INTO audit (id, at, actor, action, target, detail) VALUES ($1, $2, 'ana@example.org', 'user.update', 'x', '')`,
			fmt.Sprintf("%06d", i+1), i)
		check(t, err)
	}
	check(t, tx.Commit())
	if err := store.CheckAudit(t.Context(), path, &agent.AuditCheck{}); err == nil || !strings.Contains(err.Error(), "not in the chain") {
		t.Errorf("before the start: %v", err)
	}
	var wg sync.WaitGroup
	for p := range 3 {
		wg.Go(func() {
			s, err := store.Open(context.Background(), store.Options{Path: path, Clock: agenttest.NewClock(), NewID: agenttest.IDs()})
			if err != nil {
				t.Error(err)
				return
			}
			row := auditLine(p)
			row.ID = fmt.Sprintf("new %d", p)
			if err := s.Audit(context.Background(), row); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var c agent.AuditCheck
	check(t, store.CheckAudit(t.Context(), path, &c))
	var wrong int
	check(t, db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM audit WHERE id < 'n' AND seq <> CAST(id AS INTEGER)`).Scan(&wrong))
	if c.Last().Seq != old+3 || wrong != 0 {
		t.Errorf("%d rows, %d of the old ones out of order", c.Last().Seq, wrong)
	}
}

// TestTwoProcessesShareOneChain: each reads the end of the chain where it writes.
func TestTwoProcessesShareOneChain(t *testing.T) {
	t.Parallel()
	path := auditLog(t, 1)
	var wg sync.WaitGroup
	for p := range 2 {
		s := open(t, path, agenttest.NewClock(), nil)
		for w := range 4 {
			wg.Go(func() {
				for i := range 25 {
					row := auditLine(i)
					row.ID = fmt.Sprintf("%d %d %d", p, w, i)
					if err := s.Audit(context.Background(), row); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	var c agent.AuditCheck
	check(t, store.CheckAudit(t.Context(), path, &c))
	if c.Last().Seq != 201 {
		t.Errorf("%d rows, want 201", c.Last().Seq)
	}
}

func TestCheckOfTheNewestRows(t *testing.T) {
	t.Parallel()
	path := auditLog(t, 10)
	s := open(t, path, agenttest.NewClock(), nil)
	_, err := raw(t, path).ExecContext(t.Context(), dropTriggers+`UPDATE audit SET detail = 'x' WHERE seq = 4`)
	check(t, err)
	if last, err := s.CheckAudit(t.Context(), 6); err != nil || last.Seq != 10 {
		t.Errorf("the newest six: up to %d, %v", last.Seq, err)
	}
	if last, err := s.CheckAudit(t.Context(), 7); err == nil || last.Seq != 3 {
		t.Errorf("the newest seven: up to %d, %v", last.Seq, err)
	}
}

func TestCheckNeedsADatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none.db")
	if err := store.CheckAudit(t.Context(), path, &agent.AuditCheck{}); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("the check has made a database")
	}
}

func TestAuditFilter(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
	day := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	for i, row := range []agent.AuditRow{
		{Actor: "ana@example.org", Action: "approval.decide", Target: "a1", Detail: `{"tool":"run_shell"}`},
		{Actor: "rex@example.org", Action: "approval.undo", Target: "a1", At: day.AddDate(0, 0, 1)},
		{Actor: "rex@example.org", Action: "user.update", Target: "u100%", Place: "token 192.0.2.7", At: day.AddDate(0, 0, 2)},
		{Actor: "system", Action: "approvalx", Target: "a2", At: day.AddDate(0, 0, 3)},
	} {
		row.ID = fmt.Sprint(9 - i) // the order is that of the chain
		if row.At.IsZero() {
			row.At = day
		}
		check(t, s.Audit(t.Context(), row))
	}
	for _, row := range []struct {
		name string
		f    agent.AuditFilter
		want string
	}{
		{"all", agent.AuditFilter{}, "4 3 2 1"},
		{"actor", agent.AuditFilter{Actor: "Rex@example.org "}, "3 2"},
		{"action", agent.AuditFilter{Action: "approval."}, "2 1"},
		{"target", agent.AuditFilter{Target: "a1"}, "2 1"},
		{"days", agent.AuditFilter{From: day.AddDate(0, 0, 1), To: day.AddDate(0, 0, 3)}, "3 2"},
		{"text", agent.AuditFilter{Search: "RUN_SHELL"}, "1"},
		{"text with a sign", agent.AuditFilter{Search: "0%"}, "3"},
		{"place", agent.AuditFilter{Search: "192.0.2"}, "3"},
		{"several", agent.AuditFilter{Actor: "rex@example.org", Action: "user"}, "3"},
		{"none", agent.AuditFilter{Target: "a1", Action: "user"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var seqs []string
			p := agent.Page{Limit: 1}
			for {
				items, next, err := s.AuditRows(t.Context(), row.f, p)
				check(t, err)
				for _, r := range items {
					seqs = append(seqs, fmt.Sprint(r.Seq))
				}
				if next == "" {
					break
				}
				p.Cursor = next
			}
			if got := strings.Join(seqs, " "); got != row.want {
				t.Errorf("rows %q, want %q", got, row.want)
			}
		})
	}
}
