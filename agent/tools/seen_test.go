package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
)

// seenOf are the files that a command's evidence names, those that it may use besides
// in brackets.
func seenOf(t *testing.T, r *Registry, command string, before ...agent.EarlierCall) (string, agent.ToolEvidence) {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	mustDo(t, err)
	e := r.Evidence("run_shell", agent.ToolInput{ConversationID: "c1", Args: args, Before: before})
	var names []string
	for _, f := range e.Files {
		if f.Wide {
			names = append(names, "("+f.Path+")")
		} else {
			names = append(names, f.Path)
		}
	}
	return strings.Join(names, " "), e
}

func TestFilesThatDecide(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	space := filepath.Join(dir, "workspaces", "c1")
	for _, name := range []string{"run.sh", "lib.sh", "a/run.sh", "package.json", "Makefile", "go.mod", "main.go", "app.js", "app.py", "notes.txt", ".env"} {
		mustDo(t, os.MkdirAll(filepath.Dir(filepath.Join(space, name)), 0o700))
		mustDo(t, os.WriteFile(filepath.Join(space, name), []byte(name), 0o600))
	}
	mustDo(t, os.Symlink("run.sh", filepath.Join(space, "link")))
	for command, want := range map[string]string{
		"ls -la":                        "",
		"cat notes.txt":                 "notes.txt",
		"sh run.sh":                     "run.sh (a/run.sh) (lib.sh)",
		"sh link":                       "link (a/run.sh) (lib.sh) (run.sh)",
		"cd a && ./run.sh":              "a/run.sh run.sh (lib.sh)",
		"sh ~/run.sh":                   "run.sh (a/run.sh) (lib.sh)",
		"sh " + space + "/run.sh":       "run.sh (a/run.sh) (lib.sh)",
		"npm test --silent":             "package.json (app.js)",
		"make -fMakefile":               "Makefile (a/run.sh) (app.py) (lib.sh) (run.sh)",
		"go test ./...":                 "go.mod (main.go)",
		"go vet ./...":                  "",
		"python3 app.py --in=notes.txt": "app.py notes.txt",
		"cp .env b":                     ".env",
		"sh r*.sh":                      "run.sh (a/run.sh) (lib.sh)",
		"sh none.sh":                    "(a/run.sh) (lib.sh) (run.sh)",
		"cat ../../secret /etc/passwd":  "",
	} {
		if got, _ := seenOf(t, r, command); got != want {
			t.Errorf("%q: %s, want %s", command, got, want)
		}
	}
	if got, e := seenOf(t, r, `sh "$X"`); strings.Count(got, "(") != 12 || !e.FilesDecide {
		t.Errorf("a name that is not known: %s", got)
	}
}

// TestFilesAsTheyWillBe: what earlier calls write counts before it is there.
func TestFilesAsTheyWillBe(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	write := agent.EarlierCall{ToolName: "write_file", Args: json.RawMessage(`{"path":"./run.sh","content":"echo 1\n"}`)}
	_, planned := seenOf(t, r, "sh run.sh", write)
	if b := planned.Before; len(b) != 1 || !strings.Contains(b[0].Diff, "+echo 1") || b[0].Args != nil {
		t.Errorf("before: %+v", b)
	}
	if _, missing := seenOf(t, r, "sh run.sh"); len(missing.Files) != 0 {
		t.Errorf("it is not there yet: %+v", missing.Files)
	}
	run(t.Context(), r, "write_file", map[string]any{"path": "run.sh", "content": "echo 1\n"})
	_, there := seenOf(t, r, "sh run.sh")
	if len(planned.Files) != 1 || !slices.Equal(planned.Files, there.Files) {
		t.Errorf("planned %+v, there %+v", planned.Files, there.Files)
	}
	run(t.Context(), r, "write_file", map[string]any{"path": "run.sh", "content": "echo 2\n"})
	if _, now := seenOf(t, r, "sh run.sh"); len(agent.ChangedFiles(there.Files, now.Files)) != 1 {
		t.Error("a change is not seen")
	}
}

// TestManyFilesAreBounded: a change among more files than are listed is seen, too.
func TestManyFilesAreBounded(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	space := filepath.Join(dir, "workspaces", "c1")
	mustDo(t, os.MkdirAll(space, 0o700))
	for i := range maxSeen + 20 {
		mustDo(t, os.WriteFile(filepath.Join(space, fmt.Sprintf("%04d.sh", i)), nil, 0o600))
	}
	_, then := seenOf(t, r, "sh 0001.sh")
	mustDo(t, os.WriteFile(filepath.Join(space, fmt.Sprintf("%04d.sh", maxSeen+10)), []byte("x"), 0o600))
	_, now := seenOf(t, r, "sh 0001.sh")
	if c := agent.ChangedFiles(then.Files, now.Files); len(then.Files) != maxSeen+1 || len(c) != 1 || c[0].Path != otherFiles {
		t.Errorf("%d files, changed: %v", len(then.Files), c)
	}
}
