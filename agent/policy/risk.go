package policy

import (
	"encoding/json"
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
	{"edit_file", "path", judgeFile},
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
