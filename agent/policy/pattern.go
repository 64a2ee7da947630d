package policy

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/shell"
)

// Pattern implements agent.Policy. What it proposes always fits the call itself.
func (*Policy) Pattern(spec agent.ToolSpec, args json.RawMessage) agent.Pattern {
	var fields map[string]any
	if json.Unmarshal(args, &fields) != nil {
		return nil
	}
	var p agent.Pattern
	switch spec.Name {
	case "run_shell":
		command, _ := fields["command"].(string)
		p = commandPattern(command)
	case "write_file", "edit_file", "read_file":
		file, _ := fields["path"].(string)
		p = filePattern(file)
	}
	if p == nil || !p.Matches(args) {
		return nil
	}
	if j := judge(agent.PolicyRequest{Spec: spec, Args: args}); !j.sure || j.Risk == agent.RiskCritical {
		return nil
	}
	return p
}

// familiar are the commands of which one may be allowed with any arguments: they
// look at what is in the workspace, or build it without running any of it. (A single
// * lets no argument name a file outside of it.)
// What is not among them is approved unchanged, each time or permanently.
var familiar = []string{
	"go build", "go vet", "go fmt", "go list", "go doc", "go mod tidy", "go mod verify", "gofmt",
	"git status", "git diff", "git log", "git show", "git blame", "git add", "git commit", "git ls-files", "git rev-parse",
	"ruff check", "ruff format", "tsc", "docker ps", "docker images", "docker logs", "kubectl get", "kubectl describe", "kubectl logs",
	"ls", "pwd", "wc", "du", "df", "stat", "date", "echo",
}

// commandPattern covers other arguments of a familiar command. That the line is
// one command follows from its fitting a single *. A command that does what files of
// the workspace say has none: its arguments do not say what they would let pass.
func commandPattern(command string) agent.Pattern {
	if shell.Read(command).Files().Decide {
		return nil
	}
	words := strings.Split(command, " ")
	for n := min(3, len(words)-1); n > 0; n-- {
		if head := strings.Join(words[:n], " "); slices.Contains(familiar, head) {
			return agent.Pattern{"command": head + " *"}
		}
	}
	return nil
}

// filePattern covers the other files of a folder, or those of the same kind at
// the root of the workspace. Hidden files and folders contain settings: each of
// them is asked about separately.
func filePattern(file string) agent.Pattern {
	if file == "" || path.IsAbs(file) || path.Clean(file) != file || strings.Contains(file, "*") {
		return nil
	}
	if slices.ContainsFunc(strings.Split(file, "/"), func(s string) bool { return strings.HasPrefix(s, ".") }) {
		return nil
	}
	if folder := path.Dir(file); folder != "." {
		return agent.Pattern{"path": folder + "/*"}
	}
	if ext := path.Ext(file); len(ext) > 1 {
		return agent.Pattern{"path": "*" + ext}
	}
	return nil
}
