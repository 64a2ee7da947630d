package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// Databases with accounts, which take long to make: each password is hashed.
var (
	onlyAdmin    = prepared{admin: adminEmail}
	onlyReader   = prepared{admin: docsReader}
	fullInstance = prepared{admin: adminEmail, others: map[string]string{
		"ana@example.org": "user", "rex@example.org": "reviewer", "ria@example.org": "reviewer",
	}}
)

// prepared is a database with the accounts that the environment and the command
// line make. It is made once; each test gets a copy.
type prepared struct {
	admin  string
	others map[string]string // role by e-mail

	once    sync.Once
	content []byte
	tokens  map[string]string // an API token of each account, by e-mail
}

// ready are the tokens of the databases that were put into data folders, by their paths: a
// test that wants one need not start the program for it.
var ready sync.Map

// put puts a copy into a data folder, unless there is a database already.
func (p *prepared) put(t testing.TB, data string) {
	t.Helper()
	path := filepath.Join(data, "fusebox.db")
	if _, err := os.Stat(path); err == nil {
		return
	}
	p.once.Do(func() { p.content = p.make(t) })
	if p.content == nil {
		t.Fatal("the database of all tests could not be made")
	}
	must(t, os.MkdirAll(data, 0o700))
	must(t, os.WriteFile(path, p.content, 0o600))
	ready.Store(data, p.tokens)
}

// make returns the content of a database that was closed.
func (p *prepared) make(t testing.TB) []byte {
	t.Helper()
	data := t.TempDir()
	server := startEmpty(t, data, "FUSEBOX_ADMIN_EMAIL="+p.admin, "FUSEBOX_ADMIN_PASSWORD="+adminPassword)
	must(t, server.cmd.Process.Signal(os.Interrupt))
	must(t, server.cmd.Wait())
	for email, role := range p.others {
		addUser(t, data, email, role)
	}
	p.tokens = map[string]string{}
	for _, email := range slices.AppendSeq([]string{p.admin}, maps.Keys(p.others)) {
		p.tokens[email] = newToken(t, data, email)
	}
	content, err := os.ReadFile(filepath.Join(data, "fusebox.db"))
	must(t, err)
	return content
}

// addUser is fusebox user add.
func addUser(t testing.TB, data, email, role string) {
	t.Helper()
	status, _, said := fusebox(t, data, adminPassword+"\n", "user", "add", "--email", email, "--role", role, "--password-stdin")
	if status != exitOK {
		t.Fatalf("status %d: %s", status, said)
	}
}

// administer runs a command that has to succeed, and returns what it prints.
func administer(t testing.TB, data string, args ...string) string {
	t.Helper()
	status, out, said := fusebox(t, data, "", args...)
	if status != exitOK {
		t.Fatalf("%q: status %d: %s%s", args, status, out, said)
	}
	return out
}
