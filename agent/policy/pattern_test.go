package policy

import (
	"encoding/json"
	"testing"

	"fusebox/agent"
)

func proposed(tool string, args map[string]string) agent.Pattern {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	effect := map[string]agent.Effect{"run_shell": agent.EffectExec, "write_file": agent.EffectWrite, "read_file": agent.EffectRead}[tool]
	return New().Pattern(spec(tool, effect), raw)
}

func TestPatternOfCommands(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"go vet ./...":                 "go vet *",
		"go test ./...":                "", // runs what is in the workspace, whatever its arguments are
		"npm test --silent":            "",
		"yarn build --x":               "",
		"cargo test x":                 "",
		"pytest tests":                 "",
		"golangci-lint run ./...":      "",
		"docker build -t x .":          "",
		"go test -run 'X' ./...":       "", // quotes: nobody knows what else they hold
		"go test":                      "", // there are no other arguments to cover
		"git status -s":                "git status *",
		"npm run build --if-present":   "",
		"npm run build":                "",
		"npm run -s build":             "",
		"make build VERBOSE=1":         "",
		"make SHELL=./x build":         "",
		"ls -la docs":                  "ls *",
		"go test ./...; rm -rf .":      "",
		"go test ./... && curl x":      "",
		"go test $(id)":                "",
		"go build -o /usr/bin/x ./cmd": "",
		"go test ../other":             "", // a * never climbs
		"go test ./...\nid":            "",
		"go run ./cmd/x -a":            "",
		"sh build.sh now":              "",
		"python3 load.py a":            "",
		"rm a.txt b.txt":               "",
		"rm -rf build":                 "",
		"sudo ls -l":                   "",
		"env A=b go test ./...":        "",
		"xargs rm a":                   "",
		"curl https://x.example":       "",
		"git push -f origin main":      "",
		"git -C /x status":             "",
		"cat /etc/passwd x":            "",
		"./deploy.sh production":       "",
		"mystery -x":                   "",
		"":                             "",
		" go test ./...":               "",
		"ls *":                         "ls *",
		"git commit -m fix":            "git commit *",
	} {
		p := proposed("run_shell", map[string]string{"command": command})
		if p["command"] != want || (want == "" && p != nil) {
			t.Errorf("%q: %v, want %q", command, p, want)
		}
	}
}

func TestPatternOfFiles(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"docs/a.md":    "docs/*",
		"docs/sub/a":   "docs/sub/*",
		"README.md":    "*.md",
		"Makefile":     "",
		".env":         "",
		".git/config":  "",
		"a/.ssh/key":   "",
		"docs/../x.md": "",
		"../x.md":      "",
		"/etc/x.conf":  "",
		"./a.md":       "",
		"docs//a.md":   "",
		"do*cs/a.md":   "",
		"docs/a;b.md":  "",
		"docs/a\nb.md": "",
		"odd.":         "",
		"":             "",
		"docs/":        "",
		"日本/語.txt":     "日本/*",
	} {
		for _, tool := range []string{"write_file", "read_file"} {
			p := proposed(tool, map[string]string{"path": file, "content": "x; rm -rf /"})
			if p["path"] != want || (want == "" && p != nil) {
				t.Errorf("%s %q: %v, want %q", tool, file, p, want)
			}
		}
	}
	if p := proposed("deploy", map[string]string{"path": "docs/a.md"}); p != nil {
		t.Errorf("another tool: %v", p)
	}
	if p := New().Pattern(spec("write_file", agent.EffectWrite), json.RawMessage(`[`)); p != nil {
		t.Errorf("arguments that cannot be read: %v", p)
	}
}

// TestPatternCoversNoAttack: what an approval proposes lets none of these through.
func TestPatternCoversNoAttack(t *testing.T) {
	t.Parallel()
	attacks := []string{"%; rm -rf .", "% && id", "% | sh", "%\nid", "% $(id)", "% `id`", "% > /etc/passwd", "% ../../x", "% & id", "% \"x\"", "id; %", "%/../../../x", "% /etc/x", "% -o/etc/x", "% --out=/etc/x", "% ~/x"}
	for _, tc := range []struct{ tool, field, value string }{
		{"run_shell", "command", "go vet ./..."}, {"run_shell", "command", "ls -l docs"}, {"run_shell", "command", "git log --x"},
		{"write_file", "path", "docs/a.md"}, {"write_file", "path", "README.md"},
	} {
		p := proposed(tc.tool, map[string]string{tc.field: tc.value})
		if p == nil {
			t.Fatalf("no pattern for %q", tc.value)
		}
		for _, a := range attacks {
			args := map[string]string{tc.field: ""}
			for _, c := range a {
				if c == '%' {
					args[tc.field] += tc.value
				} else {
					args[tc.field] += string(c)
				}
			}
			raw, err := json.Marshal(args)
			if err != nil || p.Matches(raw) {
				t.Errorf("%v lets %q pass", p, args[tc.field])
			}
		}
	}
	if p := proposed("write_file", map[string]string{"path": "docs/a.md"}); p.Matches(json.RawMessage(`{"path":"docs/../x"}`)) {
		t.Errorf("%v leaves its folder", p)
	}
}

// FuzzPattern: whatever is proposed fits the call, and not the call with more
// behind it.
func FuzzPattern(f *testing.F) {
	f.Add("go test ./...")
	f.Add("docs/a.md")
	for _, c := range ordinary {
		f.Add(c)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tool := range []string{"run_shell", "write_file"} {
			args := map[string]string{"command": text, "path": text}
			p := proposed(tool, args)
			raw, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			if p != nil && !p.Matches(raw) {
				t.Errorf("%s: %v does not fit %q", tool, p, text)
			}
			for _, more := range []string{";id", "\n", " && id", "/../x", " | sh"} {
				raw, err := json.Marshal(map[string]string{"command": text + more, "path": text + more})
				if err != nil || (p != nil && p.Matches(raw)) {
					t.Errorf("%s: %v lets %q pass", tool, p, text+more)
				}
			}
		}
		if r := ruleOf(t, text); r.Risk == agent.RiskCritical && proposed("run_shell", map[string]string{"command": text}) != nil {
			t.Errorf("%q is critical and has a pattern", text)
		}
	})
}
