package tools

import (
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// TestSecondNamesAreRefused: a hard link in the workspace may be any file of the server.
func TestSecondNamesAreRefused(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	run(t.Context(), r, "write_file", map[string]any{"path": "own.txt", "content": "own"})
	space, secret := filepath.Join(dir, "workspaces", "c1"), filepath.Join(dir, "secret")
	mustDo(t, os.WriteFile(secret, []byte("key"), 0o600))
	mustDo(t, os.Link(secret, filepath.Join(space, "notes.txt")))
	mustDo(t, os.Symlink("notes.txt", filepath.Join(space, "soft")))
	mustDo(t, os.Symlink("own.txt", filepath.Join(space, "fine")))
	for _, path := range []string{"notes.txt", "soft"} {
		res := run(t.Context(), r, "read_file", map[string]any{"path": path})
		if res.ErrorType != agent.ErrPermission || !strings.Contains(res.Content, "hard link") {
			t.Errorf("read %s: %+v", path, res)
		}
		e := r.Evidence("write_file", agent.ToolInput{ConversationID: "c1", Args: json.RawMessage(`{"path":"` + path + `","content":"x"}`)})
		if strings.Contains(e.Diff, "key") || !strings.Contains(e.Diff, "hard link") {
			t.Errorf("evidence of %s: %q", path, e.Diff)
		}
	}
	if res := run(t.Context(), r, "write_file", map[string]any{"path": "notes.txt", "content": "x"}); res.ErrorType != agent.ErrPermission {
		t.Errorf("write: %+v", res)
	}
	if res := run(t.Context(), r, "read_file", map[string]any{"path": "fine"}); res.Content != "own" {
		t.Errorf("a link within the workspace: %+v", res)
	}
	if raw, err := os.ReadFile(secret); err != nil || string(raw) != "key" {
		t.Errorf("outside was touched: %s %v", raw, err)
	}
}

// TestNothingIsWrittenThroughAName: where the tools make files, a second name of
// another file may be waiting already.
func TestNothingIsWrittenThroughAName(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	run(t.Context(), r, "list_files", nil)
	secret := filepath.Join(dir, "secret")
	mustDo(t, os.WriteFile(secret, []byte("key"), 0o600))
	mustDo(t, os.MkdirAll(filepath.Join(dir, "outputs", "c1", "r1"), 0o700))
	mustDo(t, os.Link(secret, filepath.Join(dir, "outputs", "c1", "r1", "k.txt")))
	mustDo(t, os.Link(secret, filepath.Join(dir, "workspaces", "c1", ".writing-k")))
	in := agent.ToolInput{RunID: "r1", ConversationID: "c1", CallID: "k", Args: json.RawMessage(`{"path":"a","content":"overwritten","command":"echo overwritten"}`)}
	for _, tool := range []string{"write_file", "run_shell"} {
		if res := r.Execute(t.Context(), tool, in); res.ErrorType != "" {
			t.Errorf("%s: %+v", tool, res)
		}
	}
	if raw, err := os.ReadFile(secret); err != nil || string(raw) != "key" {
		t.Errorf("the file behind the name was touched: %q %v", raw, err)
	}
}

// TestFilesOfTheServerAreRefused: also where their only name is in the workspace.
func TestFilesOfTheServerAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opened := filepath.Join(dir, "workspaces", "c1", "moved.txt")
	mustDo(t, os.MkdirAll(filepath.Dir(opened), 0o700))
	mustDo(t, os.WriteFile(opened, []byte("pages"), 0o600))
	own, err := os.Stat(opened)
	mustDo(t, err)
	r, err := New(Config{
		DataDir: dir, Sandbox: box(t, dir), HTTPClient: http.DefaultClient, Timeout: time.Second, OutputLimit: 100, Logger: slog.New(slog.DiscardHandler),
		ServerFile: func(i fs.FileInfo) bool { return os.SameFile(i, own) },
	})
	mustDo(t, err)
	if res := run(t.Context(), r, "read_file", map[string]any{"path": "moved.txt"}); res.ErrorType != agent.ErrPermission || strings.Contains(res.Content, "pages") {
		t.Errorf("read: %+v", res)
	}
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
