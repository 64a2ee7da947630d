package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// signsIn reports whether a password opens an account at a running server.
func (p *program) signsIn(email, password string) bool {
	p.t.Helper()
	form := url.Values{"email": {email}, "password": {password}}
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+"/login", strings.NewReader(form.Encode()))
	must(p.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := http.DefaultTransport.RoundTrip(req)
	must(p.t, err)
	must(p.t, res.Body.Close())
	return res.StatusCode == http.StatusSeeOther
}

// TestUserPasswd: the command line gives an account another password, typed or
// generated, and takes its tokens away unless it is told to keep them.
func TestUserPasswd(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := startProgram(t, data)
	kept := api{t, p.url, p.token(adminEmail)}
	status, out, said := inProcess(t, data, "another long password\n", "user", "passwd", "--email", strings.ToUpper(adminEmail), "--password-stdin", "--keep-tokens")
	if status != exitOK || out != "" || strings.Contains(said, "another long password") {
		t.Fatalf("status %d: %q %q", status, out, said)
	}
	if p.signsIn(adminEmail, adminPassword) || !p.signsIn(adminEmail, "another long password") {
		t.Error("the typed password is not the one that opens the account")
	}
	kept.must("GET", "/api/v1/users", "")

	generated := strings.TrimSpace(administer(t, data, "user", "passwd", "--email", adminEmail))
	if len(generated) < 20 || !p.signsIn(adminEmail, generated) {
		t.Errorf("the password that was printed opens nothing: %q", generated)
	}
	if status, _ := kept.call("GET", "/api/v1/users", ""); status != http.StatusUnauthorized {
		t.Errorf("a token from before answers %d", status)
	}
	for want, args := range map[int][]string{
		exitUsage: {"user", "passwd"},
		exitError: {"user", "passwd", "--email", "nobody@example.org"},
	} {
		if status, _, said := inProcess(t, data, "", args...); status != want {
			t.Errorf("%v: status %d: %s", args, status, said)
		}
	}
	if status, _, said := inProcess(t, data, "short\n", "user", "passwd", "--email", adminEmail, "--password-stdin"); status != exitUsage || strings.Contains(said, "short\n") {
		t.Errorf("a short password: %d %s", status, said)
	}
}

// TestTokenNew: the command line makes tokens of some scopes, which expire.
func TestTokenNew(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := startProgram(t, data)
	reads := api{t, p.url, strings.TrimSpace(administer(t, data, "token", "new", "--user", adminEmail, "--scope", "read", "--scope", "metrics", "--expires", "90d"))}
	if status, _ := reads.call("GET", "/api/v1/conversations", ""); status != http.StatusOK {
		t.Errorf("reading: %d", status)
	}
	if status, body := reads.call("POST", "/api/v1/conversations", "{}"); status != http.StatusForbidden || !strings.Contains(string(body), `"scope":"chat"`) {
		t.Errorf("writing: %d %s", status, body)
	}
	full := api{t, p.url, p.token(adminEmail)}
	_, list := full.call("GET", "/api/v1/tokens", "")
	for _, part := range []string{`"scopes":["read","metrics"]`, `"expiresAt":"`, `"scopes":["read","chat","approve","admin","metrics"]`} {
		if !strings.Contains(string(list), part) {
			t.Errorf("the tokens lack %s: %s", part, list)
		}
	}
	for _, args := range [][]string{{"--scope", "root"}, {"--expires", "90"}, {"--expires", "0d"}, {"--expires", "soon"}} {
		if status, out, _ := inProcess(t, data, "", append([]string{"token", "new", "--user", adminEmail}, args...)...); status != exitUsage || out != "" {
			t.Errorf("%v: status %d %s", args, status, out)
		}
	}
}
