package agent

import (
	"regexp"
	"slices"
	"strings"
)

// acts reports whether a call of a tool may change something: it writes, runs a program
// that does more than look, or reaches out in a way that does not bear repeating.
func acts(c ToolCall, spec ToolSpec) bool {
	switch spec.Effect {
	case EffectWrite, EffectUnknown:
		return true
	case EffectNetwork:
		return !spec.Idempotent
	case EffectExec:
		command, runs := commandOf(c.Args)
		return !runs || !onlyLooks(command)
	case EffectRead:
	}
	return false
}

var (
	// looking are programs that change nothing.
	looking = strings.Fields(`cat ls head tail less more grep egrep fgrep zgrep rg stat file wc du df ps pgrep free uptime pwd cd whoami id
		uname which type tree cut tr nl rev column diff cmp test [ true false echo printf sleep jq printenv lsof ss netstat ping dig nslookup
		od xxd strings md5sum sha256sum basename dirname realpath readlink seq date nvidia-smi squeue sacct sinfo qstat`)
	// lookingAs are what others are asked for where they change nothing.
	lookingAs = map[string]*regexp.Regexp{
		"git":       regexp.MustCompile(`^(status|log|diff|show|blame|grep|ls-files|rev-parse|describe)\b`),
		"kubectl":   regexp.MustCompile(`^(get|describe|logs|top|version)\b`),
		"docker":    regexp.MustCompile(`^(ps|logs|images|inspect|stats|top|version)\b`),
		"systemctl": regexp.MustCompile(`^(status|show|is-\w+|list-units)\b`),
	}
	// changing are words with which looking programs do change something.
	changing = map[string]*regexp.Regexp{
		"find": regexp.MustCompile(`(^|\s)-(exec|ok|delete|fprint|fls)`),
		"sort": regexp.MustCompile(`(^|\s)(-\w*o|--output)`),
		"curl": regexp.MustCompile(`(^|\s)(-\w*[XdFToO]|--(request|data|json|form|upload-file|output|remote-name))`),
	}
	// nowhere are redirections that write no file, between those that separate commands.
	nowhere    = regexp.MustCompile(`&?\d?>>?\s*/dev/null\b|\d>&\d`)
	separators = regexp.MustCompile(`[|&;\n]+`)
)

// onlyLooks reports whether each program of a command line is one that changes nothing. A
// line of which that is not plain may change something.
func onlyLooks(command string) bool {
	line := nowhere.ReplaceAllString(command, " ")
	if strings.ContainsAny(line, ">`") || strings.Contains(line, "$(") || strings.Contains(line, "<(") {
		return false
	}
	return !slices.ContainsFunc(separators.Split(line, -1), func(part string) bool { return !looks(strings.TrimSpace(part)) })
}

// looks reports whether one program with its words changes nothing.
func looks(command string) bool {
	word, rest, _ := strings.Cut(command, " ")
	program := word[strings.LastIndex(word, "/")+1:]
	if as, limited := lookingAs[program]; limited {
		return as.MatchString(strings.TrimSpace(rest))
	}
	does, may := changing[program]
	return command == "" || may && !does.MatchString(rest) || !may && slices.Contains(looking, program)
}
