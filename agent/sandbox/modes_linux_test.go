package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// everyLine runs lines, each in a folder of its own, with each way to build walls.
func everyLine(t *testing.T, lines map[string]string, judge func(t *testing.T, line, said, want string)) {
	names := slices.Sorted(maps.Keys(lines))
	var script strings.Builder
	for i, line := range names {
		fmt.Fprintf(&script, "echo '# %d'; (umask 022; mkdir %d; cd %d; %s) 2>&1\n", i, i, i, line)
	}
	every(t, func(t *testing.T, without []string) {
		dir, workspace := data(t)
		s := open(t, Options{Mode: Auto, Data: dir, Without: without})
		said, trouble, err := sh(t, s, Spec{Dir: workspace, Write: []string{workspace}, Env: []string{"HOME=" + workspace, "PATH=/usr/bin:/bin"}}, script.String())
		if trouble != "" || err != nil {
			t.Errorf("%q %v", trouble, err)
		}
		for i, line := range names {
			_, own, _ := strings.Cut(said, fmt.Sprintf("# %d\n", i))
			own, _, _ = strings.Cut(own, "# ")
			judge(t, line, strings.TrimSpace(own), lines[line])
		}
	})
}

// TestOrdinaryModesAndLimits: programs may give files all modes but two, and themselves
// less of what they have.
func TestOrdinaryModesAndLimits(t *testing.T) {
	t.Parallel()
	everyLine(t, map[string]string{
		": > f; chmod +x f; stat -c %a f":                                                                   "755",
		"mkdir -p -m 700 a/b; chmod -R u=rwX,go=rX a; ls -a a":                                              ".\n..\nb",
		"mkdir -m 1777 d; chmod 755 d; chmod +t d; ls -ld d | cut -c1-10":                                   "drwxr-xr-t",
		"install -m 0640 /etc/passwd p; cp -p p q; stat -c %a q":                                            "640",
		"mkdir t; : > t/x; chmod 750 t/x; tar cf t.tar t; rm -r t; tar xpf t.tar; stat -c %a t/x":           "750",
		"mkfifo p; stat -c %a p":                                                                            "644",
		"! command -v git >/dev/null || git init -q r; echo done":                                           "done",
		"ulimit -n 100; ulimit -n":                                                                          "100",
		"nice -n 5 nice":                                                                                    fmt.Sprint(lessUrgent(t, 5+5)),
		perlSays(`$d = "."; syscall(%d, -100, $d, 0, 06755) >= 0 or die; $! = 0`, unix.SYS_OPENAT):          "",
		perlSays(`$d = "d"; syscall(%d, -100, $d, 01777) == 0 or die; $! = 0`, unix.SYS_MKDIRAT):            "",
		perlSays(`$l = "\0" x 16; syscall(%d, 0, 7, 0, $l) == 0 or die; $! = 0`, unix.SYS_PRLIMIT64):        "",
		perlSays(`$m = "\0" x 128; syscall(%d, 0, 128, $m) > 0 or die; $! = 0`, unix.SYS_SCHED_GETAFFINITY): "",
	}, func(t *testing.T, line, said, want string) {
		t.Helper()
		if said != want {
			t.Errorf("%s: %q", line, said)
		}
	})
}

// TestSetIDIsRefusedCleanly: programs are told so, and go on.
func TestSetIDIsRefusedCleanly(t *testing.T) {
	t.Parallel()
	const no = "Operation not permitted"
	everyLine(t, map[string]string{
		": > f; chmod 4755 f; echo on":                                                                                      no,
		": > f; chmod u+s,g+s f; echo on":                                                                                   no,
		"mkdir d; chmod 02755 d; echo on":                                                                                   no,
		"mkdir -m 2755 d; echo on":                                                                                          no,
		"install -m 6755 /bin/true f; echo on":                                                                              no,
		`perl -e 'mkdir "d"; chmod 02775, "d"; print $!'; echo; echo on`:                                                    no,
		perlSays(`$d = "d"; syscall(%d, -100, $d, 02755)`, unix.SYS_MKDIRAT) + "; echo on":                                  no,
		perlSays(`$f = "f"; syscall(%d, -100, $f, 0102, 04755)`, unix.SYS_OPENAT) + "; echo on":                             no,
		perlSays(`$q = "q"; syscall(%d, $q, 0102, 04755, 0)`, unix.SYS_MQ_OPEN) + "; echo on":                               no,
		perlSays(`$l = "\0" x 16; syscall(%d, $$, 7, 0, $l)`, unix.SYS_PRLIMIT64) + "; echo on":                             no,
		perlSays(`syscall(%d, syscall(%d, $$, 0), 0, 0)`, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_OPEN) + "; echo on":          no,
		perlSays(`$f = "f"; $h = pack("Q3", 0102, 0644, 0); syscall(%d, -100, $f, $h, 24)`, unix.SYS_OPENAT2) + "; echo on": "Function not implemented",
	}, func(t *testing.T, line, said, want string) {
		t.Helper()
		if !strings.Contains(said, want) || !strings.HasSuffix(said, "\non") {
			t.Errorf("%s: %q", line, said)
		}
	})
}

// TestOthersOfTheUserAreLeftAlone: where other processes are seen, a user's own are meant as well.
func TestOthersOfTheUserAreLeftAlone(t *testing.T) {
	t.Parallel()
	dir, workspace := data(t)
	s := open(t, Options{Mode: Auto, Data: dir, Without: []string{"namespaces", "bubblewrap"}})
	const nobodyElse = 54321 // has no processes to disturb
	for what, line := range map[string]string{
		"their priority":          perlSays(`syscall(%d, 2, %d, 19)`, unix.SYS_SETPRIORITY, nobodyElse),
		"their priority for disk": perlSays(`syscall(%d, 3, %d, 0x6000)`, unix.SYS_IOPRIO_SET, nobodyElse),
		"one process":             perlSays(`syscall(%d, 0, %d, 19)`, unix.SYS_SETPRIORITY, 1<<22),
		"its processors":          perlSays(`$m = "\1"; syscall(%d, %d, 1, $m)`, unix.SYS_SCHED_SETAFFINITY, 1<<22),
		"its parameters":          perlSays(`$p = "\0" x 4; syscall(%d, %d, $p)`, unix.SYS_SCHED_SETPARAM, 1<<22),
		"its attributes":          perlSays(`$a = pack("LLQlLQQQ", 48); syscall(%d, %d, $a, 0)`, unix.SYS_SCHED_SETATTR, 1<<22),
	} {
		if said, trouble, err := sh(t, s, Spec{Dir: workspace, Write: []string{workspace}}, line); said != "Operation not permitted" || trouble != "" || err != nil {
			t.Errorf("%s: %q %q %v", what, said, trouble, err)
		}
	}
}

// perlSays is a line that says which error calls of some numbers have.
func perlSays(line string, numbers ...any) string {
	return `perl -e '` + fmt.Sprintf(line, numbers...) + `; print "$!\n"'`
}
