package present

import (
	"encoding/json"
	"testing"

	"fusebox/agent"
	"fusebox/views/text"
)

// TestWishes: each kind of row says what is wanted, in words, and shows the part that matters.
func TestWishes(t *testing.T) {
	t.Parallel()
	options := []agent.Option{{ID: "1", Label: "Red"}, {ID: "2", Label: "Green"}}
	for _, tt := range []struct{ kind, tool, args, evidence, message, what, gist string }{
		{"question", "ask_user", `{}`, `{"question":"Which?"}`, "Which?", "Which?", "Red · Green"},
		{"question", "", `{}`, `{"question":"May I send this?","draft":"Hello Ada,\nit is done."}`, "May I send this?", "May I send this?", "Hello Ada, ⏎ it is done."},
		{"question", "hand_over", `{}`, `{"question":"The site needs a login.","handOver":true}`, "The site needs a login.", "The agent asks you to take over", "The site needs a login."},
		{"tool", "run_shell", `{"command":"make"}`, `{"command":"make"}`, "", "Run a command", "make"},
		{"tool", "edit_file", `{"path":"README.md","new":"b","old":"a"}`, `{}`, "", "Change README.md", `new="b" old="a"`},
		{"tool", "write_file", `{"path":"a\u202eb","content":"x"}`, `{}`, "", "Write a‹U+202E›b", `content="x"`},
		{"tool", "write_file", `{"content":"x"}`, `{}`, "", "Use write_file", `content="x"`},
		{"tool", "files__move", `{"path":"a"}`, `{}`, "", "Use files__move", `path="a"`},
		{"outcome", "run_shell", `{"command":"make"}`, `{}`, "", "Did run_shell go through?", `command="make"`},
		{"budget", "", ``, `{"scope":"run","usedTokens":13500,"limitTokens":15000,"nextStepTokens":4500}`, "", "Raise the limit: This run", "13.5k of 15k tokens used, the next call needs up to 4.5k"},
		{"budget", "", ``, `broken`, "", "Token budget reached", ""},
	} {
		a := agent.Approval{
			Kind: agent.ApprovalKind(tt.kind), ToolName: tt.tool, Args: json.RawMessage(tt.args), Evidence: json.RawMessage(tt.evidence), Message: tt.message,
		}
		if tt.tool == "ask_user" {
			a.Options = options
		}
		if got := WishOf(text.In(t.Context()), a); got.What != tt.what || got.Gist != tt.gist {
			t.Errorf("%s %s %s: %q, %q, want %q, %q", tt.kind, tt.tool, tt.args, got.What, got.Gist, tt.what, tt.gist)
		}
	}
	wish := Wish{What: "The agent asks you to take over", Gist: "The site needs a login."}
	if got := wish.Line(text.In(t.Context())); got != "The agent asks you to take over — The site needs a login." {
		t.Error(got)
	}
}

// TestRiskOfLoops: the risk of the call that a loop repeats is told where it is high, that of a
// question never.
func TestRiskOfLoops(t *testing.T) {
	t.Parallel()
	tr := text.In(t.Context())
	for _, tt := range []struct {
		kind       agent.ApprovalKind
		risk       agent.Risk
		word, said string
	}{
		{agent.KindLoop, agent.RiskHigh, "high", "x (high risk)"},
		{agent.KindLoop, agent.RiskMedium, "", "x"},
		{agent.KindQuestion, agent.RiskHigh, "", "x"},
		{agent.KindOutcome, agent.RiskLow, "low", "x (low risk)"},
	} {
		a := agent.Approval{Kind: tt.kind, Risk: tt.risk}
		if word, said := InboxRisk(tr, a), WithRisk(tr, "x", a); word != tt.word || said != tt.said {
			t.Errorf("%s %s: %q, %q", tt.kind, tt.risk, word, said)
		}
	}
}
