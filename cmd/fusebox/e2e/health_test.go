package e2e

import (
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// TestMetricsHaveAListenerOfTheirOwn, which answers nothing else.
func TestMetricsHaveAListenerOfTheirOwn(t *testing.T) {
	t.Parallel()
	p := startProgram(t, t.TempDir(), "FUSEBOX_TELEMETRY_METRICS_ADDR=127.0.0.1:0")
	own := api{t: t, url: strings.TrimSuffix(p.logged(`serving metrics.* url=(\S+)`), "/metrics")}
	if status, raw := own.call("GET", "/metrics", ""); status != http.StatusOK || !strings.Contains(string(raw), "fusebox_build_info") {
		t.Errorf("its own listener: %d %.200s", status, raw)
	}
	if status, _ := own.call("GET", "/login", ""); status != http.StatusNotFound {
		t.Errorf("a page there: %d", status)
	}
	if status, _ := (api{t: t, url: p.url}).call("GET", "/metrics", ""); status != http.StatusUnauthorized {
		t.Errorf("the server's own: %d", status)
	}
}

// TestDamageIsFound: a server that starts on a damaged database serves, and says so in
// its log, to admins, and in its metrics.
func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	onlyAdmin.put(t, data)
	damage(t, filepath.Join(data, "fusebox.db"), "exchanges")
	p := startEmpty(t, data)
	p.expectError(`checking the database failed|the database is damaged`)
	p.logged(`(the database is damaged)`)
	if _, raw := p.admin().call("GET", "/metrics", ""); !strings.Contains(string(raw), "fusebox_database_sound 0") {
		t.Error("the metrics say nothing of it")
	}
	if _, raw := p.admin().call("GET", "/admin/users", ""); !strings.Contains(string(raw), "The database is damaged") {
		t.Error("no admin is told")
	}
	whole := startProgram(t, t.TempDir())
	admin := whole.admin()
	agenttest.Eventually(t, "the check of a sound database", func() bool {
		_, raw := admin.call("GET", "/metrics", "")
		return strings.Contains(string(raw), "fusebox_database_sound 1")
	})
}

// TestStoppedAtOnceLeavesNoLog: a server that is told to stop while it still checks its
// database ends that first, so that SQLite takes the write-ahead log into the file: whoever
// copies the file then has everything.
func TestStoppedAtOnceLeavesNoLog(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	onlyAdmin.put(t, data)
	file := filepath.Join(data, "fusebox.db")
	db, err := sql.Open("sqlite3", file)
	must(t, err)
	_, err = db.ExecContext(t.Context(), `CREATE TABLE much AS
		WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 500000) SELECT i, 'a check takes a while' AS so FROM n`)
	must(t, err)
	must(t, db.Close())
	p := startEmpty(t, data)
	must(t, p.cmd.Process.Signal(os.Interrupt))
	must(t, p.cmd.Wait())
	if info, err := os.Stat(file + "-wal"); err == nil {
		t.Errorf("the write-ahead log is left, with %d bytes", info.Size())
	}
}

// damage overwrites the first page of a table.
func damage(t *testing.T, file, table string) {
	t.Helper()
	db, err := sql.Open("sqlite3", file)
	if err != nil {
		t.Fatal(err)
	}
	var page, size int64
	err = db.QueryRowContext(t.Context(), `SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = ?`, table).Scan(&page, &size)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.WriteAt([]byte(strings.Repeat("damaged ", 100)), (page-1)*size); err != nil {
		t.Fatal(err)
	}
}
