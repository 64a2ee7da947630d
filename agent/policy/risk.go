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

// argumentRule raises the risk of some calls of one tool.
type argumentRule struct {
	finding
	tool, field string
	matches     func(value string) bool
}

// argumentRules are asked in order; the first that matches speaks.
var argumentRules = []argumentRule{
	shellRule("shell-recursive-delete", "The command deletes whole directories.", anyProgram(func(name string, args []string) bool {
		return (name == "rm" && (hasFlags(args, map[rune]string{'r': "--recursive"}) || hasFlags(args, map[rune]string{'R': "--recursive"}))) ||
			(name == "find" && slices.Contains(args, "-delete"))
	})),
	shellRule("shell-other-user", "The command takes the rights of another user.", anyProgram(func(name string, _ []string) bool {
		return slices.Contains([]string{"sudo", "su", "doas", "pkexec"}, name)
	})),
	shellRule("shell-disk", "The command writes to disks or file systems themselves.", anyProgram(func(name string, args []string) bool {
		return strings.HasPrefix(name, "mkfs") || name == "wipefs" || name == "fdisk" || name == "shred" ||
			(name == "dd" && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "of=/dev/") }))
	})),
	shellRule("shell-machine", "The command stops the machine or its services.", anyProgram(func(name string, _ []string) bool {
		return slices.Contains([]string{"shutdown", "reboot", "halt", "poweroff", "systemctl", "init", "kill", "killall", "pkill"}, name)
	})),
	shellRule("shell-rights", "The command changes rights or owners of whole trees.", anyProgram(func(name string, args []string) bool {
		return (name == "chmod" || name == "chown") && hasFlags(args, map[rune]string{'R': "--recursive"})
	})),
	shellRule("shell-force-push", "The command overwrites the history of a repository.", anyProgram(func(name string, args []string) bool {
		return name == "git" && slices.Contains(args, "push") &&
			slices.ContainsFunc(args, func(a string) bool { return a == "-f" || strings.HasPrefix(a, "--force") })
	})),
	shellRule("shell-download-and-run", "The command runs what it downloads.", downloadAndRun.MatchString),
	shellRule("shell-fork-bomb", "The command multiplies itself.", forkBomb.MatchString),
	shellRule("shell-system-files", "The command writes outside its workspace.", systemWrite.MatchString),
}

var (
	downloadAndRun = regexp.MustCompile(`(?s)\b(curl|wget|fetch)\b.*(\|\s*(\S*/)?(ba|z|da|k|fi)?sh\b|\|\s*(\S*/)?(python|perl|ruby|node)|\beval\b)|\b((ba|z|da|k)?sh|eval|source)\b.*\b(curl|wget)\b`)
	forkBomb       = regexp.MustCompile(`(\S+)\s*\(\)\s*\{[^}]*\|[^}]*&`)
	systemWrite    = regexp.MustCompile(`(>>?|\btee\b[^|;]*)\s*['"]?(/(etc|usr|bin|sbin|boot|dev|lib|lib64|root|sys|proc|var)\b|~)`)
)

// shellRule is a critical rule over the command of run_shell.
func shellRule(id, reason string, matches func(string) bool) argumentRule {
	return argumentRule{
		finding: finding{id: id, risk: agent.RiskCritical, reason: reason},
		tool:    "run_shell", field: "command", matches: matches,
	}
}

// anyProgram looks at every simple command of a line.
func anyProgram(matches func(name string, args []string) bool) func(string) bool {
	return func(line string) bool {
		return slices.ContainsFunc(simpleCommands(line), func(words []string) bool {
			name, args := program(words)
			return matches(name, args)
		})
	}
}

// byArguments returns the first rule over arguments that the call meets.
// Arguments that do not parse raise nothing here: they are refused before.
func byArguments(spec agent.ToolSpec, args json.RawMessage) (finding, bool) {
	var fields map[string]any
	if json.Unmarshal(args, &fields) != nil {
		return finding{}, false
	}
	for _, r := range argumentRules {
		value, isText := fields[r.field].(string)
		if r.tool == spec.Name && isText && r.matches(value) {
			return r.finding, true
		}
	}
	return finding{}, false
}
