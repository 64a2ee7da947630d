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
		if codeText.MatchString(a) && i+1 < len(c.Args) {
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
	if c.Maybe || !c.runsArgs() {
		return
	}
	seen := map[string]bool{}
	for i, a := range c.Args {
		if !seen[a] && !strings.HasPrefix(a, "-") && len(r.script.Commands) <= maxCommands {
			seen[a] = true
			r.add(c.inner(i), depth+1)
		}
	}
}

func (c Command) runsArgs() bool {
	if c.Is("find", "fd") {
		return slices.ContainsFunc(c.Args, findRuns.MatchString)
	}
	return slices.Contains(Runners, c.Name)
}

// inner is the command that begins at an argument.
func (c Command) inner(i int) Command {
	word := c.Args[i]
	return Command{
		Word: word, Name: word[strings.LastIndexByte(word, '/')+1:], Args: c.Args[i+1:], Assigns: c.Assigns,
		Reads: c.Reads, Writes: c.Writes, Input: c.Input, Upstream: c.Upstream, Maybe: true,
	}
}

// scripts are the texts that the command hands to a shell.
func (c Command) scripts() []string {
	switch {
	case c.IsShell():
		return append(c.shellTexts(), nonEmpty(c.Input)...)
	case c.Is("eval"):
		return []string{strings.Join(c.Args, " ")}
	case c.Is("trap", "watch", "ssh", "parallel", "script", "su", "runuser", "at", "batch", "flock") && !c.Maybe:
		return append(withSpaces(c.Args), nonEmpty(c.Input)...)
	}
	return nil
}

// textsInCode are the texts within another language's program; it may hand some of
// them to a shell.
func (c Command) textsInCode() []string {
	var texts []string
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
