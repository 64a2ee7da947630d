package child_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/documents/child"
	"fusebox/agent/sandbox"
)

// boxed is a sandbox, and an empty file.
func boxed(t *testing.T) (*sandbox.Sandbox, *os.File) {
	t.Helper()
	dir := t.TempDir()
	box, err := sandbox.New(sandbox.Options{Mode: sandbox.Off, Data: dir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return box, file
}

// script is a program.
func script(t *testing.T, body string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "reader")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return program
}

// TestReadersAreTold: a reader gets what the person has chosen as arguments, and the password
// in its environment, not among them.
func TestReadersAreTold(t *testing.T) {
	t.Parallel()
	box, file := boxed(t)
	d := agent.Document{Name: "a.csv", Choice: agent.ReadingChoice{Encoding: "Big5", Separator: "|"}}
	reader := child.Child{Box: box, Program: script(t, `echo "{\"title\":\"$* and $FUSEBOX_DOCUMENT_PASSWORD\"}"`), Path: "/usr/bin:/bin"}
	got, err := reader.Read(agenttest.Context(t), d, "wal nut", file)
	if want := "read-document a.csv 0 Big5 | and wal nut"; err != nil || got.Title != want {
		t.Errorf("%q, %v", got.Title, err)
	}
}

// TestReadersAreNotBelieved: what a reader says of a file is checked, since the file may have
// taken it over; one that fails, or talks nonsense, is a reader that was stopped.
func TestReadersAreNotBelieved(t *testing.T) {
	t.Parallel()
	box, file := boxed(t)
	for name, tc := range map[string]struct {
		script string
		want   agent.DocumentProblem
	}{
		"sound":             {`echo '{"type":"text","text":"one two","sections":[{"start":0,"end":3},{"start":4,"end":7}]}'`, ""},
		"behind the end":    {`echo '{"text":"one","sections":[{"start":0,"end":4}]}'`, agent.ProblemStopped},
		"backwards":         {`echo '{"text":"one","sections":[{"start":2,"end":1}]}'`, agent.ProblemStopped},
		"negative":          {`echo '{"text":"one","sections":[{"start":-1,"end":1}]}'`, agent.ProblemStopped},
		"over one another":  {`echo '{"text":"one","sections":[{"start":0,"end":3},{"start":0,"end":3}]}'`, agent.ProblemStopped},
		"within characters": {`echo '{"text":"泵","sections":[{"start":1,"end":3}]}'`, agent.ProblemStopped},
		"fails":             {`echo '{"text":"one"}'; exit 1`, agent.ProblemStopped},
		"is ended":          {`kill -9 $$`, agent.ProblemStopped},
		"talks on":          {`head -c 70000000 /dev/zero`, agent.ProblemStopped},
	} {
		reader := child.Child{Box: box, Program: script(t, tc.script), Path: "/usr/bin:/bin"}
		got, err := reader.Read(agenttest.Context(t), agent.Document{Name: "a.txt"}, "", file)
		if err != nil || got.Problem != tc.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
