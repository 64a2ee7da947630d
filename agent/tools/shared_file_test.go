package tools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// sharing is a call of a run that knows some files and whose siblings have written others.
func sharing(id string, args map[string]any, known agent.KnownFiles, writes ...agent.FileWrite) agent.ToolInput {
	return agent.ToolInput{
		RunID: "r1", ConversationID: "c1", CallID: id, Args: agent.MustJSON(args),
		Shared: &agent.SharedFiles{Known: known, Written: func(context.Context) ([]agent.FileWrite, error) { return writes, nil }},
	}
}

// TestOneFileHasManyPaths: whatever path a sibling has written a file by, it is known to be that file.
func TestOneFileHasManyPaths(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		path, by string
		same     bool
	}{
		{"d/a", "d/a", true},
		{"./d/../d/a", "d/a", true},
		{`d\a`, "d//a", true},
		{"link/a", "d/a", true},
		{"d/a", "link/./a", true},
		{"d/a", "d/b", false},
		{"d/a", "none", false},
		{"d/a", "../c1/d/a", false},
		{"d/a", "d/a\x00", false},
	} {
		t.Run(tc.path+" "+tc.by, func(t *testing.T) {
			t.Parallel()
			r, dir := kit(t)
			for _, name := range []string{"d/a", "d/b"} {
				run(t.Context(), r, "write_file", map[string]any{"path": name, "content": "theirs"})
			}
			if err := os.Symlink("d", filepath.Join(dir, "workspaces", "c1", "link")); err != nil {
				t.Fatal(err)
			}
			res := r.Execute(t.Context(), "write_file", sharing("k", map[string]any{"path": tc.path, "content": "mine"}, nil, agent.FileWrite{By: "agent left", Path: tc.by}))
			raw, err := os.ReadFile(filepath.Join(dir, "workspaces", "c1", "d", "a"))
			if err != nil || tc.same != (res.ErrorType == agent.ErrExecution) || tc.same != (string(raw) == "theirs") || tc.same != strings.Contains(res.Content, "agent left") {
				t.Errorf("%q %v: %+v", raw, err, res)
			}
		})
	}
}

// TestWhatARunKnowsOfAFile: it is what the run has read or written last, in whole; an edit of a
// part adds nothing to it.
func TestWhatARunKnowsOfAFile(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	var known agent.KnownFiles
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	theirs := agent.FileWrite{By: "agent left", Path: "a"}
	calls := func(tool string, args map[string]any, refused bool) {
		t.Helper()
		args["path"] = "a"
		res := r.Execute(t.Context(), tool, sharing("k", args, known, theirs))
		if refused != strings.Contains(res.Content, "Nothing was overwritten") || refused == (res.ErrorType == "") {
			t.Errorf("%s %v: %+v", tool, args, res)
		}
		if res.File != nil {
			known = known.With(*res.File, at, at)
		}
	}
	others := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "workspaces", "c1", "a"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	calls("write_file", map[string]any{"content": "one two"}, false)
	calls("edit_file", map[string]any{"old": "one", "new": "1"}, false)
	calls("write_file", map[string]any{"content": "one two"}, false)
	others("one three")
	calls("edit_file", map[string]any{"old": "one", "new": "1"}, false)
	calls("write_file", map[string]any{"content": "one two"}, true)
	calls("read_file", map[string]any{"offset": 1, "limit": 2}, false)
	calls("write_file", map[string]any{"content": "one three"}, false)
	others("four")
	theirs.At = at.Add(-time.Second) // this run has seen what they wrote: it was somebody else
	calls("write_file", map[string]any{"content": "five"}, false)
	if err := os.Remove(filepath.Join(dir, "workspaces", "c1", "a")); err != nil {
		t.Fatal(err)
	}
	theirs.At = time.Time{}
	calls("write_file", map[string]any{"content": "six"}, false)
}

// TestUnknownWritersKeepAFile: where it cannot be found out who has written a file, it stays.
func TestUnknownWritersKeepAFile(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	run(t.Context(), r, "write_file", map[string]any{"path": "a", "content": "theirs"})
	in := sharing("k", map[string]any{"path": "a", "content": "mine"}, nil)
	in.Shared.Written = func(context.Context) ([]agent.FileWrite, error) { return nil, errors.New("no disk") }
	res := r.Execute(t.Context(), "write_file", in)
	if raw, err := os.ReadFile(filepath.Join(dir, "workspaces", "c1", "a")); string(raw) != "theirs" || err != nil || res.ErrorType == "" || strings.Contains(res.Content, "disk") {
		t.Errorf("%q %v: %+v", raw, err, res)
	}
}

// TestACancelledEditWaitsNoLonger: a call that waits for its turn ends with its context, changes
// nothing, and is in nobody's way.
func TestACancelledEditWaitsNoLonger(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	run(t.Context(), r, "write_file", map[string]any{"path": "a", "content": "theirs"})
	began, goOn, first := make(chan struct{}), make(chan struct{}), make(chan agent.ToolResult)
	in := sharing("k1", map[string]any{"path": "a", "content": "first"}, nil)
	in.Shared.Written = func(context.Context) ([]agent.FileWrite, error) {
		close(began)
		<-goOn
		return nil, nil
	}
	go func() { first <- r.Execute(t.Context(), "write_file", in) }()
	agenttest.Receive(t, "the first to have its turn", began)
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan agent.ToolResult)
	go func() {
		second <- r.Execute(ctx, "edit_file", agent.ToolInput{
			RunID: "r2", ConversationID: "c1", CallID: "k2", Args: json.RawMessage(`{"path":"a","old":"theirs","new":"second"}`), Shared: &agent.SharedFiles{},
		})
	}()
	cancel()
	if res := agenttest.Receive(t, "the second to end", second); res.ErrorType != agent.ErrCancelled {
		t.Errorf("%+v", res)
	}
	close(goOn)
	if res := agenttest.Receive(t, "the first to end", first); res.ErrorType != "" {
		t.Errorf("%+v", res)
	}
	if res := r.Execute(t.Context(), "edit_file", sharing("k3", map[string]any{"path": "a", "old": "first", "new": "third"}, nil)); res.ErrorType != "" {
		t.Errorf("%+v", res)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "workspaces", "c1", "a")); string(raw) != "third" || err != nil {
		t.Errorf("%q %v", raw, err)
	}
}
