package policy

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"fusebox/agent"
)

// finding is a rule over arguments that a call met.
type finding struct {
	id     string
	risk   agent.Risk
	reason string
}

// argumentRules say which argument of which tool is checked, and by what.
var argumentRules = []struct {
	tool, field string
	judge       func(value string) (finding, bool)
}{
	{"run_shell", "command", judgeShell},
	{"write_file", "path", judgeFile},
}

// unreadable is the verdict on arguments that cannot be judged.
var unreadable = finding{"arguments-unreadable", agent.RiskCritical, "The arguments cannot be read, so it is unknown what the call would do."}

// byArguments returns the first rule over arguments that the call meets.
func byArguments(spec agent.ToolSpec, args json.RawMessage) (finding, bool) {
	for _, r := range argumentRules {
		if r.tool != spec.Name {
			continue
		}
		var fields map[string]any
		if json.Unmarshal(args, &fields) != nil {
			return unreadable, true
		}
		value, ok := fields[r.field].(string)
		if !ok {
			return unreadable, true
		}
		if f, ok := r.judge(value); ok {
			return f, true
		}
	}
	return finding{}, false
}

// judgeFile makes writing hidden files a matter for reviewers: they contain the
// settings of programs, some of which run their contents.
func judgeFile(name string) (finding, bool) {
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '/' || r == '\\' }) {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." {
			return finding{"write-hidden", agent.RiskHigh, "The file is hidden. Such files contain settings, and programs may run what is in them."}, true
		}
	}
	return finding{}, false
}

// script is a shell line as the rules see it.
type script struct {
	line     string
	commands []readCommand
}

type readCommand struct {
	command
	runs []call
}

func (s script) anyCall(match func(call) bool) bool {
	return slices.ContainsFunc(s.commands, func(c readCommand) bool { return slices.ContainsFunc(c.runs, match) })
}

func judgeShell(line string) (finding, bool) {
	if len(line) > maxLine {
		return unreadable, true
	}
	s := script{line: line}
	for _, c := range commands(line) {
		s.commands = append(s.commands, readCommand{c, c.calls()})
	}
	for _, r := range shellRules {
		if r.matches(s) {
			return finding{r.id, agent.RiskCritical, r.reason}, true
		}
	}
	return finding{}, false
}

// shellRules make a command critical. They are asked in order; the first that
// matches speaks.
var shellRules = []struct {
	id, reason string
	matches    func(script) bool
}{
	{"shell-recursive-delete", "The command deletes whole directories.", deletesTrees},
	{"shell-other-user", "The command runs with another user's rights.", anyCall(func(c call) bool {
		return slices.Contains([]string{"sudo", "su", "doas", "pkexec", "runuser"}, c.name)
	})},
	{"shell-disk", "The command writes to disks or file systems themselves.", anyCall(writesDisk)},
	{"shell-machine", "The command stops the machine, its services or its processes.", anyCall(func(c call) bool {
		return slices.Contains([]string{"shutdown", "reboot", "halt", "poweroff", "systemctl", "init", "telinit", "kill", "killall", "pkill"}, c.name)
	})},
	{"shell-rights", "The command changes permissions or owners of whole directory trees.", anyCall(func(c call) bool {
		return slices.Contains([]string{"chmod", "chown", "chgrp"}, c.name) && c.recursive("R")
	})},
	{"shell-force-push", "The command rewrites the history of a repository.", anyCall(forcesPush)},
	{"shell-download-and-run", "The command runs what it downloads.", runsDownload},
	{"shell-piped-script", "The command makes a shell run text that is not visible here.", runsPipe},
	{"shell-fork-bomb", "The command multiplies itself.", func(s script) bool { return isForkBomb(s.line) }},
	{"shell-system-files", "The command writes outside its workspace.", writesOutside},
	{"shell-hidden-program", "What the command runs is only known when it runs.", anyCall(func(c call) bool { return c.hidden })},
}

func anyCall(match func(call) bool) func(script) bool {
	return func(s script) bool { return s.anyCall(match) }
}

// recursiveFlag is an option that may get into rm by way of a variable.
var recursiveFlag = regexp.MustCompile(`(^|[\s='"(])--?[A-Za-z]*[rR]`)

func deletesTrees(s script) bool {
	return s.anyCall(func(c call) bool {
		switch c.name {
		case "rm":
			expands := slices.ContainsFunc(c.args, func(a string) bool { return strings.HasPrefix(a, "$") })
			return c.recursive("rR") || (expands && recursiveFlag.MatchString(s.line))
		case "find", "fd":
			return slices.Contains(c.args, "-delete")
		default:
			return false
		}
	})
}

func writesDisk(c call) bool {
	toDevice := func(a string) bool { return strings.HasPrefix(a, "of=/dev/") && a != "of=/dev/null" }
	return strings.HasPrefix(c.name, "mkfs") ||
		slices.Contains([]string{"wipefs", "fdisk", "sfdisk", "parted", "mkswap", "blkdiscard", "shred"}, c.name) ||
		(c.name == "dd" && slices.ContainsFunc(c.args, toDevice))
}

var shortForce = regexp.MustCompile(`^-[A-Za-z]*f[A-Za-z]*$`)

func forcesPush(c call) bool {
	push := slices.Index(c.args, "push")
	return c.name == "git" && push >= 0 && slices.ContainsFunc(c.args[push+1:], func(a string) bool {
		return shortForce.MatchString(a) || strings.HasPrefix(a, "--forc") || a == "--mirror" || strings.HasPrefix(a, "+")
	})
}

var function = regexp.MustCompile(`([^\s;&|(){}]+)\s*\(\s*\)\s*\{([^}]*)\}`)

// isForkBomb reports whether a function calls itself twice or more.
func isForkBomb(line string) bool {
	for _, m := range function.FindAllStringSubmatch(line, -1) {
		own := 0
		for _, w := range strings.FieldsFunc(m[2], func(r rune) bool { return strings.ContainsRune(" \t\r\n;&|()", r) }) {
			if w == m[1] {
				own++
			}
		}
		if own > 1 {
			return true
		}
	}
	return false
}
