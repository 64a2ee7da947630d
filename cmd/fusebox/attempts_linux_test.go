package main

import (
	"fmt"
	"iter"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent/agenttest"
	"fusebox/agent/sandbox"
	"fusebox/cmd/fusebox/docstest"
)

// columns are the ways of which each attempt is tried, as root and as a user.
var columns = []way{
	{name: "namespaces", without: "bubblewrap", mode: sandbox.Auto},
	{name: "bubblewrap", without: "namespaces", mode: sandbox.Auto},
	{name: "Landlock alone", without: "namespaces bubblewrap", mode: sandbox.Auto},
	{name: "off", mode: sandbox.Off},
}

// TestCommandsStayInTheirRoom: what commands must not be able to do, they are not, whoever the
// server is and whatever the walls are made of. The table of what happened is that
// of the manual.
func TestCommandsStayInTheirRoom(t *testing.T) {
	t.Parallel()
	table := map[string]map[string]string{} // attempt, column: who got through
	for _, a := range attempts {
		table[a.name] = map[string]string{}
	}
	results := make(chan func(), 2*len(columns)*len(attempts))
	t.Run("all", func(t *testing.T) {
		for _, c := range columns {
			for _, root := range []bool{true, false} {
				c := c
				c.root = root
				t.Run(c.name+" "+c.user(), func(t *testing.T) {
					t.Parallel()
					c.need(t)
					r := startRooms(t, c)
					t.Log(r.started.Walls)
					for a, through := range r.tryAll() {
						results <- func() { note(table[a.name], c, through) }
						if expected := c.mode == sandbox.Off || a.landlock && c.name == "Landlock alone"; through && !expected {
							t.Errorf("a command could %s", a.name)
						}
					}
				})
			}
		}
	})
	close(results)
	for add := range results {
		add()
	}
	printed := printTable(table)
	t.Log("\n" + printed)
	compareWithManual(t, table, printed)
	if os.Geteuid() == 0 && agenttest.Full() && through(table, "off") < 50 {
		t.Error("what is tried does not work where there are no walls: nothing is shown by that it fails where there are")
	}
}

// compareWithManual compares with the manual's table where all ways could be tried. What
// fails without walls depends on the machine.
func compareWithManual(t *testing.T, table map[string]map[string]string, printed string) {
	t.Helper()
	for _, row := range table {
		if len(row) < len(columns) {
			return
		}
	}
	walled := func(text string) (rows []string) {
		for line := range strings.Lines(text) {
			if cells := strings.Split(strings.TrimSpace(line), "|"); len(cells) == len(columns)+3 {
				rows = append(rows, strings.Join(cells[:len(columns)+1], "|"))
			}
		}
		return rows
	}
	if diff := cmp.Diff(walled(docstest.Open(t, "docs/security.md").Prose), walled(printed)); diff != "" {
		t.Errorf("docs/security.md differs from what happened: %s", diff)
	}
}

func (c way) user() string {
	if c.root {
		return "as root"
	}
	return "as a user"
}

// need skips a column that this machine cannot try.
func (c way) need(t *testing.T) {
	t.Helper()
	if c.root || c.name != "namespaces" {
		agenttest.NeedsFull(t, "one way, as a user, stands for all")
	}
	if os.Geteuid() != 0 {
		t.Skip("starting servers as root and as a user takes root")
	}
	if _, err := exec.LookPath("bwrap"); err != nil && c.name == "bubblewrap" {
		t.Fatal("there is no bubblewrap on this machine")
	}
}

// note keeps who got through.
func note(row map[string]string, c way, through bool) {
	if _, ok := row[c.name]; !ok {
		row[c.name] = "–"
	}
	switch who := map[bool]string{true: "root", false: "user"}[c.root]; {
	case !through:
	case row[c.name] == "–":
		row[c.name] = who
	default:
		row[c.name] = "yes"
	}
}

func through(table map[string]map[string]string, column string) (n int) {
	for _, row := range table {
		if row[column] != "–" {
			n++
		}
	}
	return n
}

func printTable(table map[string]map[string]string) string {
	var b strings.Builder
	b.WriteString("| A command tries to |")
	for _, c := range columns {
		b.WriteString(" " + c.name + " |")
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(columns)+1) + "\n")
	for _, a := range attempts {
		b.WriteString("| " + a.name + " |")
		for _, c := range columns {
			b.WriteString(" " + table[a.name][c.name] + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// sleeps numbers the seconds of sleeps that must not outlive their call, and names of files.
var sleeps atomic.Int64

// tryAll runs all attempts, and says which got through. Those that end nothing but
// themselves share a command.
func (r *rooms) tryAll() iter.Seq2[attempt, bool] {
	return func(yield func(attempt, bool) bool) {
		n := strconv.FormatInt(100_000_000+int64(os.Getpid())*1000+sleeps.Add(1), 10)
		fill := r.filler(n)
		var all strings.Builder
		all.WriteString("exec 2>/dev/null\n")
		for i, a := range attempts {
			if !a.alone {
				fmt.Fprintf(&all, "echo '# %d'\n( %s )\n", i, fill(a.command))
			}
		}
		said, dead := r.run(all.String())
		if dead {
			r.t.Error("the attempts ended the server")
		}
		for i, a := range attempts {
			through := false
			if a.alone {
				through = r.try(a)
			} else {
				_, own, tried := strings.Cut(said, fmt.Sprintf("# %d\n", i))
				own, _, _ = strings.Cut(own, "# ")
				if !tried {
					r.t.Errorf("nobody tried to %s: %s", a.name, said)
				}
				through = saysGot(own) || r.found(fill(a.leaves))
			}
			if !yield(a, through) {
				return
			}
		}
	}
}

func saysGot(said string) bool { return slices.Contains(strings.Split(said, "\n"), "GOT IT") }

// try runs an attempt by itself, and reports whether it got through.
func (r *rooms) try(a attempt) bool {
	r.t.Helper()
	n := strconv.FormatInt(100_000_000+int64(os.Getpid())*1000+sleeps.Add(1), 10)
	said, dead := r.run("exec 2>/dev/null\n" + r.filler(n)(a.command))
	lives := a.lives && r.endSleep(n)
	return dead || lives || saysGot(said)
}

// found reports whether a file is there that must not be, or is not that must be.
func (r *rooms) found(name string) bool {
	name, absent := strings.CutPrefix(name, "!")
	if name == "" {
		return false
	}
	_, err := os.Lstat(name)
	if !absent {
		_ = os.Remove(name)
	}
	return (err == nil) != absent
}

// callNumbers are those of system calls. Newer processors lack the older calls.
var callNumbers = map[string][]string{
	"amd64": {
		"{ptrace}", "101", "{vmread}", "310", "{keyctl}", "250", "{memfd}", "319", "{setxattr}", "188",
		"{chmod}", "90", "{fchmod}", "91", "{open}", "2", "{openat}", "257", "{tmpfile}", "020200000", "{creat}", "85", "{mknod}", "133", "{mknodat}", "259", "{linkat}", "265",
		"{prlimit}", "302", "{ioprio_set}", "251", "{setaffinity}", "203", "{getaffinity}", "204", "{setscheduler}", "144",
		"{mmap}", "9", "{munmap}", "11", "{madvise}", "28", "{read}", "0",
	},
	"arm64": {
		"{ptrace}", "117", "{vmread}", "270", "{keyctl}", "219", "{memfd}", "279", "{setxattr}", "5",
		"{chmod}", "9999", "{fchmod}", "52", "{open}", "9999", "{openat}", "56", "{tmpfile}", "020040000", "{creat}", "9999", "{mknod}", "9999", "{mknodat}", "33", "{linkat}", "37",
		"{prlimit}", "261", "{ioprio_set}", "30", "{setaffinity}", "122", "{getaffinity}", "123", "{setscheduler}", "119",
		"{mmap}", "222", "{munmap}", "215", "{madvise}", "233", "{read}", "63",
	},
}

// filler puts what is there into an attempt.
func (r *rooms) filler(n string) func(string) string {
	return strings.NewReplacer(append(callNumbers[runtime.GOARCH],
		"{data}", r.data(), "{base}", r.base, "{self}", r.self(), "{pid}", strconv.Itoa(r.started.PID), "{port}", strconv.Itoa(r.started.Port),
		"{lan}", ownAddress(), "{abstract}", "fusebox-rooms-"+filepath.Base(r.base), "{n}", n, "{admin}", r.started.Admin,
	)...).Replace
}

// ownAddress is an address of this machine that is not loopback, if it has one.
func ownAddress() string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return "127.0.0.2"
	}
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			return ip.IP.String()
		}
	}
	return "127.0.0.2"
}

// endSleep ends a sleep of so many seconds, and reports whether there was one.
func (r *rooms) endSleep(seconds string) (found bool) {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		r.t.Fatal(err)
	}
	for _, name := range lines {
		line, err := os.ReadFile(name)
		if err != nil || string(line) != "sleep\x00"+seconds+"\x00" {
			continue
		}
		found = true
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil {
			r.t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			r.t.Log(fmt.Errorf("end sleep %s: %w", seconds, err))
		}
	}
	return found
}
