package sandbox

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// data is a server's folder with one workspace.
func data(t *testing.T) (dir, workspace string) {
	t.Helper()
	dir = t.TempDir()
	workspace = filepath.Join(dir, "workspaces", "c1")
	if err := os.MkdirAll(workspace, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, workspace
}

func open(t *testing.T, o Options) *Sandbox {
	t.Helper()
	o.Logger = slog.New(slog.DiscardHandler)
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sh runs a line in a room and returns what it says, and what the room says of it.
func sh(t *testing.T, s *Sandbox, spec Spec, line string) (said, trouble string, err error) {
	t.Helper()
	spec.Args = []string{"/bin/sh", "-c", line}
	cmd, r, err := s.Command(agenttest.Context(t), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), r.Trouble(), err
}

// every calls do with each way to build walls that this machine has.
func every(t *testing.T, do func(t *testing.T, without []string)) {
	for name, without := range map[string][]string{
		"namespaces": {"bubblewrap"}, "bubblewrap": {"namespaces"}, "landlock": {"namespaces", "bubblewrap"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _ := data(t)
			if !slices.ContainsFunc(open(t, Options{Mode: Auto, Data: dir, Without: without}).Walls().By, func(by string) bool {
				return strings.HasPrefix(strings.ToLower(by), name)
			}) {
				t.Skipf("this machine has no %s", name)
			}
			do(t, without)
		})
	}
}

// TestProgramsWork: what programs need is there, whatever the walls are made of.
func TestProgramsWork(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, without []string) {
		dir, workspace := data(t)
		s := open(t, Options{Mode: Auto, Data: dir, Without: without})
		for line, want := range map[string]string{
			"pwd":                               workspace,
			"echo a > f; mkdir d; mv f d; ls d": "f",
			"echo $HOME; env | wc -l":           "home\n2",
			"echo x > /dev/null; head -c 3 /dev/zero | wc -c": "3",
			"cat /dev/stdin < /etc/passwd | head -c 4":        "root",
			"f=$(mktemp); echo temporary > $f; cat $f":        "temporary",
			"ls -ld . | cut -c1-10; chmod 700 .":              "drwx------",
			"ls /usr/bin/env":                                 "/usr/bin/env",
			"sh -c 'exit 0'; perl -e 'print 6*7'":             "42",
		} {
			said, trouble, err := sh(t, s, Spec{Dir: workspace, Write: []string{workspace}, Env: []string{"HOME=home", "PATH=/usr/bin:/bin"}}, line)
			if line == "echo $HOME; env | wc -l" {
				said = strings.ReplaceAll(strings.ReplaceAll(said, "\n4", "\n2"), "\n3", "\n2") // PWD, and TMPDIR where it is needed
			}
			if said != want || trouble != "" || err != nil {
				t.Errorf("%s: %q %q %v", line, said, trouble, err)
			}
		}
		if _, _, err := sh(t, s, Spec{Dir: workspace, Write: []string{workspace}}, "exit 7"); err == nil || !strings.HasSuffix(err.Error(), " 7") {
			t.Errorf("exit 7: %v", err)
		}
	})
}

// TestFoldersThatASpecNames: they can be read, or written, and no others.
func TestFoldersThatASpecNames(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, without []string) {
		dir, workspace := data(t)
		shared := filepath.Join(t.TempDir(), "shared")
		if err := errors.Join(os.Mkdir(shared, 0o755), os.WriteFile(filepath.Join(shared, "a"), []byte("shared"), 0o600)); err != nil {
			t.Fatal(err)
		}
		s := open(t, Options{Mode: Auto, Data: dir, Without: without})
		line := "cat " + shared + "/a; echo b > " + shared + "/b"
		for name, tc := range map[string]struct {
			spec  Spec
			said  string
			wrote bool
		}{
			"none":  {Spec{Write: []string{workspace}}, "", false},
			"read":  {Spec{Write: []string{workspace}, Read: []string{shared}}, "shared", false},
			"write": {Spec{Write: []string{workspace, shared}}, "shared", true},
		} {
			tc.spec.Dir = workspace
			said, _, _ := sh(t, s, tc.spec, line+" 2>/dev/null")
			_, err := os.Stat(filepath.Join(shared, "b"))
			if !strings.HasPrefix(said, tc.said) || tc.said == "" && strings.Contains(said, "shared\n") || (err == nil) != tc.wrote {
				t.Errorf("%s: %q, wrote %v", name, said, err == nil)
			}
			_ = os.Remove(filepath.Join(shared, "b"))
		}
	})
}

// TestRoomSaysWhy: what it did not allow, and what it could not start.
func TestRoomSaysWhy(t *testing.T) {
	t.Parallel()
	dir, workspace := data(t)
	s := open(t, Options{Mode: Auto, Data: dir, Limits: Limits{Folder: 1 << 20}})
	spec := Spec{Dir: workspace, Write: []string{workspace}}
	if _, trouble, err := sh(t, s, spec, "head -c 4000000 /dev/zero > f; sleep 1000"); err == nil || !strings.Contains(trouble, "holds more than 1 MB") {
		t.Errorf("a full workspace: %q %v", trouble, err)
	}
	if _, trouble, err := sh(t, s, spec, "rm f && echo removed"); err != nil || trouble != "" {
		t.Errorf("clearing up: %q %v", trouble, err)
	}
	cmd, r, err := s.Command(t.Context(), Spec{Args: []string{"/bin/no-such-program"}, Dir: workspace, Write: []string{workspace}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if err := cmd.Run(); err == nil || !strings.Contains(r.Trouble(), "could not start /bin/no-such-program") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// TestRequiredRefuses: without walls nothing starts where they are required.
func TestRequiredRefuses(t *testing.T) {
	t.Parallel()
	dir, workspace := data(t)
	without := []string{"namespaces", "bubblewrap", "landlock", "filter"}
	s := open(t, Options{Mode: Required, Data: dir, Without: without})
	if s.Walls().Hold() {
		t.Error("nothing holds")
	}
	if _, _, err := s.Command(t.Context(), Spec{Args: []string{"/bin/true"}, Dir: workspace}); !errors.Is(err, ErrNoWalls) {
		t.Errorf("%v", err)
	}
	said, _, err := sh(t, open(t, Options{Mode: Auto, Data: dir, Without: without}), Spec{Dir: workspace}, "echo free")
	if said != "free" || err != nil {
		t.Errorf("with auto: %q %v", said, err)
	}
}

// TestHeldProgramWaits: it does nothing before it may, and nothing at all where its
// server lets go of it.
func TestHeldProgramWaits(t *testing.T) {
	t.Parallel()
	dir, workspace := data(t)
	s := open(t, Options{Mode: Auto, Data: dir})
	start := func() (*Room, io.Reader, func() error) {
		cmd, r, err := s.Command(t.Context(), Spec{Args: []string{"/bin/sh", "-c", "echo ran > ran; echo ran"}, Dir: workspace, Write: []string{workspace}, Held: true})
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return r, out, cmd.Wait
	}
	r, out, wait := start()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if said, _ := io.ReadAll(out); len(said) > 0 || wait() == nil {
		t.Errorf("let go of, it said %q", said)
	}
	if _, err := os.Stat(filepath.Join(workspace, "ran")); err == nil {
		t.Error("let go of, it ran")
	}
	r, out, wait = start()
	defer func() { _ = r.Close() }()
	if err := r.Begin(); err != nil {
		t.Fatal(err)
	}
	if said, _ := io.ReadAll(out); string(said) != "ran\n" || wait() != nil {
		t.Errorf("begun, it said %q", said)
	}
}

// TestEndNamesOneProcess: only the process that an id was made for is ended, never a
// later one of its number.
func TestEndNamesOneProcess(t *testing.T) {
	t.Parallel()
	own := ProcessID(os.Getpid())
	if own == "" || ProcessID(os.Getpid()) != own {
		t.Fatalf("own id %q", own)
	}
	for _, id := range []string{"", own, strings.Replace(own, "-", "-1", 1), "0", "-1", "x-y"} { // the test itself is no supervisor
		if err := End(t.Context(), id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
}
