package shell

import (
	"regexp"
	"slices"
	"strings"
)

// Runners run the program in their arguments. Their options are not known here, so
// each argument may be the program.
var Runners = []string{
	"command", "builtin", "exec", "env", "nohup", "nice", "ionice", "timeout", "stdbuf", "setsid", "xargs", "parallel", "time",
	"watch", "flock", "taskset", "chrt", "strace", "script", "chroot", "unshare", "nsenter", "busybox", "toybox", "coproc",
	"ssh", "su", "sudo", "doas", "pkexec", "runuser", "systemd-run", "at", "batch", "find", "fd", "function",
}

var (
	shells       = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish"}
	interpreters = regexp.MustCompile(`^(python|perl|ruby|node|nodejs|php|lua|tclsh|deno|bun|awk|gawk|mawk)[\d.]*$`)
	shellText    = regexp.MustCompile(`^-[A-Za-z]*c$|^--command$`)
	codeText     = regexp.MustCompile(`^-[A-Za-z]*[cerEpn]$|^--(eval|run|print)$`)
	findRuns     = regexp.MustCompile(`^-(exec|execdir|ok|okdir|x|X)$|^--exec`)
	assignment   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\+?=`)
	gitRuns      = regexp.MustCompile(`^(foreach|--exec.*|-x|run)$`)
	quotedText   = regexp.MustCompile("'([^']*)'|\"([^\"]*)\"|`([^`]*)`")
)

// IsShell reports whether the program is a shell.
func (c Command) IsShell() bool { return slices.Contains(shells, c.Name) }

// IsInterpreter reports whether the program runs scripts.
func (c Command) IsInterpreter() bool { return c.IsShell() || interpreters.MatchString(c.Name) }

// Code is the text of a program in another language that the words hand over: that
// of python3 -c, perl -e, node -e, and awk.
func (c Command) Code() string {
	if c.IsShell() || !c.IsInterpreter() {
		return ""
	}
	if strings.HasSuffix(c.Name, "awk") {
		return strings.Join(c.Args, "\n")
	}
	code := c.Input
	for i, a := range c.Args {
		if (codeText.MatchString(a) || a == "eval") && i+1 < len(c.Args) {
			code += "\n" + c.Args[i+1]
		}
	}
	return code
}

// add adds a command, and what it would run in turn.
func (r *reader) add(c Command, depth int) {
	r.script.Commands = append(r.script.Commands, c)
	for _, text := range c.scripts() {
		if !r.text(text, depth+1) {
			r.script.Unread = true
		}
	}
	for _, text := range c.textsInCode() {
		r.text(text, depth+1) // most are no scripts
	}
	if c.By != "" {
		return // what it runs is among the arguments of its own runner
	}
	seen, first := map[string]bool{}, c.runsFrom()
	for i, a := range c.Args {
		if i < first || strings.HasPrefix(a, "/") && !system(a) {
			continue
		}
		if !seen[a] && !strings.HasPrefix(a, "-") && len(r.script.Commands) <= maxCommands {
			seen[a] = true
			inner := c.inner(i)
			r.add(inner, depth+1)
			if c.runsFirst(i) && (inner.Is(inert...) || inner.IsInterpreter()) {
				return // the rest are its arguments
			}
		}
	}
}

// runsFrom is the first argument that may be a program, or behind the last for none.
func (c Command) runsFrom() int {
	first := len(c.Args)
	switch {
	case c.Is("find", "fd"):
		first = slices.IndexFunc(c.Args, findRuns.MatchString)
	case c.Is(containers...):
		first = slices.IndexFunc(c.Args, func(a string) bool { return a == "exec" || a == "run" })
	case slices.Contains(Runners, c.Name):
		return 0
	}
	if first < 0 {
		return len(c.Args)
	}
	return first + 1
}

// containers run programs in other places, after the words exec and run.
var containers = []string{"docker", "podman", "nerdctl", "kubectl", "oc", "lxc"}

// runsFirst reports whether an argument is for certain the program that runs, and no
// value of an option: of programs that have no operands before it.
func (c Command) runsFirst(i int) bool {
	if c.Is("find", "fd") {
		return i > 0 && findRuns.MatchString(c.Args[i-1])
	}
	plain := slices.Contains(passers, c.Name) || c.Is("xargs", "stdbuf", "ionice", "timeout")
	return plain && (i == 0 || !strings.HasPrefix(c.Args[i-1], "-"))
}

// InContainer reports whether the program runs in a container or on a cluster.
func (c Command) InContainer() bool { return slices.Contains(containers, c.By) }

// passers run their first operand as it is.
var passers = []string{"command", "builtin", "exec", "env", "nohup", "setsid", "busybox", "toybox", "nice", "time"}

func (c Command) inner(i int) Command {
	word := c.Args[i]
	return Command{
		Word: word, Name: word[strings.LastIndexByte(word, '/')+1:], Args: c.Args[i+1:], Assigns: c.Assigns,
		Reads: c.Reads, Writes: c.Writes, Input: c.Input, Upstream: c.Upstream, By: c.Name, Background: c.Background,
		Hidden: strings.HasPrefix(word, "$") && slices.Contains(passers, c.Name) && !slices.ContainsFunc(c.Args[:i], isOperand),
	}
}

// scripts are the texts that the command hands to a shell.
func (c Command) scripts() []string {
	switch {
	case c.IsShell():
		return append(c.shellTexts(), nonEmpty(c.Input)...)
	case c.Is("eval"):
		return []string{strings.Join(c.Args, " ")}
	case c.Is("trap", "watch", "ssh", "parallel", "script", "su", "runuser", "at", "batch", "flock", "env") && c.By == "":
		return append(withSpaces(c.Args), nonEmpty(c.Input)...)
	}
	return nil
}

// textsInCode are the texts within another language's program; it may hand some of
// them to a shell.
func (c Command) textsInCode() []string {
	var texts []string
	if c.Is("alias", "make") || c.Is("git") && slices.ContainsFunc(c.Args, gitRuns.MatchString) {
		for _, a := range c.Args {
			texts = append(texts, a[strings.IndexByte(a, '=')+1:])
		}
		return withSpaces(texts)
	}
	for _, m := range quotedText.FindAllStringSubmatch(c.Code(), maxDepth*10) {
		texts = append(texts, withSpaces(m[1:])...)
	}
	return texts
}

func (c Command) shellTexts() []string {
	for i, a := range c.Args {
		if shellText.MatchString(a) {
			for _, text := range c.Args[i+1:] {
				if !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "+") {
					return []string{text}
				}
			}
		}
	}
	return nil
}

// isOperand reports whether an argument of a passer is the program that it runs.
func isOperand(a string) bool {
	return !strings.HasPrefix(a, "-") && !assignment.MatchString(a)
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// withSpaces are the texts that may be more than one word.
func withSpaces(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return !strings.ContainsAny(t, " \t\n") })
}
