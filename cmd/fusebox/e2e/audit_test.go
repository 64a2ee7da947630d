package e2e

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAuditVerify: the chain is checked beside a running server, which the
// command line writes to as well; what was tampered with has its exit status.
func TestAuditVerify(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	run := func(args ...string) (int, string, string) {
		t.Helper()
		return fusebox(t, data, "a long password\n", args...)
	}
	if status, _, said := run("audit", "verify"); status != exitError || !strings.Contains(said, "cannot be read") {
		t.Errorf("no database: %d %s", status, said)
	}
	startProgram(t, data, "FUSEBOX_ADMIN_EMAIL="+adminEmail, "FUSEBOX_ADMIN_PASSWORD="+adminPassword)
	for i := range 3 {
		if status, _, said := run("user", "add", "--email", fmt.Sprintf("u%d@example.org", i), "--role", "user", "--password-stdin"); status != exitOK {
			t.Fatal(said)
		}
	}
	status, out, said := run("audit", "verify")
	ok := regexp.MustCompile(`^ok: 17 rows, head ([0-9a-f]{64}) \(seq 17, \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\)\n$`).FindStringSubmatch(out)
	if status != exitOK || ok == nil {
		t.Fatalf("status %d: %s%s", status, out, said)
	}
	if status, out, _ := run("audit", "verify", "--head", ok[1], "--rows=17"); status != exitOK || !strings.HasPrefix(out, "ok: 17 rows") {
		t.Errorf("with its own head: %d %s", status, out)
	}
	if status, out, _ := run("audit", "verify", "--rows", "18"); status != exitTripped || out != "broken: the end was cut off: the chain has 17 rows, there were 18\n" {
		t.Errorf("eighteen rows: %d %s", status, out)
	}
	for _, args := range [][]string{{"audit"}, {"audit", "fix"}, {"audit", "verify", "x"}, {"audit", "verify", "--rows", "many"}} {
		if status, _, _ := run(args...); status != exitUsage {
			t.Errorf("%v: status %d", args, status)
		}
	}
	db, err := sql.Open("sqlite3", filepath.Join(data, "fusebox.db"))
	must(t, err)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(t.Context(), `DROP TRIGGER audit_no_update; UPDATE audit SET place = 'elsewhere' WHERE seq = 2`)
	must(t, err)
	if status, out, _ := run("audit", "verify"); status != exitTripped || !strings.HasPrefix(out, "broken: row 2 (") || !strings.Contains(out, "it was changed") {
		t.Errorf("tampered with: %d %s", status, out)
	}
}
