package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web"
)

// TestProfilesAreForAdminsOnThisMachine: by the peer's address, whatever headers
// say. For everybody elsewhere there is nothing.
func TestProfilesAreForAdminsOnThisMachine(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.Hosts = []string{"box.example.org"} })
	tokens := map[agent.Role]string{"": ""}
	for _, role := range []agent.Role{agent.RoleAdmin, agent.RoleReviewer, agent.RoleUser} {
		tokens[role] = s.token(role)
	}
	for name, tc := range map[string]struct {
		role         agent.Role
		peer, host   string
		header       []string
		status       int
		has, profile string
	}{
		"an admin here":             {role: agent.RoleAdmin, peer: "127.0.0.1:1", status: 200, has: "goroutine profile:", profile: "goroutine?debug=1"},
		"an admin here, by IPv6":    {role: agent.RoleAdmin, peer: "[::1]:1", host: "localhost", status: 200, has: "/debug/pprof/"},
		"no such profile":           {role: agent.RoleAdmin, peer: "127.0.0.1:1", status: 404, has: "Unknown profile", profile: "none"},
		"a reviewer here":           {role: agent.RoleReviewer, peer: "127.0.0.1:1", status: 403},
		"a user here":               {role: agent.RoleUser, peer: "127.0.0.1:1", status: 403},
		"a stranger here":           {peer: "127.0.0.1:1", status: 401},
		"an admin elsewhere":        {role: agent.RoleAdmin, peer: "203.0.113.7:1", status: 404},
		"an admin who claims it":    {role: agent.RoleAdmin, peer: "203.0.113.7:1", header: []string{"X-Forwarded-For", "127.0.0.1"}, status: 404},
		"an admin behind a proxy":   {role: agent.RoleAdmin, peer: "127.0.0.1:1", header: []string{"X-Forwarded-For", "127.0.0.1"}, status: 404},
		"an admin by another name":  {role: agent.RoleAdmin, peer: "127.0.0.1:1", host: "box.example.org", status: 404},
		"a stranger elsewhere":      {peer: "203.0.113.7:1", status: 404},
		"a peer without an address": {role: agent.RoleAdmin, peer: "@", status: 404},
	} {
		t.Run(name, func(t *testing.T) {
			req := httptest.NewRequest(http.MethodGet, "/debug/pprof/"+tc.profile, http.NoBody)
			req.RemoteAddr, req.Host = tc.peer, tc.host
			if tc.host == "" {
				req.Host = "127.0.0.1:8080"
			}
			if len(tc.header) > 0 {
				req.Header.Set(tc.header[0], tc.header[1])
			}
			if token := tokens[tc.role]; token != "" {
				req.Header.Set("Authorization", "Bearer "+token)
			}
			got := httptest.NewRecorder()
			s.handler.ServeHTTP(got, req)
			if got.Code != tc.status || !strings.Contains(got.Body.String(), tc.has) {
				t.Errorf("%d, want %d with %q\n%.300s", got.Code, tc.status, tc.has, got.Body)
			}
			if tc.status != http.StatusOK && strings.Contains(got.Body.String(), "goroutine") {
				t.Errorf("the refusal has a profile: %.300s", got.Body)
			}
		})
	}
}

// token is an API token of a new account with a role.
func (s *site) token(role agent.Role) string {
	s.t.Helper()
	u := s.user(string(role)+"@example.org", role)
	token, hash := service.NewToken()
	s.ok(s.db.CreateToken(s.t.Context(), agent.Token{ID: s.newID(), UserID: u.ID, Name: "x", Scopes: agent.AllTokenScopes(), CreatedAt: s.clock.Now()}, hash))
	return token
}
