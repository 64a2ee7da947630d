package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBackupAndRestore: what a server is restored from a backup with is what the other
// one had when it was made, its chats and the files of their workspaces.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	data, fresh, file := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "monday.db")
	p := startProgram(t, data, withAdmin()...)
	a := p.admin()
	conversation, run := a.ask("test approval")
	a.rests(run)
	a.decide(run, `{"decision":"approve"}`)
	a.rests(run)
	before := a.events(conversation, 0)
	administer(t, data, "backup", file)
	if out, err := command(t, t.Context(), []string{"FUSEBOX_DATA=" + data}, "restore", file).CombinedOutput(); err == nil || !strings.Contains(string(out), "in use by another server") {
		t.Errorf("restoring below a server: %v %s", err, out)
	}
	p.kill()
	if out, err := command(t, t.Context(), []string{"FUSEBOX_DATA=" + data}, "restore", file).CombinedOutput(); err == nil || !strings.Contains(string(out), "exists already") {
		t.Errorf("restoring over a database: %v %s", err, out)
	}
	if said := administer(t, fresh, "restore", file); !strings.Contains(said, "files of workspaces, outputs, and documents: 4") { // three are the samples
		t.Errorf("restore said %q", said)
	}
	a.url = startProgram(t, fresh).url
	if after := a.events(conversation, 0); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("the restored log is another one")
	}
	trace := filepath.Join("workspaces", conversation, "cleanup.log")
	had, err := os.ReadFile(filepath.Join(data, trace))
	must(t, err)
	if has, err := os.ReadFile(filepath.Join(fresh, trace)); err != nil || string(has) != string(had) {
		t.Errorf("the workspace's file is %q, was %q, %v", has, had, err)
	}
}
