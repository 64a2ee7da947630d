package web_test

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/web"
)

// TestMetricsNeedARight: an address alone opens nothing, because a plain proxy looks as
// if it asked on this machine. Admins may scrape, and who has the token for it.
func TestMetricsNeedARight(t *testing.T) {
	t.Parallel()
	const scraper = "a token for scraping"
	s := newSite(t, func(o *web.Options) { o.Hosts, o.MetricsToken = []string{"box.example.org"}, scraper })
	for _, tc := range []struct {
		name, token string
		status      int
	}{
		{"nobody", "", 401},
		{"a wrong token", "a token for scraping!", 401},
		{"a user", s.token(agent.RoleUser), 403},
		{"an admin", s.token(agent.RoleAdmin), 200},
		{"the token", scraper, 200},
	} {
		for _, host := range []string{"127.0.0.1", "localhost:9", "[::1]:80", "box.example.org"} {
			header := []string{"Host", host}
			if tc.token != "" {
				header = append(header, "Authorization", "Bearer "+tc.token)
			}
			got := s.ask(http.MethodGet, "/metrics", "", header...)
			if got.status != tc.status || strings.Contains(got.body, "fusebox_x 1") != (tc.status == 200) || len(got.header.Values("Set-Cookie")) > 0 {
				t.Errorf("%s as %s: %d %v %s", tc.name, host, got.status, got.header, got.body)
			}
		}
	}
	if got := s.ask(http.MethodGet, "/api/v1/users", "", "Authorization", "Bearer "+scraper); got.status != http.StatusUnauthorized {
		t.Errorf("the token for metrics opens another door: %d", got.status)
	}
	if got := newSite(t).ask(http.MethodGet, "/metrics", "", "Authorization", "Bearer "); got.status != http.StatusUnauthorized {
		t.Errorf("no token where none is set: %d", got.status)
	}
}
