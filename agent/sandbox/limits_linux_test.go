package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fusebox/agent/agenttest"
)

// limitsCase is a command that takes more than it may, or less.
type limitsCase struct {
	name, line string
	limits     Limits
	want       string // what the room says of it, "" for nothing
	heavy      bool
}

// numbered puts the numbers of system calls into a command: mmap, munmap, madvise, read,
// and sendmsg.
func numbered(line string) string {
	numbers := map[string][]string{
		"amd64": {"{mmap}", "9", "{munmap}", "11", "{madvise}", "28", "{read}", "0", "{sendmsg}", "46"},
		"arm64": {"{mmap}", "222", "{munmap}", "215", "{madvise}", "233", "{read}", "63", "{sendmsg}", "211"},
	}[runtime.GOARCH]
	return strings.NewReplacer(numbers...).Replace(line)
}

// shares maps memory that processes share, of so many megabytes, and fills it by pieces, each
// of which it gives up before the next one.
const shares = `open Z, "/dev/zero"; sub share { my ($m) = @_; my $p = syscall({mmap}, 0, $m << 20, 3, 0x21, -1, 0); ` +
	`for my $i (0 .. $m / 8 - 1) { my $q = $p + ($i << 23); syscall({read}, fileno(Z), $q, 8 << 20) == 8 << 20 or die $!; syscall({madvise}, $q, 8 << 20, 4) } $p } `

// sends puts open files into a socket from which nobody takes them.
const sends = `socketpair A, B, PF_UNIX, SOCK_STREAM, 0; sub send_file { my ($x, $c) = ("x", pack "Qiiix4", 20, 1, 1, fileno $_[0]); my $v = pack "PQ", $x, 1; ` +
	`my $m = pack "QIx4PQPQix4", 0, 0, $v, 1, $c, 24, 0; syscall({sendmsg}, fileno(A), $m, 0) == 1 or die $! } `

// stays is how commands wait to be ended.
const stays = `sleep 1000`

var limitsCases = []limitsCase{
	{"memory", `for i in 1 2; do perl -e '$n = 80 << 20; $x = "x" x $n; sleep 1000' & done; wait`, Limits{Memory: 128 << 20}, "more than 128 MB of memory", false},
	{"shared memory that is given up", `perl -e '` + shares + `share(160); sleep 1000'`, Limits{Memory: 128 << 20}, "more than 128 MB of memory", false},
	{"shared memory in several pieces", `perl -e '` + shares + `share(40) for 1 .. 4; sleep 1000'`, Limits{Memory: 128 << 20}, "more than 128 MB of memory", false},
	{"shared memory in several processes", `for i in 1 2 3 4; do perl -e '` + shares + `share(40); sleep 1000' & done; wait`, Limits{Memory: 128 << 20}, "more than 128 MB of memory", false},
	{"shared memory that is mapped in part", `perl -e '` + shares + `my $p = share(160); syscall({munmap}, $p + 4096, (160 << 20) - 4096); sleep 1000'`, Limits{Memory: 128 << 20}, "more than 128 MB of memory", false},
	{"shared memory of one kind in many processes", `perl -e '` + shares + `my $p = share(64); for (1 .. 6) { fork or do { syscall({read}, fileno(Z), $p, 1); exit } } 1 while wait > 0'`, Limits{Memory: 128 << 20}, "", false},

	{"a large file", `head -c 4000000 /dev/zero > f; ` + stays, Limits{Folder: 2 << 20}, "the workspace holds more than 2 MB", false},
	{"an unlinked file", `exec 9> f; rm f; head -c 4000000 /dev/zero >&9; ` + stays, Limits{Folder: 2 << 20}, "the workspace holds more than 2 MB", false},
	{"an unlinked file that is mapped", `perl -e '$n = "f"; open F, "+>", $n; unlink $n; print F "x" x (4 << 20); F->flush; syscall({mmap}, 0, 4 << 20, 1, 1, fileno(F), 0); close F; sleep 1000'`, Limits{Folder: 2 << 20}, "the workspace holds more than 2 MB", false},
	{"many unlinked files", `perl -e 'for (1 .. 20) { open my $f, "+>", "f"; unlink "f"; print $f "x" x (1 << 18); push @f, $f; $f->flush } sleep 1000'`, Limits{Folder: 2 << 20}, "the workspace holds more than 2 MB", false},
	{"unlinked files in a socket", `perl -MSocket -e '` + sends + `for (1 .. 200) { open my $f, "+>", "f"; unlink "f"; print $f "x" x 900_000; $f->flush; select undef, undef, undef, 0.2; send_file($f); close $f } sleep 1000'`, Limits{Folder: 2 << 20}, "the workspace holds more than 2 MB", false},
	{"a folder that only lets in", `mkdir d; head -c 4000000 /dev/zero > d/f; chmod 0300 d; ` + stays, Limits{Folder: 2 << 20}, "the workspace holds more than 2 MB", false},
	{"a folder in which nothing is found", `mkdir -p d/e; head -c 4000000 /dev/zero > d/e/f; chmod 0 d/e; chmod 0400 d; ` + stays, Limits{Folder: 2 << 20}, "the workspace holds more than 2 MB", false},
	{"a workspace that only lets in", `head -c 4000000 /dev/zero > f; chmod 0300 .; ` + stays, Limits{Folder: 2 << 20}, "the workspace holds more than 2 MB", false},
	{"a folder that cannot be changed", `mkdir d; head -c 4000000 /dev/zero > d/f; chmod 0500 d; ` + stays, Limits{Folder: 2 << 20}, "the workspace holds more than 2 MB", false},
	{"a path that is too long", `perl -e '$d = "d" x 200; for (1 .. 40) { mkdir $d; chdir $d } open F, ">", "f"; print F "x" x (4 << 20); close F; sleep 1000'`, Limits{Folder: 2 << 20}, "the workspace holds more than 2 MB", false},
	{"folders in folders", `perl -e 'for (1 .. 5000) { mkdir "d"; chdir "d" } sleep 1000'`, Limits{Folder: 64 << 20}, "nested more than 4096 deep", true},
	{"empty files", `perl -e 'for (1 .. 2000) { open F, ">", "f$_" } sleep 1000'`, Limits{Folder: 2 << 20}, "the workspace holds more than 2 MB", false},
	{"many names of a file", `head -c 1000000 /dev/zero > f; for i in 1 2 3 4; do ln f f$i; done; sleep 1`, Limits{Folder: 2 << 20}, "", false},
	{"a file with holes", `truncate -s 100M f; sleep 1`, Limits{Folder: 2 << 20}, "", false},
	{"files that are removed", `for i in 1 2 3 4; do head -c 1000000 /dev/zero > f; rm f; done; sleep 1`, Limits{Folder: 2 << 20}, "", false},

	{"a file", `exec head -c 4000000 /dev/zero > f`, Limits{FileSize: 2 << 20}, "wrote more than 2 MB to a file", false},
	{"a file of a child", `head -c 4000000 /dev/zero > f`, Limits{FileSize: 2 << 20}, "wrote more than 2 MB to a file", false},

	{"processor time", `while :; do :; done`, Limits{CPU: 50 * time.Millisecond}, "more than 50ms of processor time", false},
	{"processor time of several", `for i in 1 2 3 4; do (while :; do :; done) & done; wait`, Limits{CPU: 50 * time.Millisecond}, "more than 50ms of processor time", false},
	{"processor time of children that end", `while :; do /bin/true; done`, Limits{CPU: 50 * time.Millisecond}, "more than 50ms of processor time", false},
	{"processor time of children that nobody waits for", `perl -e '$SIG{CHLD} = "IGNORE"; for (;;) { fork or do { 1 while (times)[0] < 0.15; exit }; 1 while wait > 0 }'`, Limits{CPU: 300 * time.Millisecond}, "more than 300ms of processor time", false},
	{"processor time of orphans", `while :; do (sh -c 'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done' &); sleep 0.01; done`, Limits{CPU: 50 * time.Millisecond}, "more than 50ms of processor time", false},
}

// TestLimitsHold: what a program and all it has started take is counted, wherever they take
// it, and what they do not take is not.
func TestLimitsHold(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, without []string) {
		if slices.Contains(without, "namespaces") {
			agenttest.NeedsFull(t, "one way stands for all")
		}
		for _, c := range limitsCases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				if c.heavy {
					agenttest.NeedsFull(t, "folders that deep are slow to remove")
				}
				dir, workspace := data(t)
				s := open(t, Options{Mode: Auto, Data: dir, Without: without, Limits: c.limits})
				_, trouble, err := sh(t, s, Spec{Dir: workspace, Write: []string{workspace}, Env: []string{"PATH=/usr/bin:/bin"}}, numbered(c.line))
				if c.want == "" && (trouble != "" || err != nil) || !strings.Contains(trouble, c.want) || c.want != "" && err == nil {
					t.Errorf("the room says %q, want %q: %v", trouble, c.want, err)
				}
			})
		}
	})
}

// TestModesStay: who measures a folder leaves its mode as it was.
func TestModesStay(t *testing.T) {
	t.Parallel()
	dir, workspace := data(t)
	s := open(t, Options{Mode: Auto, Data: dir})
	if _, trouble, err := sh(t, s, Spec{Dir: workspace, Write: []string{workspace}}, "mkdir a b; chmod 0300 a; chmod 0 b; sleep 1"); trouble != "" || err != nil {
		t.Fatal(trouble, err)
	}
	for name, want := range map[string]uint32{"a": 0o300, "b": 0} {
		var stat syscall.Stat_t
		if err := syscall.Stat(filepath.Join(workspace, name), &stat); err != nil || stat.Mode&0o7777 != want {
			t.Errorf("%s has the mode %o: %v", name, stat.Mode&0o7777, err)
		}
		_ = os.Chmod(filepath.Join(workspace, name), 0o700)
	}
}

// lessUrgent is the niceness of what is so much less urgent than this process.
func lessUrgent(t *testing.T, by int) int {
	t.Helper()
	own, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	return min(20-own+by, 19)
}

// TestProgramsGiveWay: they are less urgent than whoever has started them.
func TestProgramsGiveWay(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, without []string) {
		dir, workspace := data(t)
		s := open(t, Options{Mode: Auto, Data: dir, Without: without})
		want := lessUrgent(t, 5)
		if said, _, err := sh(t, s, Spec{Dir: workspace, Write: []string{workspace}, Env: []string{"PATH=/usr/bin:/bin"}}, "nice; renice -n 0 -p $$ >/dev/null 2>&1; nice"); said != strings.Repeat(fmt.Sprintln(want), 2)[:len(fmt.Sprintln(want))*2-1] {
			t.Errorf("their niceness is %q, want %d: %v", said, want, err)
		}
	})
}

// TestLastingProgramsWork: the processor time of what serves many calls adds up, and has no limit.
func TestLastingProgramsWork(t *testing.T) {
	t.Parallel()
	dir, workspace := data(t)
	s := open(t, Options{Mode: Auto, Data: dir, Limits: Limits{CPU: 10 * time.Millisecond}})
	if _, trouble, err := sh(t, s, Spec{Dir: workspace, Write: []string{workspace}, Lasting: true}, `perl -e '1 while (times)[0] < 0.2'; sleep 1`); trouble != "" || err != nil {
		t.Error(trouble, err)
	}
}

// TestSmallLimitsLowerNoWall: which walls stand does not depend on how much programs may use.
func TestSmallLimitsLowerNoWall(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, without []string) {
		dir, _ := data(t)
		usual := open(t, Options{Mode: Auto, Data: dir, Without: without}).Walls()
		small := open(t, Options{Mode: Auto, Data: dir, Without: without, Limits: Limits{Memory: 1 << 20, CPU: time.Millisecond, FileSize: 1}}).Walls()
		if !slices.Equal(usual.Standing, small.Standing) || !slices.Equal(usual.By, small.By) {
			t.Errorf("with small limits stand %v by %v, without %v by %v", small.Standing, small.By, usual.Standing, usual.By)
		}
	})
}
