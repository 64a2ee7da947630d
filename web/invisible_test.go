package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
)

// hiding is a command that looks like another one: it turns the order of letters,
// and holds characters that nobody sees.
const hiding = "ls \u202eexe\u202c\u00a0x\u200b\u2066 \x1b[2J\x00 \U000e0041"

// TestHiddenCharactersAreShown: a reviewer sees what will run, wherever a call is
// shown, and can edit it as it is.
func TestHiddenCharactersAreShown(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	b := s.as(ana)
	raw := []string{"\u202e", "\u00a0", "\u200b", "\x1b", "\U000e0041"}
	shown := []string{"‹U+202E›exe‹U+202C›‹U+00A0›x‹U+200B›‹U+2066› ‹U+001B›[2J‹U+0000› ‹U+E0041›"}
	a := s.paused(ana, "hiding", shellCard(agent.RiskHigh, hiding))
	b.get("/approvals/"+a.ID).check(t, want{status: http.StatusOK, has: append(shown, `\u202eexe`, `\u00a0`, `\udb40\udc41`), hasNot: raw})
	b.get("/approvals").check(t, want{status: http.StatusOK, has: shown, hasNot: raw})
	b.get("/c/"+a.ConversationID).check(t, want{status: http.StatusOK, has: shown, hasNot: raw})

	write := shellCard(agent.RiskMedium, "")
	write.ToolName, write.Args = "write_file", json.RawMessage("{\"path\":\"a\u202eb\",\"content\":\"x\u200by\"}")
	write.Evidence, _ = json.Marshal(agent.ToolEvidence{Effect: agent.EffectWrite, Diff: "@@ -0,0 +1 @@\n+x\u200by\r\n"})
	write.Pattern = agent.Pattern{"path": "a\u202eb/*"}
	a = s.paused(ana, "writing", write)
	b.get("/approvals/"+a.ID).check(t, want{status: http.StatusOK, has: []string{"x‹U+200B›y\r", `a\u202eb`, "path = a‹U+202E›b/*"}, hasNot: []string{"\u202eb\"", "x\u200b"}})

	question := agent.Approval{
		Kind: agent.KindQuestion, Risk: agent.RiskLow, ToolName: "ask_user", Message: "Shall I \u202estop?", Evidence: json.RawMessage(`{"question":"x"}`),
		Options: []agent.Option{{ID: "1", Label: "Yes\u2067"}},
	}
	a = s.paused(ana, "asking", question)
	b.get("/approvals/"+a.ID).check(t, want{status: http.StatusOK, has: []string{"Shall I ‹U+202E›stop?", "Yes‹U+2067›"}, hasNot: []string{"\u202e", "\u2067"}})
}

// TestHeldCallIsShownWhole: a person who lets a held call continue sees
// all of it, and not what the table of its streak has room for.
func TestHeldCallIsShownWhole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	long := `{"command":"echo ` + strings.Repeat("x", 3000) + `; rm secrets"}`
	evidence, err := json.Marshal(agent.LoopEvidence{Detector: "generic_repeat", Count: 8, Threshold: 8, Calls: []agent.EvidenceCall{
		{N: 7, ToolCallID: "g", ToolName: "run_shell", Args: json.RawMessage(`"{\"command\":\"echo xxx…"`)},
		{N: 8, ToolCallID: "h", ToolName: "run_shell", Args: json.RawMessage(`"{\"command\":\"echo xxx…"`), Blocked: true},
	}})
	s.ok(err)
	card := agent.Approval{
		Kind: agent.KindLoop, Risk: agent.RiskHigh, ToolName: "run_shell", ToolCallID: "h", Args: json.RawMessage(long),
		Evidence: evidence, Message: "The same call 8 times.", Options: []agent.Option{{ID: agent.ResumePlain, Label: "Continue"}},
	}
	a := s.paused(ana, "held", card)
	s.as(ana).get("/approvals/"+a.ID).check(t, want{status: http.StatusOK, has: []string{"on hold", "; rm secrets"}})

	short := loopCard()
	short.ToolCallID, short.Evidence = "h", json.RawMessage(`{"detector":"x","calls":[{"n":8,"toolCallId":"h","toolName":"get_weather","args":{"city":"x"},"blocked":true}]}`)
	b := s.paused(ana, "short", short)
	s.as(ana).get("/approvals/"+b.ID).check(t, want{status: http.StatusOK, hasNot: []string{"call is on hold"}})
}

// TestLongCallsSayHowLong: what stands far below, behind many spaces or lines, is
// told of where the box does not show it at once.
func TestLongCallsSayHowLong(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	b := s.as(ana)
	a := s.paused(ana, "spaces", shellCard(agent.RiskHigh, "go test ./..."+strings.Repeat(" ", 3000)+"; rm secrets"))
	b.get("/approvals/"+a.ID).check(t, want{status: http.StatusOK, has: []string{"3025 characters; scroll to read all of them."}})
	a = s.paused(ana, "short", shellCard(agent.RiskHigh, "go test ./..."))
	b.get("/approvals/"+a.ID).check(t, want{status: http.StatusOK, hasNot: []string{"scroll to read"}})

	other := shellCard(agent.RiskHigh, "")
	other.Args = json.RawMessage(`{"command":"ls","list":[` + strings.Repeat(`"x",`, 30) + `"y"]}`)
	a = s.paused(ana, "arguments", other)
	b.get("/approvals/"+a.ID).check(t, want{status: http.StatusOK, has: []string{"36 lines; scroll to read all of them."}})
}
