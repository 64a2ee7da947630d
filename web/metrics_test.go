package web_test

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web"
)

// TestMetricsAreForThisMachine: who asks on the machine itself needs no account,
// but what a proxy on it forwards comes from elsewhere.
func TestMetricsAreForThisMachine(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.Hosts = []string{"box.example.org"} })
	admin := s.user("admin@example.org", agent.RoleAdmin)
	token, hash := service.NewToken()
	s.ok(s.db.CreateToken(t.Context(), agent.Token{ID: s.newID(), UserID: admin.ID, Name: "scraper", CreatedAt: s.clock.Now()}, hash))
	ask := func(host string, header ...string) answer {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/metrics", http.NoBody)
		s.ok(err)
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		if host != "" {
			req.Host = host
		}
		return s.browser().do(req)
	}
	for _, host := range []string{"", "localhost:9", "127.0.0.1", "[::1]:80"} {
		if got := ask(host); got.status != http.StatusOK || !strings.Contains(got.body, "fusebox_x 1") {
			t.Errorf("on the machine as %q: %d %s", host, got.status, got.body)
		} else if len(got.header.Values("Set-Cookie")) > 0 {
			t.Error("a scrape begins a session")
		}
	}
	for _, tc := range [][]string{
		{"", "X-Forwarded-For", "127.0.0.1"}, {"", "x-forwarded-host", "localhost"}, {"", "Forwarded", "for=127.0.0.1"},
		{"", "X-Real-IP", "127.0.0.1"}, {"", "CF-Connecting-IP", "1.2.3.4"}, {"", "X-Original-Forwarded-For", "1.2.3.4"}, {"", "Via", "1.1 proxy"}, {"box.example.org", "X-Any", "x"}, {"10.0.0.7:8080", "X-Any", "x"},
	} {
		got := ask(tc[0], tc[1:]...)
		if got.status != http.StatusUnauthorized || got.header.Get("WWW-Authenticate") == "" || strings.Contains(got.body, "fusebox_x") {
			t.Errorf("forwarded %v: %d %s", tc, got.status, got.body)
		}
		if got := ask(tc[0], append(tc[1:], "Authorization", "Bearer "+token)...); got.status != http.StatusOK {
			t.Errorf("forwarded %v for an admin: %d", tc, got.status)
		}
	}
	if got := ask("evil.example.com"); got.status != http.StatusForbidden {
		t.Errorf("under a foreign name: %d", got.status)
	}
}
