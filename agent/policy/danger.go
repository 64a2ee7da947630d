package policy

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"fusebox/agent"
	"fusebox/agent/shell"
)

// kind is what a critical command does, in general.
type kind string

// The kinds of critical commands.
const (
	destroys  kind = "destroys"  // data
	leaks     kind = "leaks"     // data to other machines
	downloads kind = "downloads" // and runs
	rights    kind = "rights"    // of files and people
	system    kind = "system"    // beyond the workspace
	publishes kind = "publishes" // what others get
	hides     kind = "hides"     // what it does
)

// kindTexts are the second sentence of a reason.
var kindTexts = map[kind]string{
	destroys: "It destroys data.", leaks: "It sends data to other machines.", downloads: "It runs what was downloaded.",
	rights: "It changes who may do what.", system: "It changes the system.", publishes: "It changes what other people get.",
	hides: "It hides what it does.",
}

// danger makes a command critical. What is left empty fits everything.
type danger struct {
	id     string
	reason string
	// programs are names; one that ends in * is a beginning.
	programs []string
	// verbs are operands that follow each other, in one of the ways: "s3 rm".
	verbs []string
	// args fits one argument, line all of them, code a program of another language.
	args, line, code func(text string) bool
	// but fits arguments of harmless uses.
	but func(text string) bool
	// when has the last word on one command.
	when func(shell.Command) bool
	// script judges a whole script instead.
	script func(shell.Script) bool
}

// dangers are asked in order; the first that fits speaks.
var dangers = []struct {
	kind kind
	list []danger
}{
	{destroys, treeDangers}, {rights, userDangers}, {destroys, dataDangers}, {system, machineDangers}, {rights, rightsDangers},
	{publishes, publishDangers}, {downloads, downloadDangers}, {leaks, leakDangers}, {hides, pipeDangers}, {system, systemDangers}, {hides, hideDangers},
}

func judgeShell(line string) (finding, bool) {
	s := shell.Read(line)
	for _, of := range dangers {
		for _, d := range of.list {
			if d.fits(s) {
				return finding{d.id, agent.RiskCritical, d.reason + " " + kindTexts[of.kind]}, true
			}
		}
	}
	return finding{}, false
}

func (d danger) fits(s shell.Script) bool {
	if d.script != nil {
		return d.script(s)
	}
	return s.Any(d.matches)
}

func (d danger) matches(c shell.Command) bool {
	return (len(d.programs) == 0 || named(d.programs, c.Name)) &&
		(len(d.verbs) == 0 || slices.ContainsFunc(d.verbs, func(v string) bool { return hasVerb(c, v) })) &&
		(d.args == nil || slices.ContainsFunc(c.Args, d.args)) &&
		(d.line == nil || d.line(strings.Join(c.Args, " "))) &&
		(d.code == nil || d.code(c.Code())) &&
		(d.but == nil || !slices.ContainsFunc(c.Args, d.but)) &&
		(d.when == nil || d.when(c))
}

func named(programs []string, name string) bool {
	return slices.ContainsFunc(programs, func(p string) bool {
		start, open := strings.CutSuffix(p, "*")
		return p == name || open && strings.HasPrefix(name, start)
	})
}

// hasVerb reports whether the words of a verb are operands, in this order. Options have
// values, so others may stand between them.
func hasVerb(c shell.Command, verb string) bool {
	words := strings.Fields(verb)
	for _, o := range c.Operands() {
		if len(words) > 0 && o == words[0] {
			words = words[1:]
		}
	}
	return len(words) == 0
}

// has are the programs of which one is meant.
func has(names string) []string { return strings.Fields(names) }

// re reports whether texts fit a pattern of a table. It is compiled for the first of them: most patterns
// of a process never are.
func re(pattern string) func(text string) bool {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
	return func(text string) bool { return compiled().MatchString(text) }
}

// recursive reports whether an option for whole trees is among the arguments:
// one of the letters, alone or among others, or --recursive, which may be cut short.
func recursive(c shell.Command, letters string) bool {
	const long = "--recursive"
	return slices.ContainsFunc(c.Args, func(a string) bool {
		if strings.HasPrefix(a, "--") {
			return len(a) > 2 && a == long[:min(len(a), len(long))]
		}
		return strings.HasPrefix(a, "-") && strings.ContainsAny(a, letters)
	})
}
