package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		glob, value  string
		strict, wide bool
	}{
		{"", "", true, true},
		{"", "x", false, false},
		{"go test *", "go test ./...", true, true},
		{"go test *", "go test", false, false},
		{"go test *", "go testing x", false, false},
		{"go test *", "go test; rm -rf .", false, false},
		{"go test *", "go test ./x; rm -rf .", false, true},
		{"go test *", "go test ./x\nid", false, true},
		{"go test **", "go test ./x; rm -rf .", true, true},
		{"*", "", true, true},
		{"***", "a;b", true, true},
		{"docs/*", "docs/a.md", true, true},
		{"docs/*", "docs/../x", false, true},
		{"docs/*", "docs/a/..", false, true},
		{"docs/.*", "docs/..", false, true},
		{"docs/.*", "docs/../x", false, true},
		{"docs/*", "docs/...", true, true},
		{"docs/**", "docs/../x", true, true},
		{"../docs/*", "../docs/a", true, true},
		{"../docs/*", "../docs/../../etc/passwd", false, true},
		{"*../x", "../../x", false, true},
		{"*../x", ".../../x", false, true},
		{"a=*", "a=..", false, true},
		{"cc *", "cc -I../x", false, true},
		{"git log *", "git log v1..v2", true, true},
		{"git log ..*", "git log ..", false, true},
		{"ls *", "ls /etc", false, true},
		{"ls *", "ls -l ~/x", false, true},
		{"ls /etc/*", "ls /etc/x", true, true},
		{"ls /etc/*", "ls /etc/x /root", false, true},
		{"go build *", "go build -o/etc/x .", false, true},
		{"go build *", "go build -o=/etc/x .", false, true},
		{"date *", "date -uf/etc/passwd", false, true},
		{"make x *", "make x -C..", false, true},
		{"make x *", "make x -sC..", false, true},
		{"git log *", "git log -n v1..", true, true},
		{"go build *", "go build ./cmd/x", true, true},
		{"fetch *", "fetch https://x.example/y", true, true},
		{"fetch *", "fetch file:/etc/passwd", false, true},
		{"ls *", "ls .?/x", false, true}, // a shell makes .. of all of these
		{"ls *", "ls .*/x", false, true},
		{"ls *", "ls ..*/x", false, true},
		{"ls *", "ls a .[.]/x", false, true},
		{"docs/*", "docs/.[!a]/x", false, true},
		{"ls .*", "ls .?/x", false, true},
		{"ls *", "ls *.go a.* b.?o .github/* .a[bc] ...", true, true},
		{"*", "/etc/passwd", false, true},
		{"/*", "/etc/passwd", true, true},
		{"a.c", "abc", false, false},
		{"[ab]?", "a1", false, false},
		{"[ab]?", "[ab]?", true, true},
		{"x\xff", "x\xff", false, false}, // no text
	} {
		if got := Glob(tc.glob, tc.value); got != tc.strict {
			t.Errorf("Glob(%q, %q) = %v", tc.glob, tc.value, got)
		}
		if got := GlobWide(tc.glob, tc.value); got != tc.wide {
			t.Errorf("GlobWide(%q, %q) = %v", tc.glob, tc.value, got)
		}
	}
}

func TestPatternMatches(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name         string
		pattern      Pattern
		args         string
		strict, wide bool
	}{
		{"nothing named", nil, `[`, true, true},
		{"no object", Pattern{"a": "*"}, `["a"]`, false, false},
		{"missing", Pattern{"a": "**"}, `{"b":"x"}`, false, false},
		{"nested", Pattern{"target.path": "docs/*"}, `{"target":{"path":"docs/a"}}`, true, true},
		{"a dot in the name", Pattern{"target.path": "docs/*"}, `{"target.path":"docs/a"}`, true, true},
		{"both readings of a name", Pattern{"target.path": "docs/*"}, `{"target.path":"docs/a","target":{"path":"etc/passwd"}}`, false, true},
		{"both cases of a name", Pattern{"path": "docs/*"}, `{"path":"docs/a","Path":"etc/passwd"}`, false, true},
		{"another case of the name", Pattern{"path": "docs/*"}, `{"Path":"docs/a"}`, true, true},
		{"the last of two", Pattern{"path": "docs/*"}, `{"path":"docs/a","path":"etc/passwd"}`, false, false},
		{"a number", Pattern{"n": "1"}, `{"n":1.0}`, true, true},
		{"a long number", Pattern{"n": "9007199254740992"}, `{"n":9007199254740993}`, false, false},
		{"a boolean", Pattern{"force": "false"}, `{"force":false}`, true, true},
		{"null", Pattern{"force": "**"}, `{"force":null}`, false, false},
		{"a list", Pattern{"paths": "**"}, `{"paths":["a"]}`, false, false},
		{"a path written otherwise", Pattern{"path": "secret/*"}, `{"path":"./a/../secret/k"}`, false, true},
		{"a path written with the other slashes", Pattern{"path": "secret/*"}, `{"path":".\\a\\..\\secret\\k"}`, false, true},
		{"two objects", Pattern{"a": "*"}, `{"a":"x"} {"a":"y"}`, false, false},
	} {
		if got := tc.pattern.Matches(json.RawMessage(tc.args)); got != tc.strict {
			t.Errorf("%s: matches %v", tc.name, got)
		}
		if got := tc.pattern.Touches(json.RawMessage(tc.args)); got != tc.wide {
			t.Errorf("%s: touches %v", tc.name, got)
		}
	}
}

// FuzzGlob: a text without stars fits itself alone; what one star stands for
// neither ends a command nor leaves a folder; what fits for certain may fit.
func FuzzGlob(f *testing.F) {
	f.Add("docs/", "a", "../x")
	f.Add("go test ", "", "; id")
	f.Add("../", "/..", "..")
	f.Add(".", "./", ".")
	f.Fuzz(func(t *testing.T, head, tail, middle string) {
		if !utf8.ValidString(head) || !utf8.ValidString(middle) || !utf8.ValidString(tail) || strings.Contains(head+tail, "*") || len(head+tail+middle) > 500 {
			return
		}
		value := head + middle + tail
		if Glob(head+tail, value) != (middle == "") {
			t.Errorf("a literal %q against %q", head+tail, value)
		}
		strict := Glob(head+"*"+tail, value)
		if strict && !GlobWide(head+"*"+tail, value) {
			t.Errorf("%q*%q fits %q for certain only", head, tail, value)
		}
		if strict && strings.ContainsAny(middle, control) {
			t.Errorf("%q*%q lets %q through", head, tail, middle)
		}
		if strict && strings.Contains("/"+middle+"/", "/../") && strings.HasSuffix(head, "/") && strings.HasPrefix(tail+"/", "/") {
			t.Errorf("%q*%q leaves its folder by %q", head, tail, middle)
		}
		if !Glob(head+"**"+tail, value) {
			t.Errorf("%q**%q does not fit %q", head, tail, value)
		}
	})
}

func TestPolicyRuleCheck(t *testing.T) {
	t.Parallel()
	many := Pattern{}
	for i := range 21 {
		many[strings.Repeat("a", i+1)] = "*"
	}
	good := PolicyRule{Tool: "run_shell", Action: ActionAllow}
	for _, tc := range []struct {
		field  string // "" where nothing is wrong
		change func(*PolicyRule)
	}{
		{"", func(*PolicyRule) {}},
		{"", func(r *PolicyRule) { *r = PolicyRule{Action: ActionDeny} }},
		{"", func(r *PolicyRule) { r.Who, r.Priority, r.ArgsHash = "role:admin", -1000, "0123456789abcdef" }},
		{"action", func(r *PolicyRule) { r.Action = "" }},
		{"action", func(r *PolicyRule) { r.Action = "maybe" }},
		{"action", func(r *PolicyRule) { r.Tool = "" }},
		{"action", func(r *PolicyRule) { r.Tool, r.Who = "**", "*" }},
		{"tool", func(r *PolicyRule) { r.Tool = strings.Repeat("x", 201) }},
		{"tool", func(r *PolicyRule) { r.Tool = "\xff" }},
		{"who", func(r *PolicyRule) { r.Who = "role:king" }},
		{"reason", func(r *PolicyRule) { r.Reason = strings.Repeat("x", 501) }},
		{"args", func(r *PolicyRule) { r.Args = many }},
		{"args", func(r *PolicyRule) { r.Args = Pattern{"": "x"} }},
		{"args.path", func(r *PolicyRule) { r.Args = Pattern{"path": strings.Repeat("x", 1001)} }},
		{"argsHash", func(r *PolicyRule) { r.ArgsHash = "0123" }},
		{"effect", func(r *PolicyRule) { r.Effect = "magic" }},
		{"risk", func(r *PolicyRule) { r.Risk = "some" }},
		{"risk", func(r *PolicyRule) { r.Risk = RiskCritical }},
		{"mode", func(r *PolicyRule) { r.Mode = "brave" }},
		{"setRisk", func(r *PolicyRule) { r.SetRisk = "none" }},
		{"setRisk", func(r *PolicyRule) { r.SetRisk = RiskCritical }},
		{"priority", func(r *PolicyRule) { r.Priority = 1001 }},
		{"priority", func(r *PolicyRule) { r.Priority = -1001 }},
	} {
		r := good
		tc.change(&r)
		err := r.Check()
		if tc.field == "" {
			if err != nil {
				t.Errorf("%+v: %v", r, err)
			}
			continue
		}
		e, ok := err.(*Error) //nolint:errorlint // Check returns it bare
		if !ok || e.Code != Invalid || len(e.Fields) != 1 || e.Fields[0].Field != tc.field || e.Fields[0].Detail == "" {
			t.Errorf("%s of %+v: %v", tc.field, r, err)
		}
	}
}
