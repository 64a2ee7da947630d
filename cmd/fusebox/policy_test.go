package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/store"
	"fusebox/store/storetest"
)

const fourRules = `
[[policy.rules]]
id = "go-tests"
tool = "run_shell"
args = { command = "go test *" }
action = "allow"

[[policy.rules]]
tool = "write_*"
args.path = "secret/**"
action = "deny"
priority = 10
reason = "Secrets are changed by hand."

[[policy.rules]]
effect = "write"
who = "role:user"
mode = "yolo"
action = "ask"
set_risk = "high"

[[policy.rules]]
id = "deploy"
tool = "deploy"
args = { target.place = "production", "dry" = false }
action = "ask"
`

// policyTest runs fusebox policy test on examples.
func policyTest(t *testing.T, data, examples string, args ...string) (status int, out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := process{env: []string{"FUSEBOX_DATA=" + data, "FUSEBOX_CONFIG=" + writeConfig(t, fourRules)}, stdin: strings.NewReader(examples), stdout: &stdout, stderr: &stderr}
	status = p.main(t.Context(), append([]string{"policy", "test", "-"}, args...))
	return status, stdout.String(), stderr.String()
}

func TestPolicyTest(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	good := `# what may run
{"tool":"run_shell","args":{"command":"go test ./..."},"expect":"allow","risk":"high","rule":"config:go-tests"}

{"tool":"run_shell","args":{"command":"go test ./...; id"},"expect":"ask","rule":"effect-exec"}
{"tool":"write_file","args":{"path":"secret/a"},"mode":"yolo","expect":"deny"}
{"tool":"write_file","args":{"path":"a"},"mode":"yolo","owner":"bob@example.org","expect":"ask","risk":"high"}
{"tool":"write_file","args":{"path":"a"},"mode":"yolo","role":"admin","expect":"allow"}
{"tool":"document_save","args":{"name":"a","text":"b"},"mode":"auto_edit","expect":"ask","risk":"medium","rule":"effect-write-documents"}
{"tool":"fetch","effect":"network","expect":"ask","risk":"medium"}
{"tool":"fetch","expect":"ask","rule":"effect-unknown"}
{"tool":"run_shell","args":"go test","expect":"ask","risk":"critical"}
`
	status, out, said := policyTest(t, data, good)
	if status != exitOK || strings.Count(out, "ok   line ") != 9 || !strings.Contains(said, "9 of 9 examples are as expected.") ||
		!strings.Contains(out, "ok   line 2: run_shell allow at high risk by config:go-tests: ") || !strings.Contains(out, "Secrets are changed by hand.") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	status, out, said = policyTest(t, data, `{"tool":"run_shell","args":{"command":"reboot"},"expect":"deny","risk":"high","rule":"x"}`+"\n"+`{"tool":"calculator","expect":"allow"}`)
	want := "FAIL line 1: run_shell ask at critical risk by shell-machine (action ask, expected deny; risk critical, expected high; rule shell-machine, expected x): The command stops"
	if status != exitTripped || !strings.HasPrefix(out, want) || !strings.Contains(out, "\nok   line 2: calculator allow") || !strings.Contains(said, "1 of 2") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
}

// TestPolicyTestReadsTheDatabase only where it is told to.
func TestPolicyTestReadsTheDatabase(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	db, err := store.Open(t.Context(), store.Options{
		Path: storetest.Migrated(t, filepath.Join(data, "fusebox.db")), Clock: agent.SystemClock{}, NewID: newID, Logger: slog.New(slog.DiscardHandler),
	})
	must(t, err)
	must(t, db.AddPolicyRule(t.Context(), agent.Viewer{Email: "ada@example.org"}, agent.PolicyRule{ID: "r1", Tool: "run_shell", Action: agent.ActionDeny}))
	must(t, db.Close())
	for args, want := range map[string]string{"": "allow at high risk by config:go-tests", "--database": "deny at high risk by rule:r1"} {
		_, out, said := policyTest(t, data, `{"tool":"run_shell","args":{"command":"go test ./..."},"expect":"allow"}`, strings.Fields(args)...)
		if !strings.Contains(out, want) {
			t.Errorf("%q: %s%s", args, out, said)
		}
	}
}

func TestPolicyTestNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for examples, want := range map[string]string{
		"":                                         "-, contains no examples; write one JSON object per line",
		"\n{\"tool\":7,\"expect\":\"ask\"}":        "-, line 2: tool is a number; allowed: a text",
		"{":                                        "-, line 1: is not a JSON object",
		`{"tool":"x","expect":"ask"} {}`:           "line 1: is not a JSON object",
		`{"tool":"x"}`:                             "line 1: expect is missing; allowed: allow, ask, deny",
		`{"expect":"ask"}`:                         "line 1: tool is missing",
		`{"tool":"x","expect":"maybe"}`:            `line 1: expect: "maybe" is not allowed; allowed: allow, ask, deny`,
		`{"tool":"x","expect":"ask","mode":"y"}`:   `line 1: mode: "y" is not allowed; allowed: default, auto_edit, yolo`,
		`{"tool":"x","expect":"ask","role":"y"}`:   "line 1: role: names an unknown role",
		`{"tool":"x","expect":"ask","risk":"y"}`:   `line 1: risk: "y" is not allowed`,
		`{"tool":"x","expect":"ask","tols":"y"}`:   "line 1: tols is not a field of an example; allowed: tool, args",
		`{"tool":"x","expect":"ask","effect":"y"}`: `line 1: effect: "y" is not allowed`,
	} {
		status, out, said := policyTest(t, t.TempDir(), examples)
		if status != exitUsage || out != "" || !strings.Contains(said, want) {
			t.Errorf("%q: status %d, printed %q, said %q, want %q", examples, status, out, said, want)
		}
	}
	for _, args := range [][]string{{"policy"}, {"policy", "prove"}, {"policy", "test"}, {"policy", "test", "/none/of/it"}} {
		var stderr bytes.Buffer
		p := process{env: []string{"FUSEBOX_DATA=" + t.TempDir()}, stdout: &bytes.Buffer{}, stderr: &stderr}
		if status := p.main(t.Context(), args); status != exitUsage {
			t.Errorf("%v: status %d, %s", args, status, fmt.Sprint(stderr.String()))
		}
	}
}
