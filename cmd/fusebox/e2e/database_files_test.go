package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fusebox/agent/agenttest"
)

// TestHardLinkToTheDatabaseLosesNothing: a file tool that opened the database under
// another name would drop the server's locks; the next process that opens the
// database would then delete its log under the server.
func TestHardLinkToTheDatabaseLosesNothing(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := startProgram(t, data)
	a := p.admin()
	conversation, run := a.ask("test files")
	a.rests(run)
	a.must("POST", "/api/v1/runs/"+run+"/abort", "")
	space := filepath.Join(data, "workspaces", conversation)
	if err := os.MkdirAll(space, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(data, "fusebox.db"), filepath.Join(space, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	agenttest.Eventually(t, "the run to end", func() bool { return a.must("GET", "/api/v1/runs/"+run, "")["status"] == "aborted" })
	a.rests(a.post(conversation, "read 1 files: notes.txt"))
	results := ofType(a.events(conversation, 0), "tool-call-result")
	if last := results[len(results)-1]; last["errorType"] != "permission_denied" {
		t.Errorf("reading the database: %v", last)
	}
	administer(t, data, "token", "new", "--user", adminEmail) // opens and closes the database
	var acknowledged []string
	for range 6 {
		acknowledged = append(acknowledged, a.post(conversation, "hello"))
		a.rests(acknowledged[len(acknowledged)-1])
	}
	p.kill()
	p = startProgram(t, data)
	a.url = p.url
	for _, id := range acknowledged {
		if status, raw := a.call("GET", "/api/v1/runs/"+id, ""); status != http.StatusOK {
			t.Errorf("run %s after the kill: %d %s", id, status, raw)
		}
	}
}

// TestTakenAwayLogIsNoticed: what is written to a log that was deleted is gone with
// the process, so nothing is written any more, and it is said.
func TestTakenAwayLogIsNoticed(t *testing.T) {
	t.Parallel()
	p := startProgram(t, t.TempDir())
	p.expectError(`taken the database's files away`)
	p.expectError(`error="disk I/O error`) // what a request, or a look for runs, finds before somebody has looked for the files
	a := p.admin()
	if status, _ := a.call("GET", "/readyz", ""); status != http.StatusOK {
		t.Fatalf("at first: %d", status)
	}
	if err := os.Remove(filepath.Join(p.data, "fusebox.db-wal")); err != nil {
		t.Fatal(err)
	}
	if status, raw := a.call("POST", "/api/v1/conversations", "{}"); status != http.StatusServiceUnavailable || !strings.Contains(string(raw), "writes nothing") {
		t.Errorf("a write: %d %s", status, raw)
	}
	agenttest.Eventually(t, "readyz to say it", func() bool { // it remembers its answer for a moment
		status, raw := a.call("GET", "/readyz", "")
		return status == http.StatusServiceUnavailable && strings.Contains(string(raw), "taken the database's files away")
	})
	p.logged(`(the database was taken away)`)
	// A connection from before can still read; one that is opened now cannot. Requests
	// at once take both kinds, and each answer says what is wrong.
	var requests sync.WaitGroup
	for range 24 {
		requests.Go(func() {
			status, raw := a.call("GET", "/admin/tools", "")
			if status != http.StatusOK && status != http.StatusServiceUnavailable || !strings.Contains(string(raw), "taken the database") {
				t.Errorf("the admin page: %d %s", status, raw)
			}
		})
	}
	requests.Wait()
}
