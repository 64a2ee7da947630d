package tools

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestUploadsArriveWhole: until a file has arrived completely there is none with its name,
// what breaks off leaves nothing, and a new process forgets what the one before it had.
func TestUploadsArriveWhole(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	r.files = agent.FileLimits{File: 1000, Workspace: 10_000}
	there := func() (names []string) {
		list, err := r.ListFiles(t.Context(), "c1")
		if err != nil {
			t.Error(err)
		}
		for _, f := range list.Files {
			names = append(names, f.Path)
		}
		return names
	}
	for _, tc := range []struct {
		name, want string
		broken     error
	}{
		{"notes.txt", "notes.txt", nil},
		{"notes.txt", "notes (2).txt", nil},
		{".env", ".env", nil},
		{"图.png", "图.png", nil},
		{"lost.csv", "", io.ErrUnexpectedEOF},
	} {
		before := len(there())
		rest, more := io.Pipe()
		saved := make(chan string, 1)
		go func() {
			f, _ := r.SaveFile(t.Context(), "c1", tc.name, rest) // what fails is named nothing
			saved <- f.Path
		}()
		_, err := io.WriteString(more, "half")
		must(t, err)
		if now := there(); len(now) != before {
			t.Errorf("half of %s is there: %q", tc.name, now)
		}
		if tc.broken == nil {
			_, err = io.WriteString(more, "whole")
			must(t, err)
		}
		_ = more.CloseWithError(tc.broken)
		got := agenttest.Receive(t, "the file", saved)
		content, _ := os.ReadFile(filepath.Join(dir, "workspaces", "c1", got))
		if got != tc.want || got != "" && string(content) != "halfwhole" {
			t.Errorf("%s is %q with %q", tc.name, got, content)
		}
		if left, err := os.ReadDir(filepath.Join(dir, "workspaces", arriving)); err != nil || len(left) > 0 {
			t.Errorf("%s: still arriving are %v, %v", tc.name, left, err)
		}
	}
	all := mustRoot(t, filepath.Join(dir, "workspaces"))
	must(t, all.WriteFile(arriving+"/draft", []byte("whole"), 0o600))
	if name, err := moveInByRename(all, arriving+"/draft", "c1", "notes.txt"); err != nil || name != "notes (3).txt" {
		t.Errorf("without second names, the file is %q, %v", name, err)
	}
	left := filepath.Join(dir, "workspaces", arriving, "of a killed process")
	must(t, os.WriteFile(left, []byte("half"), 0o600))
	must(t, r.spaces.prepareArrivals())
	if _, err := os.Stat(left); err == nil {
		t.Error("what a killed process had received is still there")
	}
}
