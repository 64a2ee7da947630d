package policy

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"fusebox/agent"
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
	case "write_file", "read_file":
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

// familiar are the commands of which one may be allowed with any arguments:
// they build and test what is in the workspace, and look at it. (A single * lets
// no argument name a file outside of it.)
// What is not among them is approved unchanged, each time or permanently.
var familiar = []string{
	"go test", "go build", "go vet", "go fmt", "go list", "go doc", "go mod tidy", "go mod verify", "gofmt", "golangci-lint run",
	"git status", "git diff", "git log", "git show", "git blame", "git add", "git commit", "git ls-files", "git rev-parse",
	"npm test", "npm ls", "pnpm test", "yarn test",
	"cargo build", "cargo test", "cargo check", "cargo clippy", "cargo fmt",
	"dotnet build", "dotnet test", "mvn test", "mvn compile", "gradle build", "gradle test",
	"pytest", "ruff check", "ruff format", "mypy", "eslint", "tsc", "prettier",
	"docker ps", "docker images", "docker logs", "kubectl get", "kubectl describe", "kubectl logs",
	"terraform plan", "terraform validate", "ls", "pwd", "wc", "du", "df", "stat", "date", "echo",
}

// scripted are followed by the name of what the project itself defines.
var scripted = []string{"npm run", "pnpm run", "yarn run", "make"}

// commandPattern covers other arguments of a familiar command. That the line is
// one command follows from its fitting a single *.
func commandPattern(command string) agent.Pattern {
	words := strings.Split(command, " ")
	for n := min(3, len(words)-1); n > 0; n-- {
		head := strings.Join(words[:n], " ")
		if slices.Contains(familiar, head) || (slices.Contains(scripted, strings.Join(words[:n-1], " ")) && isName(words[n-1])) {
			return agent.Pattern{"command": head + " *"}
		}
	}
	return nil
}

// isName reports whether a word is neither an option nor an assignment, and has
// no character that means something to a shell.
func isName(word string) bool {
	const others = "_-.:"
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return word != "" && !strings.ContainsAny(word[:1], others) && strings.Trim(word, letters+others) == ""
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
