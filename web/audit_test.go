package web_test

import (
	"context"
	"database/sql"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// auditOf returns the newest line of an action.
func (s *site) auditOf(action string) agent.AuditRow {
	s.t.Helper()
	rows, _, err := s.db.AuditRows(s.t.Context(), agent.AuditFilter{Action: action}, agent.Page{Limit: 1})
	s.ok(err)
	if len(rows) == 0 {
		s.t.Fatalf("no line of %s", action)
	}
	return rows[0]
}

// TestChangesAreAudited: every change of rights and settings leaves a line that
// says who, in which role and from where, whatever the request's headers claim.
func TestChangesAreAudited(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	bob := s.user("bob@example.com", agent.RoleUser)
	b, api := s.as(ana), s.client(ana)
	conv := api.conversation()
	for _, row := range []struct {
		action, detail, place string
		do                    func()
	}{
		{"user.create", `"email":"rita@example.com","role":"reviewer"`, "session 127.0.0.1", func() {
			b.post("/admin/users", form("email", "rita@example.com", "password", goodPassword, "role", "reviewer"))
		}},
		{"user.update", `"from":{"email":"bob@example.com","role":"user","disabled":false},"to":{"email":"bob@example.com","role":"reviewer"`, "session 127.0.0.1", func() {
			b.post("/admin/users/"+bob.ID, form("role", "reviewer"))
		}},
		{"token.create", `"name":"ci"`, "session 127.0.0.1", func() { b.post("/settings/tokens", form("name", "ci", "scope", "read", "expires", "0")) }},
		{"token.delete", `"name":"ci"`, "session 127.0.0.1", func() {
			tokens, err := s.db.Tokens(t.Context(), ana.ID)
			s.ok(err)
			ci := slices.IndexFunc(tokens, func(t agent.Token) bool { return t.Name == "ci" })
			b.post("/settings/tokens/"+tokens[ci].ID+"/delete", nil)
		}},
		{"guard.switch", `"on":false`, `token "test" 127.0.0.1`, func() { api.call("PUT", "/api/v1/guards/detectors/generic_repeat", `{"on":false}`) }},
		{"guard.number", `"value":"4"`, `token "test" 127.0.0.1`, func() { api.call("PUT", "/api/v1/guards/numbers/guard.warning", `{"value":"4"}`) }},
		{"conversation.settings", `{"approvalMode":"yolo"}`, `token "test" 127.0.0.1`, func() { api.call("PATCH", "/api/v1/conversations/"+conv, `{"approvalMode":"yolo"}`) }},
		{"conversation.delete", `"runs":0`, `token "test" 127.0.0.1`, func() { api.call("DELETE", "/api/v1/conversations/"+conv, "") }},
		{"user.password", `{"tokensEnded":1}`, "session 127.0.0.1", func() {
			b.post("/settings/password", form("old", goodPassword, "password", "another sentence"))
		}},
	} {
		row.do()
		got := s.auditOf(row.action)
		if got.Actor != ana.Email || got.Role != agent.RoleAdmin || got.Place != row.place || !strings.Contains(got.Detail, row.detail) {
			t.Errorf("%s: %+v", row.action, got)
		}
	}
	if _, err := s.db.CheckAudit(t.Context(), 1000); err != nil {
		t.Error(err)
	}
}

func TestAuditIgnoresWhatHeadersClaim(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.url+"/api/v1/guards/detectors/generic_repeat", strings.NewReader(`{"on":false}`))
	s.ok(err)
	for name, value := range map[string]string{
		"Authorization": "Bearer " + s.client(ana).token, "Content-Type": "application/json", "X-Forwarded-For": "203.0.113.9", "X-Real-Ip": "203.0.113.9",
		"Forwarded": "for=203.0.113.9", "X-Forwarded-User": "eve@example.com", "Remote-User": "eve@example.com",
	} {
		req.Header.Set(name, value)
	}
	s.browser().do(req)
	if got := s.auditOf("guard.switch"); got.Actor != ana.Email || got.Place != `token "test" 127.0.0.1` {
		t.Errorf("%+v", got)
	}
}

// TestDecisionsAreAudited: the line of a decision says who, from where, and what was shown.
func TestDecisionsAreAudited(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	a := s.paused(ana, "cleaning", shellCard(agent.RiskMedium, "ls"))
	got := s.client(ana).call("POST", "/api/v1/approvals/"+a.ID+"/decision", `{"decision":"approve"}`)
	if got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	row := s.auditOf("approval.decide")
	if row.Actor != ana.Email || row.Role != agent.RoleAdmin || row.Place != `token "test" 127.0.0.1` || len(row.Shown) != 64 || row.Target != a.ID {
		t.Errorf("%+v", row)
	}
}

// TestAuditSaysWhatADecisionCovers: an approval for more than its call says for what.
func TestAuditSaysWhatADecisionCovers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rex := s.user("rex@example.com", agent.RoleReviewer)
	card := shellCard(agent.RiskHigh, "go test ./store")
	card.Pattern = agent.Pattern{"command": "go test *"}
	a := s.paused(s.user("ana@example.com", agent.RoleAdmin), "tests", card)
	got := s.client(rex).call("POST", "/api/v1/approvals/"+a.ID+"/decision", `{"decision":"approve","generation":1,"argsHash":"hash-of-args","scope":"conversation","pattern":{"command":"go test *"}}`)
	if row := s.auditOf("approval.decide"); got.status != http.StatusOK || !strings.Contains(row.Detail, `"covers":{"command":"go test *"}`) {
		t.Errorf("%d %s; detail %s", got.status, got.body, row.Detail)
	}
}

func TestLoginsAreAudited(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	s.as(bob)
	s.as(ana)
	if rows := s.auditRows("login"); len(rows) != 1 || rows[0].Actor != ana.Email || rows[0].Place != "session 127.0.0.1" {
		t.Errorf("sign-ins: %+v", rows)
	}
	b := s.browser()
	b.get("/login")
	for range 5 + 3 {
		b.post("/login", form("email", "bob@example.com", "password", "a secret"))
	}
	s.clock.Advance(time.Minute)
	for range 5 + 3 { // somebody typed a password into the wrong field
		b.post("/login", form("email", "correct horse", "password", "x"))
	}
	rows := s.auditRows("login.throttled")
	if len(rows) != 2 || rows[1].Target != bob.ID || rows[1].Actor != agent.System || !strings.Contains(rows[1].Detail, bob.Email) {
		t.Errorf("throttled: %+v", rows)
	}
	for _, r := range rows {
		if strings.Contains(r.Detail, "horse") || strings.Contains(r.Detail, "secret") {
			t.Errorf("the log keeps what was typed: %s", r.Detail)
		}
	}
}

// TestStrangersCannotFloodTheAudit: what people who are not signed in can add is bounded.
func TestStrangersCannotFloodTheAudit(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ana@example.com", agent.RoleAdmin)
	b := s.browser()
	b.get("/login")
	for range 40 {
		for range 6 {
			b.post("/login", form("email", "ana@example.com", "password", "x"))
		}
		s.clock.Advance(time.Minute)
	}
	if n := len(s.auditRows("login.throttled")); n != 30 {
		t.Errorf("%d lines, want 30", n)
	}
}

func (s *site) auditRows(action string) []agent.AuditRow {
	s.t.Helper()
	rows, _, err := s.db.AuditRows(context.Background(), agent.AuditFilter{Action: action}, agent.Page{Limit: 200})
	s.ok(err)
	return rows
}

// tamper changes the database past the program.
func (s *site) tamper(changes ...string) {
	s.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+s.file+"?_busy_timeout=10000")
	s.ok(err)
	defer func() { _ = db.Close() }()
	for _, change := range changes {
		_, err := db.ExecContext(s.t.Context(), change)
		s.ok(err)
	}
}
