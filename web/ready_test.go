package web_test

import (
	"database/sql"
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/web"
)

// TestReadyMeansWritable: a database that can be read and not written is not ready,
// and the answer says why; a moment later it is, without a restart.
func TestReadyMeansWritable(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	other, err := sql.Open("sqlite3", s.file+"?_txlock=immediate")
	s.ok(err)
	t.Cleanup(func() { _ = other.Close() })
	holding, err := other.BeginTx(t.Context(), nil) // another program writes and does not come to an end
	s.ok(err)
	if got := s.ask(http.MethodGet, "/readyz", ""); got.status != 503 || !strings.Contains(got.body, "cannot be written") || got.header.Get("Retry-After") == "" {
		t.Errorf("a locked database: %d %s", got.status, got.body)
	}
	if got := s.ask(http.MethodGet, "/healthz", ""); got.status != 200 {
		t.Errorf("the process: %d", got.status)
	}
	s.ok(holding.Rollback())
	s.clock.Advance(10 * time.Second)
	if got := s.ask(http.MethodGet, "/readyz", ""); got.status != 200 {
		t.Errorf("a free database: %d %s", got.status, got.body)
	}
	_, err = other.ExecContext(t.Context(), `DROP TABLE goose_db_version`)
	s.ok(err)
	if got := s.ask(http.MethodGet, "/readyz", ""); got.status != 200 {
		t.Errorf("each question asks the database: %d", got.status)
	}
	s.clock.Advance(10 * time.Second)
	if got := s.ask(http.MethodHead, "/readyz", ""); got.status != 503 {
		t.Errorf("a broken database: %d", got.status)
	}
}

// TestDamageIsToldToAdmins, on every page of theirs, and to nobody else.
func TestDamageIsToldToAdmins(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.DatabaseFault = func() string { return "row 7 missing from index" } })
	for role, told := range map[agent.Role]bool{agent.RoleAdmin: true, agent.RoleReviewer: false, agent.RoleUser: false} {
		got := s.as(s.user(string(role)+"@example.org", role)).get("/")
		if strings.Contains(got.body, "row 7 missing from index") != told {
			t.Errorf("%s: told %t", role, !told)
		}
	}
}
