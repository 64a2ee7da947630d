package policy

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// call is one program that a command runs, or may run.
type call struct {
	word   string // as written in the line
	name   string
	args   []string
	piped  bool
	hidden bool // what runs is known only to the shell: a variable, a pattern
}

// reserved words come before a command.
var reserved = []string{"if", "then", "elif", "else", "while", "until", "do", "time", "!", "{", "}"}

// runners run the command in their arguments. Their options are not known
// here, so each argument may be the program.
var runners = []string{
	"command", "builtin", "exec", "env", "nohup", "nice", "ionice", "timeout", "stdbuf", "setsid", "xargs", "parallel",
	"watch", "flock", "taskset", "chrt", "strace", "script", "chroot", "unshare", "nsenter", "busybox", "toybox",
	"eval", "trap", "function", "coproc", "ssh", "su", "sudo", "doas", "pkexec", "runuser", "systemd-run",
}

var (
	shells       = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "fish"}
	interpreters = regexp.MustCompile(`^(python|perl|ruby|node|nodejs|php|lua|tclsh)[\d.]*$`)
	assignment   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\+?=`)
	shellText    = regexp.MustCompile(`^-[A-Za-z]*c$|^--command|^<<`)
	scriptText   = regexp.MustCompile(`^-[A-Za-z]*[cer]$|^--(eval|run)|^<<`)
	findRuns     = regexp.MustCompile(`^-(exec|execdir|ok|okdir)$`)
	braces       = regexp.MustCompile(`\{[^}]*,`)
)

// calls lists what a command may run: past assignments and reserved words its
// program, and where that runs others, these.
func (c command) calls() []call {
	for i, w := range c.words {
		if assignment.MatchString(w) || slices.Contains(reserved, w) {
			continue
		}
		if isRedirect(w) {
			return c.anyOf(i + 1)
		}
		first := call{word: w, name: path.Base(w), args: c.words[i+1:], piped: c.piped}
		first.hidden = c.sure && first.isHidden() || hidesProgram(first)
		all := []call{first}
		if first.runsOthers() {
			all = append(all, c.anyOf(i+1)...)
		}
		return all
	}
	return nil
}

// anyOf takes each word from the i-th on for a program. Of several equal ones
// the first is enough: its arguments are theirs as well.
func (c command) anyOf(i int) []call {
	var all []call
	seen := map[string]bool{}
	for ; i < len(c.words); i++ {
		name := path.Base(c.words[i])
		if !seen[name] {
			seen[name] = true
			all = append(all, call{word: c.words[i], name: name, args: c.words[i+1:], piped: c.piped})
		}
	}
	return all
}

// runsOthers reports whether the arguments contain a command, or a script's text.
func (c call) runsOthers() bool {
	switch {
	case slices.Contains(runners, c.name):
		return true
	case c.name == "find" || c.name == "fd":
		return slices.ContainsFunc(c.args, findRuns.MatchString)
	case c.isShell():
		return slices.ContainsFunc(c.args, shellText.MatchString)
	default:
		return c.isInterpreter() && slices.ContainsFunc(c.args, scriptText.MatchString)
	}
}

func (c call) isShell() bool { return slices.Contains(shells, c.name) }

func (c call) isInterpreter() bool { return c.isShell() || interpreters.MatchString(c.name) }

// isHidden reports whether the word at a program's place becomes one only in
// the shell. A pattern alone is a branch of a case.
func (c call) isHidden() bool {
	pattern := strings.ContainsAny(c.name, "*?[") && c.name != "[" && c.name != "[[" && c.name != "*"
	return strings.Contains(c.word, "$") || braces.MatchString(c.word) || (pattern && len(c.args) > 0)
}

// passers run their first argument as a program or as a script.
var passers = []string{"command", "builtin", "exec", "env", "nohup", "setsid", "busybox", "eval"}

// hidesProgram reports whether a program that runs another one is handed a
// variable in its place.
func hidesProgram(c call) bool {
	passes := slices.Contains(passers, c.name)
	for _, a := range c.args {
		if c.isShell() && shellText.MatchString(a) {
			passes = true
			continue
		}
		if strings.HasPrefix(a, "-") || assignment.MatchString(a) {
			continue
		}
		return passes && strings.HasPrefix(a, "$")
	}
	return false
}

func isRedirect(word string) bool {
	return strings.HasPrefix(word, "<") || strings.HasPrefix(word, ">")
}

// operands are the arguments that are neither options nor redirections.
func (c call) operands() []string {
	var all []string
	for i, a := range c.args {
		if !strings.HasPrefix(a, "-") && !isRedirect(a) && (i == 0 || !isRedirect(c.args[i-1])) {
			all = append(all, a)
		}
	}
	return all
}

// recursive reports whether an option for whole trees is among the arguments:
// one of the letters, alone or among others, or --recursive, which may be cut short.
func (c call) recursive(letters string) bool {
	const long = "--recursive"
	return slices.ContainsFunc(c.args, func(a string) bool {
		if strings.HasPrefix(a, "--") {
			return len(a) > 2 && a == long[:min(len(a), len(long))]
		}
		return strings.HasPrefix(a, "-") && strings.ContainsAny(a, letters)
	})
}
