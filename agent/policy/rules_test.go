package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

var (
	bob   = agent.Viewer{UserID: "u1", Email: "bob@example.org", Role: agent.RoleUser}
	admin = agent.Viewer{UserID: "u2", Email: "ada@example.com", Role: agent.RoleAdmin}
)

// TestRules: each row is a call, the rules that there are, and what they make of it.
func TestRules(t *testing.T) {
	t.Parallel()
	shell, save, odd := spec("run_shell", agent.EffectExec), spec("write_file", agent.EffectWrite), spec("odd", "magic")
	look := spec("read_file", agent.EffectRead)
	goTest, remove := `{"command":"go test ./x"}`, `{"command":"rm -rf build"}`
	allow := func(r agent.PolicyRule) agent.PolicyRule { r.Action = agent.ActionAllow; return r }
	ask := func(r agent.PolicyRule) agent.PolicyRule { r.Action = agent.ActionAsk; return r }
	deny := func(r agent.PolicyRule) agent.PolicyRule { r.Action = agent.ActionDeny; return r }
	type rule = agent.PolicyRule
	for _, tc := range []struct {
		name   string
		spec   agent.ToolSpec
		args   string
		mode   agent.ApprovalMode
		owner  agent.Viewer
		rules  []rule
		action agent.Action
		risk   agent.Risk
		by     string
	}{
		{"no rule", shell, goTest, agent.ModeDefault, bob, nil, "ask", "high", "effect-exec"},
		{"a rule for another tool", shell, goTest, agent.ModeDefault, bob, []rule{allow(rule{ID: "a", Tool: "write_*"})}, "ask", "high", "effect-exec"},
		{"allowed", shell, goTest, agent.ModeDefault, bob, []rule{allow(rule{ID: "a", Tool: "run_*"})}, "allow", "high", "rule:a"},
		{"allowed by a pattern", shell, goTest, agent.ModeDefault, bob, []rule{allow(rule{ID: "a", Args: agent.Pattern{"command": "go test *"}})}, "allow", "high", "rule:a"},
		{"a pattern that does not fit", shell, `{"command":"go test; id"}`, agent.ModeDefault, bob, []rule{allow(rule{ID: "a", Args: agent.Pattern{"command": "go test*"}})}, "ask", "high", "effect-exec"},
		{"what denies fits more", shell, `{"command":"curl \"x\"; id"}`, agent.ModeYolo, bob, []rule{deny(rule{ID: "d", Args: agent.Pattern{"command": "curl *"}})}, "deny", "high", "rule:d"},
		{"another way to write a path", save, `{"path":"./a/../secret/k"}`, agent.ModeYolo, bob, []rule{deny(rule{ID: "d", Args: agent.Pattern{"path": "secret/*"}})}, "deny", "medium", "rule:d"},
		{"exactly these arguments", save, `{"path":"a","content":"x"}`, agent.ModeDefault, bob, []rule{allow(rule{ID: "a", ArgsHash: fingerprint.Args(`{"content":"x","path":"a"}`, nil)})}, "allow", "medium", "rule:a"},
		{"other arguments than these", save, `{"path":"a","content":"y"}`, agent.ModeDefault, bob, []rule{allow(rule{ID: "a", ArgsHash: fingerprint.Args(`{"content":"x","path":"a"}`, nil)})}, "ask", "medium", "effect-write"},
		{"by effect", look, `{"path":"a"}`, agent.ModeDefault, bob, []rule{ask(rule{ID: "r", Effect: agent.EffectRead})}, "ask", "low", "rule:r"},
		{"by risk", shell, goTest, agent.ModeYolo, bob, []rule{ask(rule{ID: "r", Risk: agent.RiskHigh})}, "ask", "high", "rule:r"},
		{"by another risk", shell, goTest, agent.ModeYolo, bob, []rule{ask(rule{ID: "r", Risk: agent.RiskMedium})}, "allow", "high", "effect-exec"},
		{"in this mode", save, `{"path":"a"}`, agent.ModeAutoEdit, bob, []rule{ask(rule{ID: "m", Mode: agent.ModeAutoEdit})}, "ask", "medium", "rule:m"},
		{"in another mode", save, `{"path":"a"}`, agent.ModeAutoEdit, bob, []rule{ask(rule{ID: "m", Mode: agent.ModeYolo})}, "allow", "medium", "effect-write"},
		{"yolo asks where a rule says so", save, `{"path":"a"}`, agent.ModeYolo, bob, []rule{ask(rule{ID: "m", Tool: "write_file"})}, "ask", "medium", "rule:m"},
		{"this person", shell, goTest, agent.ModeDefault, bob, []rule{allow(rule{ID: "w", Who: "BOB@example.org"})}, "allow", "high", "rule:w"},
		{"these people", shell, goTest, agent.ModeDefault, bob, []rule{allow(rule{ID: "w", Who: "*@example.org"})}, "allow", "high", "rule:w"},
		{"other people", shell, goTest, agent.ModeDefault, admin, []rule{allow(rule{ID: "w", Who: "*@example.org"})}, "ask", "high", "effect-exec"},
		{"this role", shell, goTest, agent.ModeDefault, admin, []rule{allow(rule{ID: "w", Who: "role:admin"})}, "allow", "high", "rule:w"},
		{"another role", shell, goTest, agent.ModeDefault, bob, []rule{allow(rule{ID: "w", Who: "role:admin"})}, "ask", "high", "effect-exec"},
		{"nobody is of no role", shell, goTest, agent.ModeDefault, agent.Viewer{Email: "role:admin"}, []rule{allow(rule{ID: "w", Who: "role:admin"})}, "ask", "high", "effect-exec"},

		{"deny before ask before allow", shell, goTest, agent.ModeDefault, bob, []rule{allow(rule{ID: "a", Tool: "*"}), ask(rule{ID: "b"}), deny(rule{ID: "c"})}, "deny", "high", "rule:c"},
		{"ask before allow", shell, goTest, agent.ModeYolo, bob, []rule{allow(rule{ID: "a", Tool: "*"}), ask(rule{ID: "b"})}, "ask", "high", "rule:b"},
		{"the highest priority", shell, goTest, agent.ModeDefault, bob, []rule{deny(rule{ID: "c"}), allow(rule{ID: "a", Tool: "*", Priority: 1})}, "allow", "high", "rule:a"},
		{"a priority below none", shell, goTest, agent.ModeDefault, bob, []rule{deny(rule{ID: "c", Priority: -1}), allow(rule{ID: "a", Tool: "*"})}, "allow", "high", "rule:a"},
		{"of equal ones the first", shell, goTest, agent.ModeDefault, bob, []rule{deny(rule{ID: "c"}), deny(rule{ID: "d"})}, "deny", "high", "rule:c"},

		{"critical asks all the same", shell, remove, agent.ModeDefault, bob, []rule{allow(rule{ID: "a", Tool: "run_shell", Priority: 1000})}, "ask", "critical", "rule:a"},
		{"critical can be denied", shell, remove, agent.ModeYolo, bob, []rule{deny(rule{ID: "d", Risk: agent.RiskCritical})}, "deny", "critical", "rule:d"},
		{"made critical by one rule, allowed by another", shell, goTest, agent.ModeDefault, bob, []rule{ask(rule{ID: "r", SetRisk: agent.RiskCritical}), allow(rule{ID: "a", Tool: "*", Priority: 9})}, "ask", "critical", "rule:a"},
		{"risk raised", save, `{"path":"a"}`, agent.ModeAutoEdit, bob, []rule{ask(rule{ID: "r", SetRisk: agent.RiskHigh})}, "ask", "high", "rule:r"},
		{"risk is never lowered", shell, goTest, agent.ModeDefault, bob, []rule{ask(rule{ID: "r", SetRisk: agent.RiskLow})}, "ask", "high", "rule:r"},
		{"the risk as judged, not as raised", save, `{"path":"a"}`, agent.ModeDefault, bob, []rule{ask(rule{ID: "r", SetRisk: agent.RiskHigh}), deny(rule{ID: "d", Risk: agent.RiskHigh})}, "ask", "high", "rule:r"},

		{"an unknown effect asks all the same", odd, `{}`, agent.ModeYolo, bob, []rule{allow(rule{ID: "a", Tool: "odd"})}, "ask", "high", "rule:a"},
		{"an unknown effect can be denied", odd, `{}`, agent.ModeYolo, bob, []rule{deny(rule{ID: "d", Tool: "odd"})}, "deny", "high", "rule:d"},
		{"arguments that cannot be read ask all the same", spec("note", agent.EffectWrite), `[`, agent.ModeDefault, bob, []rule{allow(rule{ID: "a", Tool: "note"})}, "ask", "medium", "rule:a"},
		{"arguments that cannot be read can be denied", spec("note", agent.EffectWrite), `[`, agent.ModeDefault, bob, []rule{deny(rule{ID: "d", Tool: "note"})}, "deny", "medium", "rule:d"},
	} {
		q := agent.PolicyRequest{Spec: tc.spec, Args: json.RawMessage(tc.args), Mode: tc.mode, Owner: tc.owner, Rules: tc.rules}
		r := New().Rule(q)
		if r.Action != tc.action || r.Risk != tc.risk || r.Rule.String() != tc.by || r.Reason == "" {
			t.Errorf("%s: %s at %s by %s (%q), want %s at %s by %s", tc.name, r.Action, r.Risk, r.Rule, r.Reason, tc.action, tc.risk, tc.by)
		}
		// The configuration's rules are the same ones under another name.
		q.Rules = nil
		if c := New(tc.rules...).Rule(q); c.Action != tc.action || c.Risk != tc.risk || c.Rule.String() != strings.Replace(tc.by, "rule:", "config:", 1) {
			t.Errorf("%s, of the configuration: %s at %s by %s", tc.name, c.Action, c.Risk, c.Rule)
		}
	}
}

// TestReasons: who is asked, or refused, reads why.
func TestReasons(t *testing.T) {
	t.Parallel()
	q := agent.PolicyRequest{Spec: spec("run_shell", agent.EffectExec), Args: json.RawMessage(`{"command":"rm -rf x"}`), Mode: agent.ModeYolo, Owner: bob}
	for _, tc := range []struct {
		rule   agent.PolicyRule
		config bool
		want   string
	}{
		{agent.PolicyRule{Action: agent.ActionDeny, Reason: "Ask Ada for a deployment."}, false, "Ask Ada for a deployment."},
		{agent.PolicyRule{Action: agent.ActionDeny, CreatedBy: "ada@example.com"}, false, "A rule by ada@example.com denies this call of run_shell."},
		{agent.PolicyRule{Action: agent.ActionAsk}, true, "A rule from the configuration asks about this call of run_shell: The command deletes whole directories. It destroys data."},
		{agent.PolicyRule{Action: agent.ActionAllow, Tool: "run_shell"}, false, "A critical call always asks, even if a rule allows it: The command deletes whole directories. It destroys data."},
	} {
		p := New()
		q.Rules = []agent.PolicyRule{tc.rule}
		if tc.config {
			p, q.Rules = New(tc.rule), nil
		}
		if r := p.Rule(q); r.Reason != tc.want {
			t.Errorf("%q, want %q", r.Reason, tc.want)
		}
	}
}

// TestHigherPriorityOfAdmins: where the rules come from makes no difference.
func TestHigherPriorityOfAdmins(t *testing.T) {
	t.Parallel()
	p := New(agent.PolicyRule{ID: "none", Tool: "run_shell", Action: agent.ActionDeny})
	q := agent.PolicyRequest{Spec: spec("run_shell", agent.EffectExec), Args: json.RawMessage(`{"command":"ls -l"}`), Mode: agent.ModeDefault, Owner: bob}
	q.Rules = []agent.PolicyRule{{ID: "a", Tool: "run_shell", Action: agent.ActionAllow}}
	if r := p.Rule(q); r.Action != agent.ActionDeny || r.Rule.String() != "config:none" {
		t.Errorf("of equal priority: %s by %s", r.Action, r.Rule)
	}
	q.Rules[0].Priority = 1
	if r := p.Rule(q); r.Action != agent.ActionAllow || r.Rule.String() != "rule:a" {
		t.Errorf("of higher priority: %s by %s", r.Action, r.Rule)
	}
}

func BenchmarkFiveHundredRules(b *testing.B) {
	rules := make([]agent.PolicyRule, agent.MaxPolicyRules)
	for i := range rules {
		rules[i] = agent.PolicyRule{ID: "r", Tool: "run_*", Args: agent.Pattern{"command": "npm run build-* --flag=*"}, Action: agent.ActionDeny}
	}
	p := New(rules...)
	q := agent.PolicyRequest{Spec: spec("run_shell", agent.EffectExec), Args: json.RawMessage(`{"command":"npm run build-all --loud"}`), Mode: agent.ModeDefault, Owner: bob}
	for b.Loop() {
		if r := p.Rule(q); r.Action != agent.ActionAsk {
			b.Fatalf("%+v", r)
		}
	}
}
