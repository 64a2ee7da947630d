package e2e

import (
	"bytes"
	"database/sql"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
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
	status, out, said := fusebox(t, data, "another long password\n", "user", "passwd", "--email", strings.ToUpper(adminEmail), "--password-stdin", "--keep-tokens")
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
		if status, _, said := fusebox(t, data, "", args...); status != want {
			t.Errorf("%v: status %d: %s", args, status, said)
		}
	}
	if status, _, said := fusebox(t, data, "short\n", "user", "passwd", "--email", adminEmail, "--password-stdin"); status != exitUsage || strings.Contains(said, "short\n") {
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
		if status, out, _ := fusebox(t, data, "", append([]string{"token", "new", "--user", adminEmail}, args...)...); status != exitUsage || out != "" {
			t.Errorf("%v: status %d %s", args, status, out)
		}
	}
}

// TestUserRemove: the command line removes a person beside a running server, with the
// text they wrote and their files; the books still agree, and the chain is whole.
func TestUserRemove(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := startProgram(t, data)
	addUser(t, data, "ana@example.org", "user")
	ana := api{t, p.url, p.token("ana@example.org")}
	conversation, run := ana.ask("secret-apples please")
	ana.rests(run)
	workspace := filepath.Join(data, "workspaces", conversation)
	must(t, os.MkdirAll(workspace, 0o700))
	must(t, os.WriteFile(filepath.Join(workspace, "notes.txt"), []byte("secret-apples"), 0o600))

	if !p.signsIn("ana@example.org", adminPassword) { // which leaves a session
		t.Fatal("she cannot sign in")
	}
	id := accountID(t, data, "ana@example.org")
	status, _, said := fusebox(t, data, "", "user", "remove", "--email", "ana@example.org")
	if status != exitOK || !strings.Contains(said, "conversations 1, runs 1, API tokens 1") {
		t.Fatalf("status %d: %s", status, said)
	}
	if status, _ := ana.call("GET", "/api/v1/models", ""); status != http.StatusUnauthorized {
		t.Errorf("her token answers %d", status)
	}
	must(t, filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte("secret-apples")) {
			t.Errorf("%s still has her text", path)
		}
		return err
	}))
	if left := tablesWith(t, data, "ana@example.org"); !slices.Equal(left, []string{"audit"}) {
		t.Errorf("her address is left in %v", left)
	}
	for _, table := range tablesWith(t, data, id) {
		if !slices.Contains([]string{"audit", "ledger", "spend_sums", "usage"}, table) {
			t.Errorf("%s still knows her account", table)
		}
	}
	_, bill := (api{t, p.url, p.token(adminEmail)}).call("GET", "/api/v1/spend?group=user", "")
	if !strings.Contains(string(bill), `"key":"removed user `) || strings.Contains(string(bill), "ana@example.org") {
		t.Errorf("the bill: %s", bill)
	}
	administer(t, data, "ledger", "verify")
	administer(t, data, "audit", "verify")
	for want, args := range map[int][]string{
		exitUsage: {"user", "remove"},
		exitError: {"user", "remove", "--email", adminEmail}, // the last admin
	} {
		if status, _, said := fusebox(t, data, "", args...); status != want {
			t.Errorf("%v: status %d: %s", args, status, said)
		}
	}
	if !p.signsIn(adminEmail, adminPassword) {
		t.Error("the refused removal has disabled the account")
	}
}

func accountID(t *testing.T, data, email string) (id string) {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(data, "fusebox.db"))
	must(t, err)
	defer func() { must(t, db.Close()) }()
	must(t, db.QueryRowContext(t.Context(), `SELECT id FROM users WHERE email = $1`, email).Scan(&id))
	return id
}

// tablesWith are the tables that have a text anywhere.
func tablesWith(t *testing.T, data, text string) (tables []string) {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(data, "fusebox.db"))
	must(t, err)
	defer func() { must(t, db.Close()) }()
	rows, err := db.QueryContext(t.Context(), `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1`)
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	columns := map[string][]string{}
	for rows.Next() {
		var table, column string
		must(t, rows.Scan(&table, &column))
		columns[table] = append(columns[table], `INSTR(CAST("`+column+`" AS BLOB), CAST($1 AS BLOB)) > 0`)
	}
	must(t, rows.Err())
	for _, table := range slices.Sorted(maps.Keys(columns)) {
		var found bool
		query := `SELECT EXISTS (SELECT 1 FROM "` + table + `" WHERE ` + strings.Join(columns[table], " OR ") + `)`
		must(t, db.QueryRowContext(t.Context(), query, text).Scan(&found))
		if found {
			tables = append(tables, table)
		}
	}
	return tables
}

// TestTokenOfAFreshServer: a script that starts a server and asks for a token as soon as
// the port answers gets one, although the admin's account is still being made.
func TestTokenOfAFreshServer(t *testing.T) {
	t.Parallel()
	data, address := t.TempDir(), ownAddress()
	launch(t, data, append(withAdmin(), "FUSEBOX_ADDR="+address)...)
	agenttest.Eventually(t, "the port answers", func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		return err == nil && c.Close() == nil
	})
	if _, out, said := fusebox(t, data, "", "token", "new", "--user", adminEmail); !strings.HasPrefix(out, "fbx_") {
		t.Errorf("token new said %q", out+said)
	}
	if _, _, said := fusebox(t, data, "", "token", "new", "--user", "nobody@example.org"); !strings.Contains(said, "no account") {
		t.Errorf("for nobody it said %q", said)
	}
}
