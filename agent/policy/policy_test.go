package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"fusebox/agent"
)

func spec(name string, e agent.Effect) agent.ToolSpec { return agent.ToolSpec{Name: name, Effect: e} }

func risky(name string, e agent.Effect, r agent.Risk) agent.ToolSpec {
	s := spec(name, e)
	s.Risk = r
	return s
}

// TestUntrustedTextAsks: once text from outside was read, what has an effect or carries data out
// asks in every mode, unless a rule of people allows it.
func TestUntrustedTextAsks(t *testing.T) {
	t.Parallel()
	weather, remember := spec("get_weather", agent.EffectNetwork), risky("remember", agent.EffectWrite, agent.RiskLow)
	weather.FixedHost, remember.OwnMemory = true, true
	allows := []agent.PolicyRule{{Tool: "write_file", Action: agent.ActionAllow}}
	for _, tc := range []struct {
		name  string
		spec  agent.ToolSpec
		named bool
		rules []agent.PolicyRule
		want  agent.Action
	}{
		{"read", spec("read_file", agent.EffectRead), false, nil, agent.ActionAllow},
		{"one fixed host", weather, false, nil, agent.ActionAllow},
		{"any host", spec("web_fetch", agent.EffectNetwork), false, nil, agent.ActionAsk},
		{"an address that was named", spec("web_fetch", agent.EffectNetwork), true, nil, agent.ActionAllow},
		{"write", spec("write_file", agent.EffectWrite), false, nil, agent.ActionAsk},
		{"write that a rule allows", spec("write_file", agent.EffectWrite), false, allows, agent.ActionAllow},
		{"memory", remember, false, nil, agent.ActionAsk},
		{"exec", spec("run_shell", agent.EffectExec), false, nil, agent.ActionAsk},
	} {
		r := New().Rule(agent.PolicyRequest{Spec: tc.spec, Args: json.RawMessage(`{"path":"a","command":"ls"}`), Mode: agent.ModeYolo, Named: tc.named, Rules: tc.rules, Untrusted: true})
		if r.Action != tc.want {
			t.Errorf("%s: %+v", tc.name, r)
		}
		if tc.want == agent.ActionAsk && r.Rule != agent.BuiltIn("untrusted-text") {
			t.Errorf("%s asks by %v", tc.name, r.Rule)
		}
	}
}

// TestRepeatedEffectAsks: what a run of the same tree may have done in vain asks in every mode,
// unless it may be repeated, or a rule of people allows it. Nobody looks where that matters not.
func TestRepeatedEffectAsks(t *testing.T) {
	t.Parallel()
	safe := spec("write_file", agent.EffectWrite)
	safe.Idempotent = true
	shell := spec("run_shell", agent.EffectExec)
	for _, tc := range []struct {
		name     string
		spec     agent.ToolSpec
		mode     agent.ApprovalMode
		repeated bool
		rules    []agent.PolicyRule
		rule     string // "" where it runs
		looks    bool
	}{
		{"again", shell, agent.ModeYolo, true, nil, "repeated-effect", true},
		{"for the first time", shell, agent.ModeYolo, false, nil, "", true},
		{"what asks anyway", shell, agent.ModeDefault, true, nil, "effect-exec", false},
		{"read", spec("read_file", agent.EffectRead), agent.ModeYolo, true, nil, "", false},
		{"safe to repeat", safe, agent.ModeYolo, true, nil, "", false},
		{"a rule allows it", shell, agent.ModeYolo, true, []agent.PolicyRule{{Tool: "run_shell", Action: agent.ActionAllow}}, "", true},
	} {
		looked := false
		r := New().Rule(agent.PolicyRequest{Spec: tc.spec, Args: json.RawMessage(`{"path":"a","command":"ls"}`), Mode: tc.mode, Rules: tc.rules, Repeated: func() bool {
			looked = true
			return tc.repeated
		}})
		if asks := r.Action == agent.ActionAsk; asks != (tc.rule != "") || asks && r.Rule != agent.BuiltIn(tc.rule) || looked != tc.looks {
			t.Errorf("%s: %+v, looked %t", tc.name, r, looked)
		}
	}
}

func TestWhatAsksInWhichMode(t *testing.T) {
	t.Parallel()
	weather := spec("get_weather", agent.EffectNetwork)
	weather.FixedHost = true
	remember := risky("remember", agent.EffectWrite, agent.RiskLow)
	remember.OwnMemory = true
	save := risky("document_save", agent.EffectWrite, agent.RiskMedium)
	save.OwnDocuments = true
	unwalled := spec("run_shell", agent.EffectExec)
	unwalled.Unwalled = true
	for _, tc := range []struct {
		name                   string
		spec                   agent.ToolSpec
		args                   string
		risk                   agent.Risk
		standard, edits, trust agent.Action
	}{
		{"read", spec("read_file", agent.EffectRead), `{"path":"a"}`, agent.RiskLow, "allow", "allow", "allow"},
		{"one fixed host", weather, `{"city":"x"}`, agent.RiskLow, "allow", "allow", "allow"},
		{"any host", spec("fetch", agent.EffectNetwork), `{"url":"x"}`, agent.RiskMedium, "ask", "ask", "allow"},
		{"write", spec("write_file", agent.EffectWrite), `{"path":"a"}`, agent.RiskMedium, "ask", "allow", "allow"},
		{"a write to the person's own memory", remember, `{"text":"a"}`, agent.RiskLow, "allow", "allow", "allow"},
		{"a write to the person's own documents", save, `{"name":"a","text":"b"}`, agent.RiskMedium, "ask", "ask", "allow"},
		{"exec", spec("run_shell", agent.EffectExec), `{"command":"ls"}`, agent.RiskHigh, "ask", "ask", "allow"},
		{"exec without walls", unwalled, `{"command":"ls"}`, agent.RiskHigh, "ask", "ask", "ask"},
		{"critical exec", spec("run_shell", agent.EffectExec), `{"command":"rm -rf build"}`, agent.RiskCritical, "ask", "ask", "ask"},
		{"unknown effect", spec("odd", "magic"), `{}`, agent.RiskHigh, "ask", "ask", "ask"},
		{"no effect", spec("odd", ""), `{}`, agent.RiskHigh, "ask", "ask", "ask"},
		{"declared higher than its effect", risky("vault", agent.EffectRead, agent.RiskHigh), `{}`, agent.RiskHigh, "ask", "ask", "allow"},
		{"declared lower than its effect", risky("run", agent.EffectExec, agent.RiskLow), `{}`, agent.RiskHigh, "ask", "ask", "allow"},
		{"a write of high risk", risky("deploy", agent.EffectWrite, agent.RiskHigh), `{}`, agent.RiskHigh, "ask", "ask", "allow"},
		{"a risk nobody knows", risky("odd", agent.EffectRead, "severe"), `{}`, agent.RiskCritical, "ask", "ask", "ask"},
		{"arguments that do not parse", spec("run_shell", agent.EffectExec), `{"command":`, agent.RiskCritical, "ask", "ask", "ask"},
		{"a command that is no text", spec("run_shell", agent.EffectExec), `{"command":["rm"]}`, agent.RiskCritical, "ask", "ask", "ask"},
		{"a command longer than any shell takes", spec("run_shell", agent.EffectExec), `{"command":"` + strings.Repeat(":;", 64<<10) + `"}`, agent.RiskCritical, "ask", "ask", "ask"},
		{"a hidden file", spec("write_file", agent.EffectWrite), `{"path":"a/.git/config","content":""}`, agent.RiskHigh, "ask", "ask", "allow"},
		{"a hidden file with the other slashes", spec("write_file", agent.EffectWrite), `{"path":".\\.bashrc","content":""}`, agent.RiskHigh, "ask", "ask", "allow"},
		{"a file whose name begins with no dot", spec("write_file", agent.EffectWrite), `{"path":"./a/b.c/d.","content":""}`, agent.RiskMedium, "ask", "allow", "allow"},
		{"another tool's command", spec("note", agent.EffectWrite), `{"command":"rm -rf /"}`, agent.RiskMedium, "ask", "allow", "allow"},
	} {
		for mode, want := range map[agent.ApprovalMode]agent.Action{
			agent.ModeDefault: tc.standard, agent.ModeAutoEdit: tc.edits, agent.ModeYolo: tc.trust,
		} {
			r := New().Rule(agent.PolicyRequest{Spec: tc.spec, Args: json.RawMessage(tc.args), Mode: mode})
			if r.Action != want || r.Risk != tc.risk {
				t.Errorf("%s in %s: %s at %s, want %s at %s", tc.name, mode, r.Action, r.Risk, want, tc.risk)
			}
			if r.Rule.String() == "" || r.Reason == "" {
				t.Errorf("%s: no rule or reason: %+v", tc.name, r)
			}
		}
	}
}
