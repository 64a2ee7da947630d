package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnEditIsOfTheFileThatWasShown: a file that changes after its card was shown is asked
// about again, with the new diff, and only that edit is made.
func TestAnEditIsOfTheFileThatWasShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startProgram(t, dir)
	person := newOutsider(t, p.url, strings.TrimPrefix(p.url, "http://"), "127.0.0.1")
	person.signIn(adminEmail, adminPassword)
	admin := p.admin()
	conversation, run := player{t, *person, admin}.start("test edit")
	card := func() string { return fmt.Sprint(admin.rests(run)["pendingApprovalIds"].([]any)[0]) }
	file := filepath.Join(dir, "workspaces", conversation, "README.md")
	shown := card()
	must(t, os.WriteFile(file, []byte("# Sample shop\nopen on Sundays\n"), 0o600))
	admin.must("POST", "/api/v1/approvals/"+shown+"/decision", `{"decision":"approve"}`)

	again := admin.must("GET", "/api/v1/approvals/"+card(), "")
	if text := fmt.Sprint(again); !strings.Contains(text, "open on Sundays") || !strings.Contains(text, "README.md has changed since this call was approved") {
		t.Fatalf("the card does not say what has changed: %s", text)
	}
	if raw, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(raw), "# Sample shop") {
		t.Fatalf("it was edited before that: %s %v", raw, err)
	}
	admin.must("POST", "/api/v1/approvals/"+card()+"/decision", `{"decision":"approve"}`)
	admin.rests(run)
	if raw, err := os.ReadFile(file); err != nil || string(raw) != "# The corner shop\nopen on Sundays\n" {
		t.Errorf("%s %v", raw, err)
	}
}
