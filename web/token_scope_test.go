package web_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web"
	"fusebox/web/mcp"
)

// clientWith is a program with a token of some scopes.
func (s *site) clientWith(u agent.User, scopes ...agent.TokenScope) client {
	s.t.Helper()
	secret, hash := service.NewToken()
	s.ok(s.db.CreateToken(s.t.Context(), agent.Token{ID: s.newID(), UserID: u.ID, Name: "test", Scopes: scopes, CreatedAt: s.clock.Now()}, hash))
	return client{s, secret}
}

// knock makes a request that leads nowhere else.
func (c client) knock(method, path string, header ...string) answer {
	c.s.t.Helper()
	req, err := http.NewRequestWithContext(c.s.t.Context(), method, c.s.url+path, strings.NewReader("{}"))
	c.s.ok(err)
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return c.s.browser().do(req)
}

// TestEveryRouteHasAScope: whatever is not public needs one, and nothing is changed
// with the right to read.
func TestEveryRouteHasAScope(t *testing.T) {
	t.Parallel()
	for _, d := range web.Doors() {
		if d.Scope.Valid() == (d.Access == "public") {
			t.Errorf("%s %s, for %s, needs the scope %q", d.Method, d.Path, d.Access, d.Scope)
		}
		if d.Path == mcp.Path {
			continue // each tool has its own: see TestMCPScopes
		}
		if d.Scope == agent.TokenRead && d.Method != http.MethodGet {
			t.Errorf("%s %s: changes something with the right to read", d.Method, d.Path)
		}
	}
}

// TestScopesAtEveryDoor tries every door with tokens of an admin: one that has all
// scopes but the door's, and one that has it alone.
func TestScopesAtEveryDoor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.user("admin@example.org", agent.RoleAdmin)
	without, only := map[agent.TokenScope]client{}, map[agent.TokenScope]client{}
	for _, scope := range agent.AllTokenScopes() {
		others := slices.DeleteFunc(agent.AllTokenScopes(), func(x agent.TokenScope) bool { return x == scope })
		without[scope], only[scope] = s.clientWith(admin, others...), s.clientWith(admin, scope)
	}
	fill := strings.NewReplacer(":id", "none", ":message", "none", ":key", "guard.warning", ":name", "generic_repeat", ":profile", "goroutine", "/events", "/events?follow=false")
	for _, d := range web.Doors() {
		if d.Access == "public" {
			continue
		}
		path := fill.Replace(d.Path)
		var header []string
		if d.Access == "scrapers" {
			header = []string{"X-Forwarded-For", "203.0.113.7"}
		}
		lacks := without[d.Scope].knock(d.Method, path, header...)
		if lacks.status != http.StatusForbidden || !strings.Contains(lacks.body, "lacks the scope") || !strings.Contains(lacks.body, string(d.Scope)) {
			t.Errorf("%s %s with all but %q: %d %.200s", d.Method, d.Path, d.Scope, lacks.status, lacks.body)
		}
		has := only[d.Scope].knock(d.Method, path, header...)
		if has.status == http.StatusUnauthorized || has.status == http.StatusForbidden {
			t.Errorf("%s %s with %q alone: %d %.200s", d.Method, d.Path, d.Scope, has.status, has.body)
		}
	}
}

// TestMissingScopeIsNamed: a program learns which scope its token lacks.
func TestMissingScopeIsNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.clientWith(s.user("ana@example.org", agent.RoleUser), agent.TokenRead)
	got := c.call(http.MethodPost, "/api/v1/conversations", "{}")
	var p struct{ Scope, Detail string }
	s.ok(json.Unmarshal([]byte(got.body), &p))
	if got.status != http.StatusForbidden || p.Scope != "chat" || p.Detail != `This token lacks the scope "chat". Use one that has it.` {
		t.Errorf("%d %s", got.status, got.body)
	}
	if h := got.header.Get("WWW-Authenticate"); !strings.Contains(h, `error="insufficient_scope", scope="chat"`) {
		t.Errorf("WWW-Authenticate: %s", h)
	}
}

// TestScopesLimitAnAdmin: without the scope for it, an admin's token has no rights of an
// admin at doors that are for everybody.
func TestScopesLimitAnAdmin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.user("admin@example.org", agent.RoleAdmin)
	others := s.finished(s.user("ana@example.org", agent.RoleUser), "secret apples").ConversationID
	limited, full := s.clientWith(admin, agent.TokenRead, agent.TokenChat, agent.TokenApprove), s.client(admin)
	for _, path := range []string{"/api/v1/conversations/" + others, "/api/v1/conversations/" + others + "/events?follow=false"} {
		limited.call(http.MethodGet, path, "").check(t, want{status: http.StatusNotFound, hasNot: []string{"apples"}})
		full.call(http.MethodGet, path, "").check(t, want{status: http.StatusOK, has: []string{"apples"}})
	}
	if _, status := limited.dial("/ws/conversations/" + others); status != http.StatusNotFound {
		t.Errorf("the socket of another's conversation: %d", status)
	}
	limited.call(http.MethodPost, "/api/v1/conversations", `{"approvalMode":"yolo"}`).check(t, want{status: http.StatusUnprocessableEntity})
	rule := s.newID()
	s.ok(s.db.AddPolicyRule(t.Context(), agent.Viewer{Email: "x"}, agent.PolicyRule{ID: rule, Tool: "x", Action: agent.ActionDeny, Source: agent.RuleFromAdmin}))
	limited.call(http.MethodDelete, "/api/v1/policy/rules/"+rule, "").check(t, want{status: http.StatusForbidden})
	full.call(http.MethodDelete, "/api/v1/policy/rules/"+rule, "").check(t, want{status: http.StatusNoContent})
}

// TestTokensOfTheAPI: a program makes, lists and deletes tokens, none of which goes
// beyond its own.
func TestTokensOfTheAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("admin@example.org", agent.RoleAdmin)
	ana := s.user("ana@example.org", agent.RoleUser)
	c := s.client(ana)
	type made struct {
		ID, Token string
		Scopes    []string
		ExpiresAt time.Time
	}
	got := decoded[made](t, c.call(http.MethodPost, "/api/v1/tokens", `{"name":"ci","scopes":["admin","read","read"],"expiresInDays":30}`), http.StatusCreated)
	if !slices.Equal(got.Scopes, []string{"read", "admin"}) || got.ExpiresAt.Sub(s.clock.Now()).Round(time.Hour) != 30*24*time.Hour {
		t.Errorf("made %+v", got)
	}
	ci := client{s, got.Token}
	for _, tc := range []struct{ body, has string }{
		{`{"scopes":["read"]}`, `"field":"name"`},
		{`{"name":"ci","scopes":["read"],"expiresInDays":1}`, "another token of yours"},
		{`{"name":"x"}`, `"field":"scopes"`},
		{`{"name":"x","scopes":["root"],"expiresInDays":1}`, "allowed: read, chat, approve, admin, metrics"},
		{`{"name":"x","scopes":["read"],"expiresInDays":-1}`, `"field":"expiresInDays"`},
		{`{"name":"x","scopes":["read","chat"],"expiresInDays":1}`, "go beyond those of the token that you use; allowed: read, admin"},
		{`{"name":"x","scopes":["read"],"expiresInDays":31}`, "is later than the token"},
		{`{"name":"x","scopes":["read"]}`, "is later than the token"},
	} {
		ci.call(http.MethodPost, "/api/v1/tokens", tc.body).check(t, want{status: http.StatusUnprocessableEntity, has: []string{tc.has}})
	}
	ci.call(http.MethodPost, "/api/v1/tokens", `{"name":"x","scopes":["read"],"expiresInDays":29}`).check(t, want{status: http.StatusCreated})
	ci.call(http.MethodGet, "/api/v1/tokens", "").check(t, want{status: http.StatusOK, has: []string{`"name":"x"`, `"lastUsedAt"`}, hasNot: []string{"fbx_"}})
	other := s.client(s.user("bob@example.org", agent.RoleUser))
	other.call(http.MethodDelete, "/api/v1/tokens/"+got.ID, "").check(t, want{status: http.StatusNotFound})
	c.call(http.MethodDelete, "/api/v1/tokens/"+got.ID, "").check(t, want{status: http.StatusNoContent})
	ci.call(http.MethodGet, "/api/v1/tokens", "").check(t, want{status: http.StatusUnauthorized})
}

// TestTokensExpire: an expired token opens nothing any more, and what was opened with it
// ends.
func TestTokensExpire(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	b := s.as(ana)
	b.post("/settings/tokens", form("name", "ci", "scope", "read", "expires", "30")).check(t, want{status: http.StatusCreated, has: []string{"fbx_", "expires "}})
	b.post("/settings/tokens", form("name", "none", "expires", "30")).check(t, want{
		status: http.StatusUnprocessableEntity, has: []string{`id="token-scopes-error"`, `value="none"`}, hasNot: []string{"fbx_"},
	})
	c := s.clientUntil(ana, s.clock.Now().Add(time.Hour))
	id := s.started(ana, "a").ConversationID
	socket := s.watch("/ws/conversations/"+id, c.credentials())
	log := s.follow(id, c.credentials())
	s.clock.Advance(59 * time.Minute)
	c.call(http.MethodGet, "/api/v1/models", "").check(t, want{status: http.StatusOK})
	s.clock.Advance(2 * time.Minute)
	c.call(http.MethodGet, "/api/v1/models", "").check(t, want{status: http.StatusUnauthorized})
	socket.ends(t, "socket")
	log.ends(t, "NDJSON")
	s.clock.Advance(31 * 24 * time.Hour)
	s.as(ana).get("/settings/tokens").check(t, want{status: http.StatusOK, has: []string{"expired "}})
}

// clientUntil is a program whose token expires.
func (s *site) clientUntil(u agent.User, end time.Time) client {
	s.t.Helper()
	secret, hash := service.NewToken()
	s.ok(s.db.CreateToken(s.t.Context(), agent.Token{
		ID: s.newID(), UserID: u.ID, Name: "test", Scopes: agent.AllTokenScopes(), CreatedAt: s.clock.Now(), ExpiresAt: end,
	}, hash))
	return client{s, secret}
}

// TestTokenUseIsWrittenOnceAnHour: requests write nothing, but the first one of an hour.
func TestTokenUseIsWrittenOnceAnHour(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	c := s.client(ana)
	used := func() time.Time {
		t.Helper()
		c.call(http.MethodGet, "/api/v1/models", "").check(t, want{status: http.StatusOK})
		all, err := s.db.Tokens(t.Context(), ana.ID)
		s.ok(err)
		return all[0].LastUsedAt
	}
	first := used()
	if first.IsZero() {
		t.Fatal("the first use is not noted")
	}
	s.clock.Advance(59 * time.Minute)
	if again := used(); !again.Equal(first) {
		t.Errorf("written at %v and again at %v", first, again)
	}
	s.clock.Advance(2 * time.Minute)
	if later := used(); later.Sub(first) < time.Hour {
		t.Errorf("the use an hour later is not noted: %v", later)
	}
}
