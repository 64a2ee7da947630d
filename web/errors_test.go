package web_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/web"
)

// TestClientsThatLeave: a client that does not wait for its answer is no fault of the
// server, and is not logged as one.
func TestClientsThatLeave(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newSite(t, func(o *web.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	s.user("first@example.org", agent.RoleAdmin)
	for _, path := range []string{
		"/api/v1/conversations", "/api/v1/conversations/x/events", "/api/v1/approvals?status=pending", "/api/v1/runs/x", "/c/x", "/approvals", "/ws/inbox",
	} {
		log.Reset()
		left, cancel := context.WithCancel(t.Context())
		cancel()
		req := httptest.NewRequestWithContext(left, http.MethodGet, s.url+path, nil)
		req.Header.Set("Authorization", "Bearer unknown")
		req.AddCookie(&http.Cookie{Name: "session", Value: "unknown"})
		s.handler.ServeHTTP(httptest.NewRecorder(), req)
		if strings.Contains(log.String(), "level=ERROR") {
			t.Errorf("%s: a client that has left is logged: %s", path, log.String())
		}
	}
}
