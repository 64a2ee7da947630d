package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"fusebox/cmd/fusebox/docstest"
)

// What the manual says and its tests replace.
const (
	docsReader  = "you@example.org"
	docsAddress = "http://127.0.0.1:8080"
	docsProgram = "go run ./cmd/fusebox"
)

// docsFolder is a reader's current folder: fusebox is on the PATH, and the
// files that the page tells the reader to save are there.
type docsFolder struct {
	t    *testing.T
	page docstest.Page
	dir  string
}

func newDocsFolder(t *testing.T, page docstest.Page) docsFolder {
	t.Helper()
	f := docsFolder{t, page, t.TempDir()}
	if err := errors.Join(os.Mkdir(f.path("bin"), 0o700), os.Symlink(binary, f.path("bin/fusebox"))); err != nil {
		t.Fatal(err)
	}
	for _, b := range page.Blocks {
		if b.Lang != "console" && b.Arg != "" {
			f.write(b.Arg, b.Text)
		}
	}
	return f
}

func (f docsFolder) path(name string) string { return filepath.Join(f.dir, name) }

func (f docsFolder) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(f.path(name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// bash is a shell in the folder.
func (f docsFolder) bash(script string, env ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.WithoutCancel(f.t.Context()), "bash", "-eu", "-c", script)
	cmd.Dir = f.dir
	cmd.Env = append(environment(f.dir, f.path("bin")+":"+os.Getenv("PATH")), env...)
	return cmd
}

// docsStep is one command of a block, and the output that the page shows.
type docsStep struct {
	command, output string
	line            int
}

// docsSteps reads a console block: a command begins with "$ " and continues with
// "> "; all else is output.
func docsSteps(b docstest.Block) []docsStep {
	var steps []docsStep
	line := b.Line
	for text := range strings.Lines(b.Text) {
		line++
		command, isCommand := strings.CutPrefix(text, "$ ")
		more, goesOn := strings.CutPrefix(text, "> ")
		switch {
		case isCommand:
			steps = append(steps, docsStep{command: command, line: line})
		case goesOn:
			steps[len(steps)-1].command += more
		default:
			steps[len(steps)-1].output += text
		}
	}
	return steps
}

// shows reports whether a command printed what the page shows: "…" is any text
// within a line, or any lines where it stands alone. A page that shows nothing
// leaves the output out.
func (s docsStep) shows(got string) bool {
	if s.output == "" {
		return true
	}
	var pattern strings.Builder
	for line := range strings.Lines(s.output) {
		line = strings.TrimSuffix(line, "\n")
		if line == "…" {
			pattern.WriteString(`(.*\n)*`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + `\n`)
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(strings.TrimSuffix(got, "\n") + "\n")
}

// docsMark stands before the output of each command.
const docsMark = "\x01"

// TestDocsCommands runs the console blocks of each page, in their order and in
// one shell, beside a server of its own.
func TestDocsCommands(t *testing.T) {
	t.Parallel()
	for _, page := range docstest.Pages(t) {
		var steps []docsStep
		for _, b := range page.Blocks {
			if b.Lang == "console" && b.Arg == "" {
				steps = append(steps, docsSteps(b)...)
			}
		}
		if len(steps) == 0 {
			continue
		}
		t.Run(page.Path, func(t *testing.T) {
			t.Parallel()
			newDocsFolder(t, page).run(steps)
		})
	}
}

func (f docsFolder) run(steps []docsStep) {
	f.t.Helper()
	onlyReader.put(f.t, f.path("data"))
	server := startEmpty(f.t, f.path("data"))
	var script strings.Builder
	for _, s := range steps {
		script.WriteString("printf '" + docsMark + "'\n" + strings.ReplaceAll(s.command, docsAddress, server.url))
	}
	cmd := f.bash(script.String())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	printed := strings.Split(string(out), docsMark)[1:]
	if err != nil {
		s := steps[len(printed)-1]
		f.t.Fatalf("%s:%d: %s%v\n%s%s", f.page.Path, s.line, s.command, err, printed[len(printed)-1], &stderr)
	}
	for i, s := range steps {
		if !s.shows(printed[i]) {
			f.t.Errorf("%s:%d: %sprints\n%swhere the page shows\n%s", f.page.Path, s.line, s.command, printed[i], s.output)
		}
	}
}

// TestDocsServers starts what blocks of "console serve" start: it listens, and
// ends in order when it is asked to.
func TestDocsServers(t *testing.T) {
	t.Parallel()
	for _, page := range docstest.Pages(t) {
		for _, b := range page.Blocks {
			if b.Lang != "console" || b.Arg != "serve" {
				continue
			}
			for _, s := range docsSteps(b) {
				t.Run(page.Path, func(t *testing.T) {
					t.Parallel()
					newDocsFolder(t, page).serve(s)
				})
			}
		}
	}
}

func (f docsFolder) serve(s docsStep) {
	f.t.Helper()
	// Ports are taken by others, and the signal is for the program, not the shell.
	script := strings.NewReplacer(docsProgram, "exec fusebox", "127.0.0.1:9090", "127.0.0.1:0").Replace(s.command)
	if !strings.Contains(script, "exec") {
		script = strings.Replace(script, "fusebox", "exec fusebox", 1)
	}
	p := start(f.t, f.bash(script, "FUSEBOX_ADDR=127.0.0.1:0"))
	p.logged(`listening.* url=(\S+)`)
	if err := errors.Join(p.cmd.Process.Signal(syscall.SIGTERM), p.cmd.Wait()); err != nil {
		f.t.Errorf("%s:%d: %s%v\n%s", f.page.Path, s.line, s.command, err, p.log)
	}
}

var keyVariable = regexp.MustCompile(`(?:key_env = "|= "\$)(\w+)"`)

// TestDocsConfigurations loads every block of toml as the configuration file.
func TestDocsConfigurations(t *testing.T) {
	t.Parallel()
	for _, page := range docstest.Pages(t) {
		for _, b := range page.Blocks {
			if b.Lang != "toml" {
				continue
			}
			t.Run(page.Path, func(t *testing.T) {
				t.Parallel()
				f := newDocsFolder(t, page)
				f.write("block.toml", b.Text)
				f.write("reads.jsonl", `{"tool":"read_file","args":{"path":"a"},"expect":"allow"}`)
				var env []string
				for _, m := range keyVariable.FindAllStringSubmatch(b.Text, -1) {
					env = append(env, m[1]+"=secret")
				}
				out, err := f.bash("fusebox policy test reads.jsonl -config block.toml", env...).CombinedOutput()
				if err != nil {
					t.Errorf("%s:%d: %v\n%s", page.Path, b.Line, err, out)
				}
			})
		}
	}
}
