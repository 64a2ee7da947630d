package web_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/web"
)

var resetURL = regexp.MustCompile(`https://box\.example\.org(/reset/\w+)`)

// resetFor has an admin make a link for an account on the page, and returns its path.
func (b *browser) resetFor(u agent.User) string {
	b.s.t.Helper()
	got := b.post("/admin/users/"+u.ID+"/reset", nil)
	m := resetURL.FindStringSubmatch(got.body)
	if got.status != http.StatusCreated || m == nil {
		b.s.t.Fatalf("no link: %d %.500s", got.status, got.body)
	}
	return m[1]
}

// signsIn reports whether a password opens an account.
func (s *site) signsIn(u agent.User, password string) bool {
	s.t.Helper()
	b := s.browser()
	b.get("/login")
	return b.post("/login", form("email", u.Email, "password", password)).status == http.StatusSeeOther
}

func TestPasswordResetByLink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
	admin, signedIn, token := s.as(ana), s.as(bob), s.client(bob)
	path := admin.resetFor(bob)
	admin.get("/admin/users").check(t, want{status: http.StatusOK, hasNot: []string{path}})

	b := s.browser()
	for range 3 { // to look at it uses nothing up
		got := b.get(path)
		got.check(t, want{status: http.StatusOK, has: []string{"bob@example.org", `name="keep_tokens"`, `autocomplete="new-password"`}})
		for header, value := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store"} {
			if got.header.Get(header) != value {
				t.Errorf("%s: %q", header, got.header.Get(header))
			}
		}
	}
	b.post(path, form("password", "short")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`id="password-error"`}, hasNot: []string{`value="short"`}})
	b.post(path, form("password", "a new sentence", "csrf_token", "forged")).check(t, want{status: http.StatusForbidden})
	if s.signsIn(bob, "a new sentence") {
		t.Error("a forged form set the password")
	}
	b.post(path, form("password", "a new sentence")).check(t, want{status: http.StatusOK, has: []string{"Your new password is set", `href="/login"`}})
	if s.signsIn(bob, goodPassword) || !s.signsIn(bob, "a new sentence") {
		t.Error("the new password is not the one that opens the account")
	}
	signedIn.get("/settings/account").check(t, want{status: http.StatusSeeOther, location: "/login?next=%2Fsettings%2Faccount"})
	token.call(http.MethodGet, "/api/v1/models", "").check(t, want{status: http.StatusUnauthorized})
	b.post(path, form("password", "another sentence")).check(t, want{status: http.StatusNotFound})
	if row := s.auditOf("user.password"); row.Actor != bob.Email || row.Target != bob.ID || row.Detail != `{"byLink":true,"tokensEnded":1}` {
		t.Errorf("audit: %+v", row)
	}
	if row := s.auditOf("user.reset"); row.Actor != ana.Email || row.Target != bob.ID {
		t.Errorf("audit: %+v", row)
	}
}

// TestResetKeepsTokens where the person says so.
func TestResetKeepsTokens(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
	token := s.client(bob)
	path := s.as(ana).resetFor(bob)
	b := s.browser()
	b.get(path)
	b.post(path, form("password", "a new sentence", "keep_tokens", "true")).check(t, want{status: http.StatusOK})
	token.call(http.MethodGet, "/api/v1/models", "").check(t, want{status: http.StatusOK})
}

// TestDeadResetLinks: links that do not work any more are answered like those that never
// did, whatever became of them.
func TestDeadResetLinks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		dies func(s *site, admin *browser, bob agent.User)
	}{
		{"expired", func(s *site, _ *browser, _ agent.User) { s.clock.Advance(24*time.Hour + time.Second) }},
		{"replaced", func(_ *site, admin *browser, bob agent.User) { admin.resetFor(bob) }},
		{"another password", func(s *site, _ *browser, bob agent.User) {
			s.ok(s.db.SetPassword(s.t.Context(), bob.ID, passwordHash(), true))
		}},
		{"disabled", func(_ *site, admin *browser, bob agent.User) {
			admin.post("/admin/users/"+bob.ID, form("disabled", "true"))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			ana, bob := s.user("ana@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
			admin := s.as(ana)
			path := admin.resetFor(bob)
			b := s.browser()
			b.get(path)
			tc.dies(s, admin, bob)
			never := b.get("/reset/NEVERMADE")
			never.check(t, want{status: http.StatusNotFound, has: []string{"This link doesn&#39;t work anymore"}})
			if got := b.get(path); got.status != never.status || withoutToken(got.body) != withoutToken(never.body) || strings.Contains(got.body, bob.Email) {
				t.Errorf("%d %s", got.status, got.body)
			}
			b.post(path, form("password", "a new sentence")).check(t, want{status: http.StatusNotFound, hasNot: []string{bob.Email}})
			if s.signsIn(bob, "a new sentence") {
				t.Error("it set the password")
			}
		})
	}
}

func withoutToken(body string) string { return csrfMeta.ReplaceAllString(body, "") }

// TestResetLinksAreNotGuessed: tries are bounded for one address, also with the right
// link after them.
func TestResetLinksAreNotGuessed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
	path := s.as(ana).resetFor(bob)
	b := s.browser()
	b.get("/login")
	for i := range 5 {
		guess := "/reset/GUESS" + string(rune('A'+i))
		if i%2 == 0 {
			b.get(guess).check(t, want{status: http.StatusNotFound})
		} else {
			b.post(guess, form("password", "a new sentence")).check(t, want{status: http.StatusNotFound})
		}
	}
	for _, got := range []answer{b.get(path), b.post(path, form("password", "a new sentence"))} {
		got.check(t, want{status: http.StatusTooManyRequests, has: []string{"Too many failed attempts"}, hasNot: []string{bob.Email}})
		if got.header.Get("Retry-After") == "" || got.header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("headers: %v", got.header)
		}
	}
	s.clock.Advance(61 * time.Second)
	b.get(path).check(t, want{status: http.StatusOK})
}

// safeBuffer takes the log of several goroutines.
type safeBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// TestResetByAPI: admins make links with the API; their secret is neither in the log nor
// in the database.
func TestResetByAPI(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	s := newSite(t, func(o *web.Options) {
		o.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	ana, bob := s.user("ana@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
	c := s.client(ana)
	link := decoded[struct {
		URL       string
		ExpiresAt time.Time
	}](t, c.call(http.MethodPost, "/api/v1/users/"+bob.ID+"/reset", ""), http.StatusCreated)
	m := resetURL.FindStringSubmatch(link.URL)
	if m == nil || link.ExpiresAt.Sub(s.clock.Now()).Round(time.Minute) != 24*time.Hour {
		t.Fatalf("%+v", link)
	}
	b := s.browser()
	b.get(m[1]).check(t, want{status: http.StatusOK})
	b.get(m[1]+"X").check(t, want{status: http.StatusNotFound})
	c.call(http.MethodPost, "/api/v1/users/nobody/reset", "").check(t, want{status: http.StatusNotFound})
	s.ok(s.db.PatchUser(t.Context(), bob.ID, agent.UserPatch{Role: new(agent.RoleUser), Disabled: new(true)}))
	c.call(http.MethodPost, "/api/v1/users/"+bob.ID+"/reset", "").check(t, want{status: http.StatusConflict, has: []string{"disabled"}})
	secret := strings.TrimPrefix(m[1], "/reset/")
	if said := log.String(); strings.Contains(said, secret) || !strings.Contains(said, `"path":"/reset/…"`) {
		t.Errorf("the log: %s", said)
	}
	for _, file := range []string{s.file, s.file + "-wal"} {
		raw, err := os.ReadFile(file)
		s.ok(err)
		if bytes.Contains(raw, []byte(secret)) {
			t.Errorf("%s has the secret", file)
		}
	}
}
