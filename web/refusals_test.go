package web_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/web"
)

// logLines collects what the server logs.
type logLines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logLines) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.buf.String(), text)
}

// brokenSessions is a session store that fails, or panics.
type brokenSessions struct{ panics bool }

func (b brokenSessions) fail() error {
	if b.panics {
		panic("the session store is gone")
	}
	return io.ErrUnexpectedEOF
}
func (b brokenSessions) Delete(string) error                     { return b.fail() }
func (b brokenSessions) Find(string) ([]byte, bool, error)       { return nil, false, b.fail() }
func (b brokenSessions) Commit(string, []byte, time.Time) error  { return b.fail() }
func (b brokenSessions) DeleteCtx(context.Context, string) error { return b.fail() }
func (b brokenSessions) FindCtx(context.Context, string) ([]byte, bool, error) {
	return nil, false, b.fail()
}
func (b brokenSessions) CommitCtx(context.Context, string, []byte, time.Time) error { return b.fail() }

// ask makes a request as a stranger; header are names and values, Host among them.
func (s *site) ask(method, path, body string, header ...string) answer {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	s.ok(err)
	for i := 0; i+1 < len(header); i += 2 {
		if req.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	return (&browser{s: s, client: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}).do(req)
}

// TestEveryRefusalIsAnswered: whichever middleware refuses, people get a page and
// programs a problem document, with words and with the headers of every answer.
func TestEveryRefusalIsAnswered(t *testing.T) {
	t.Parallel()
	whole := newSite(t)
	failing := newSite(t, func(o *web.Options) { o.Sessions = brokenSessions{} })
	for _, tc := range []struct {
		name         string
		s            *site
		method, body string
		header       []string
		status       int
		has          string
	}{
		{"an unknown host", whole, "GET", "", []string{"Host", "evil.example"}, 403, "server.hosts"},
		{"no such method", whole, "PATCH", "", []string{"Sec-Fetch-Site", "same-origin"}, 405, "ethod"},
		{"a foreign page", whole, "POST", "", []string{"Sec-Fetch-Site", "cross-site"}, 403, "page of this site"},
		{"a body without end", whole, "POST", strings.Repeat("x", 3<<20), []string{"Sec-Fetch-Site", "same-origin"}, 413, "too large"},
		{"no session can be loaded", failing, "GET", "", []string{"Cookie", "fusebox_session=x"}, 503, "session could not be loaded"},
	} {
		for path, kind := range map[string]string{"/login": "text/html", "/api/v1/conversations": "application/problem+json"} {
			status, has := tc.status, tc.has
			got := tc.s.ask(tc.method, path, tc.body, tc.header...)
			if strings.HasPrefix(path, "/api/") && tc.name == "a foreign page" {
				status, has = 401, "Sign in"
			}
			if got.status != status || !strings.Contains(got.body, has) || !strings.HasPrefix(got.header.Get("Content-Type"), kind) {
				t.Errorf("%s, %s: %d %s, want %d with %q\n%.400s", tc.name, path, got.status, got.header.Get("Content-Type"), status, has, got.body)
			}
			if got.header.Get("Content-Security-Policy") == "" {
				t.Errorf("%s, %s: no headers", tc.name, path)
			}
		}
	}
}

// TestEveryPanicIsLogged: in a handler and in a middleware; the request is answered.
func TestEveryPanicIsLogged(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(*web.Options){
		"/metrics": func(o *web.Options) {
			o.Metrics = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("the handler is gone") })
			o.MetricsToken = "a token for scraping"
		},
		"/login":                func(o *web.Options) { o.Sessions = brokenSessions{panics: true} },
		"/api/v1/conversations": func(o *web.Options) { o.Sessions = brokenSessions{panics: true} },
	} {
		var log logLines
		s := newSite(t, broken, func(o *web.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		got := s.ask("GET", name, "", "Cookie", "fusebox_session=x", "Authorization", "Bearer a token for scraping")
		if got.status != 500 || !strings.Contains(got.body, "has been logged") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		if !log.has("request panicked") || !log.has("gone") || !log.has("path="+name) {
			t.Errorf("%s: the panic is not in the log", name)
		}
	}
}

// TestHealthUnderAnyName: what watches the process asks by the machine's name or
// address, and by HEAD.
func TestHealthUnderAnyName(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		for _, method := range []string{"GET", "HEAD"} {
			got := s.ask(method, path, "", "Host", "pod-7.internal")
			if got.status != 200 || (method == "HEAD") != (got.body == "") {
				t.Errorf("%s %s: %d %q", method, path, got.status, got.body)
			}
		}
	}
}

// TestHeadIsTheTwinOfGet: for every address, to a stranger and to an admin.
func TestHeadIsTheTwinOfGet(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.as(s.user("admin@example.org", agent.RoleAdmin))
	for _, b := range []*browser{s.browser(), admin} {
		for _, d := range web.Doors() {
			if d.Method != http.MethodGet || strings.HasPrefix(d.Path, "/debug/") {
				continue
			}
			path := strings.NewReplacer(":id", "none", "*", "none").Replace(d.Path)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, s.url+path, http.NoBody)
			s.ok(err)
			want, got := b.get(path), b.do(req)
			if got.status != want.status || got.header.Get("Content-Type") != want.header.Get("Content-Type") || got.body != "" {
				t.Errorf("HEAD %s: %d %s %q, GET: %d %s", path, got.status, got.header.Get("Content-Type"), got.body, want.status, want.header.Get("Content-Type"))
			}
		}
	}
}

// TestHeadOfAnEventLog ends, although the log goes on.
func TestHeadOfAnEventLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(s.user("ana@example.org", agent.RoleUser))
	got := c.call(http.MethodHead, "/api/v1/conversations/"+c.conversation()+"/events", "")
	if got.status != 200 || got.header.Get("Content-Type") != "application/x-ndjson" || got.header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("%d %v", got.status, got.header)
	}
}
