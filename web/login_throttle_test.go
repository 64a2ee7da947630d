package web_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/web"
)

// localProxy is a proxy on this machine.
func localProxy(o *web.Options) {
	o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
}

// tryFrom tries to sign in as a browser that a proxy speaks for.
func (b *browser) tryFrom(address, email, password string) answer {
	b.s.t.Helper()
	form := url.Values{"csrf_token": {b.csrf}, "email": {email}, "password": {password}}
	req, err := http.NewRequestWithContext(b.s.t.Context(), http.MethodPost, b.s.url+"/login", strings.NewReader(form.Encode()))
	b.s.ok(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("X-Forwarded-For", address)
	return b.do(req)
}

func (s *site) visitor() *browser {
	b := s.browser()
	b.get("/login")
	return b
}

// TestStrangersLockNobodyOut: behind a trusted proxy each guesser has an address of
// their own. Who guesses is slowed down; the person is not, with the right password and
// a browser that they have signed in with before.
func TestStrangersLockNobodyOut(t *testing.T) {
	t.Parallel()
	s := newSite(t, localProxy)
	ana, bob := s.user("ana@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
	known := s.as(ana)
	known.post("/logout", nil)
	known.get("/login")
	guesser := s.visitor()
	for range 5 {
		if got := guesser.tryFrom("203.0.113.7", ana.Email, "wrong wrong"); got.status != 422 {
			t.Fatalf("a wrong password: %d", got.status)
		}
	}
	for name, tc := range map[string]struct {
		by             *browser
		from, as, with string
		status         int
	}{
		"the guesser":                     {guesser, "203.0.113.7", ana.Email, goodPassword, 429},
		"the guesser, as another":         {guesser, "203.0.113.7", bob.Email, goodPassword, 429},
		"the guesser's made-up addresses": {guesser, "1.2.3.4, 203.0.113.7", bob.Email, goodPassword, 429},
		"behind two proxies":              {guesser, "203.0.113.7, 10.1.2.3", bob.Email, goodPassword, 429},
		"another who guesses":             {s.visitor(), "203.0.113.8", ana.Email, "wrong wrong", 429},
		"another person elsewhere":        {s.visitor(), "203.0.113.9", bob.Email, goodPassword, 303},
		"the person, known":               {known, "203.0.113.7", ana.Email, goodPassword, 303},
	} {
		got := tc.by.tryFrom(tc.from, tc.as, tc.with)
		if got.status != tc.status || (tc.status == 429) != (got.header.Get("Retry-After") != "") {
			t.Errorf("%s: %d, want %d, Retry-After %q", name, got.status, tc.status, got.header.Get("Retry-After"))
		}
	}
	if rows := s.client(ana).call("GET", "/api/v1/audit?action=login.throttled", "").body; !strings.Contains(rows, "203.0.113.7") || strings.Contains(rows, "127.0.0.1") {
		t.Errorf("the audit log has the proxy's address: %s", rows)
	}
}

// TestStrangersDoNotLockOutANewBrowser: while others guess, the right password signs in from an
// address that has hardly failed. Guessing has a bound however many addresses take part.
func TestStrangersDoNotLockOutANewBrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t, localProxy)
	ana, bob := s.user("ana@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
	guesser := s.visitor()
	attack := func() {
		for i := range 5 {
			guesser.tryFrom(fmt.Sprintf("203.0.113.%d", i), ana.Email, "wrong wrong")
		}
	}
	for i, tc := range []struct {
		what, from, as, with string
		status               int
	}{
		{"the person, from a new address", "198.51.100.1", ana.Email, goodPassword, 303},
		{"the person, by IPv6", "2001:db8:1:2::7", ana.Email, goodPassword, 303},
		{"the person, after a slip", "198.51.100.2", ana.Email, "slipped slipped", 429},
		{"the person, after a slip, with the right one", "198.51.100.2", ana.Email, goodPassword, 303},
		{"a name in capitals", "198.51.100.3", strings.ToUpper(ana.Email), goodPassword, 303},
		{"who guesses", "198.51.100.4", ana.Email, "wrong wrong", 429},
		{"who guesses", "198.51.100.4", ana.Email, "wrong again", 429},
		{"who guesses", "198.51.100.4", ana.Email, "wrong still", 429},
		{"who has guessed three times", "198.51.100.4", ana.Email, goodPassword, 429},
		{"their neighbour by IPv6", "2001:db8:1:3::1", ana.Email, "wrong wrong", 429},
		{"who has guessed, as another", "198.51.100.4", bob.Email, goodPassword, 303},
		{"nobody's account", "198.51.100.5", "nobody@example.org", goodPassword, 422},
	} {
		attack()
		got := s.visitor().tryFrom(tc.from, tc.as, tc.with)
		if got.status != tc.status || (tc.status == 429) != (got.header.Get("Retry-After") != "") {
			t.Errorf("%d, %s: %d, want %d", i, tc.what, got.status, tc.status)
		}
		s.clock.Advance(time.Minute)
	}
}

// TestKnownDeviceIsThrottledItself: a stolen browser guesses no faster than others, and
// a cookie that was not signed here, or before the password changed, is none.
func TestKnownDeviceIsThrottledItself(t *testing.T) {
	t.Parallel()
	s := newSite(t, localProxy)
	ana := s.user("ana@example.org", agent.RoleAdmin)
	stolen, other := s.as(ana), s.as(ana)
	for _, b := range []*browser{stolen, other} {
		b.post("/logout", nil)
		b.get("/login")
	}
	for i := range 6 {
		if got := stolen.tryFrom(fmt.Sprintf("198.51.100.%d", i), ana.Email, "wrong wrong"); (got.status == 429) != (i == 5) {
			t.Errorf("try %d: %d", i, got.status)
		}
	}
	if got := other.tryFrom("198.51.100.9", ana.Email, goodPassword); got.status != 303 {
		t.Errorf("the person's other browser: %d", got.status)
	}
	s.ok(s.db.SetPassword(t.Context(), ana.ID, passwordHash(), false))
	guesser := s.visitor()
	for range 5 {
		guesser.tryFrom("203.0.113.7", ana.Email, "wrong wrong")
	}
	other.post("/logout", nil)
	other.get("/login")
	if got := other.tryFrom("203.0.113.7", ana.Email, goodPassword); got.status != 429 {
		t.Errorf("a browser from before the new password: %d", got.status)
	}
}

// TestHeadersOfStrangersAreNotBelieved: without a trusted proxy the address is the
// connection's, whatever it claims.
func TestHeadersOfStrangersAreNotBelieved(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for i := range 6 {
		got := s.visitor().tryFrom(fmt.Sprintf("203.0.113.%d", i), fmt.Sprintf("%d@example.org", i), "wrong wrong")
		if (got.status == 429) != (i == 5) {
			t.Errorf("try %d from a claimed address: %d", i, got.status)
		}
	}
}

// TestCrowdAtTheLogin: a password takes work on purpose. Of a crowd those are refused
// at once who would wait too long, with the time to come back; a person who is known
// is not.
func TestCrowdAtTheLogin(t *testing.T) { // not parallel: the others' sign-ins would be refused too
	s := newSite(t, localProxy)
	ana := s.user("ana@example.org", agent.RoleAdmin)
	b, known := s.visitor(), s.as(ana)
	known.post("/logout", nil)
	known.get("/login")
	answers := make(chan answer, 60)
	var all sync.WaitGroup
	for i := range cap(answers) {
		all.Go(func() {
			answers <- b.tryFrom(fmt.Sprintf("203.0.113.%d", i), fmt.Sprintf("%d@example.org", i), "wrong wrong")
		})
	}
	if got := known.tryFrom("203.0.113.98", ana.Email, goodPassword); got.status != 303 {
		t.Errorf("a person who is known, in the crowd: %d", got.status)
	}
	all.Wait()
	refused := 0
	for range cap(answers) {
		switch got := <-answers; {
		case got.status == 503 && got.header.Get("Retry-After") != "" && strings.Contains(got.body, "Many people are signing in"):
			refused++
		case got.status != 422:
			t.Errorf("%d %.300s", got.status, got.body)
		}
	}
	if refused == 0 || refused == cap(answers) {
		t.Errorf("%d of %d were refused", refused, cap(answers))
	}
	if got := b.tryFrom("203.0.113.99", ana.Email, goodPassword); got.status != 303 {
		t.Errorf("after the crowd: %d", got.status)
	}
}

// TestVisitorsWriteNothing: a page that a stranger asks for is no row in the database.
func TestVisitorsWriteNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ana@example.org", agent.RoleAdmin)
	var b *browser
	for _, path := range []string{"/login", "/", "/nowhere", "/api/v1/users"} {
		b = s.visitor()
		b.get(path)
	}
	if n := s.count("sessions"); n != 0 {
		t.Errorf("%d sessions of strangers", n)
	}
	b.get("/login")
	if got := b.post("/login", url.Values{"csrf_token": {"made up"}, "email": {"ana@example.org"}, "password": {goodPassword}}); got.status != 403 {
		t.Errorf("a form of another site: %d", got.status)
	}
	planted := url.Values{"csrf_token": {b.csrf}, "email": {"ana@example.org"}, "password": {goodPassword}}.Encode()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/login", strings.NewReader(planted))
	s.ok(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-site")
	if got := b.do(req); got.status != 403 {
		t.Errorf("a form of a neighbour, with a token that it has planted: %d", got.status)
	}
	if got := b.post("/login", url.Values{"email": {"ana@example.org"}, "password": {goodPassword}}); got.status != 303 {
		t.Errorf("the page's own form: %d", got.status)
	}
	if n := s.count("sessions"); n != 1 {
		t.Errorf("%d sessions of a person", n)
	}
}

// count is how many rows a table has, for who looks from outside.
func (s *site) count(table string) (n int) {
	s.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+s.file+"?_busy_timeout=10000")
	s.ok(err)
	defer func() { _ = db.Close() }()
	s.ok(db.QueryRowContext(s.t.Context(), `SELECT COUNT(*) FROM `+table).Scan(&n))
	return n
}

// TestFairRequests: who has used up their share is told when to come back, and others
// are not. A token has a share of its own within its owner's.
func TestFairRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.RequestsPerSecond = 4 })
	ana, bob := s.user("ana@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
	page := s.as(ana) // some requests
	wild, calm := s.client(ana), s.client(bob)
	s.clock.Advance(time.Minute)
	get := func(c client) answer { return c.call("GET", "/api/v1/tools", "") }
	var last answer
	for range 10 {
		if last = get(wild); last.status != 200 {
			t.Fatalf("within the share: %d", last.status)
		}
	}
	if got := last.header.Get("RateLimit-Policy"); got != `"token";q=10;w=5` {
		t.Errorf("policy %s", got)
	}
	if got := last.header.Get("RateLimit"); got != `"token";r=0;t=5` {
		t.Errorf("state %s", got)
	}
	refused := get(wild)
	if refused.status != 429 || refused.header.Get("Retry-After") != "1" || !strings.Contains(refused.body, "Too many requests") {
		t.Errorf("beyond it: %d %v %s", refused.status, refused.header, refused.body)
	}
	if got := page.get("/settings/account"); got.status != 200 || !strings.HasPrefix(got.header.Get("RateLimit"), `"person";`) {
		t.Errorf("its owner's browser: %d %s", got.status, got.header.Get("RateLimit"))
	}
	if got := get(calm); got.status != 200 {
		t.Errorf("another person: %d", got.status)
	}
	s.clock.Advance(time.Second)
	if got := get(wild); got.status != 200 {
		t.Errorf("a second later: %d", got.status)
	}
}
