package page

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
)

func TestInboxFilter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for query, want := range map[string]agent.ApprovalFilter{
		"":           {Status: agent.ApprovalPending},
		"status=all": {},
		"status=&kind=&risk=&tool=&age=&search=+": {Status: agent.ApprovalPending},
		"tool=run_shell&age=1d&search=rm+&unread=true": {
			Status: agent.ApprovalPending, Tool: "run_shell", OlderThan: now.AddDate(0, 0, -1), Search: "rm", Unread: true,
		},
		"status=decided&kind=loop&risk=low": {Status: agent.ApprovalDecided, Kind: agent.KindLoop, Risk: agent.RiskLow},
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		got, err := request.InboxFilter(q, now)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", query, got, err)
		}
	}
	for _, field := range []string{"status", "kind", "risk", "age", "unread"} {
		if _, err := request.InboxFilter(url.Values{field: {"x"}}, now); agent.FieldErrors(err)[field] == "" {
			t.Errorf("an unknown %s gives %v", field, err)
		}
	}
}

func TestInboxRowShowsWhatMatters(t *testing.T) {
	t.Parallel()
	asked := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	a := agent.Approval{
		ID: "a1", Kind: agent.KindTool, Risk: agent.RiskCritical, ToolName: "run_shell", Args: json.RawMessage(`{"command":"rm -rf x"}`),
		Evidence: json.RawMessage(`{"command":"rm -rf x"}`), Status: agent.ApprovalPending, RequestedAt: asked, ExpiresAt: asked.Add(time.Hour),
	}
	row := present.InboxRow(text.In(t.Context()), agent.Viewer{}, agent.InboxEntry{Approval: a, Mine: true}, asked.Add(10*time.Minute))
	if row.What != "Run a command" || row.Gist != "rm -rf x" || !row.Mono || row.Late || row.Settled != "" {
		t.Errorf("tool: %+v", row)
	}
	if row = present.InboxRow(text.In(t.Context()), agent.Viewer{}, agent.InboxEntry{Approval: a, Mine: true}, asked.Add(50*time.Minute)); !row.Late {
		t.Error("after three quarters of its time it is not late")
	}
	a.Status, a.Decision, a.DecidedBy = agent.ApprovalDecided, agent.DecideReject, "ana@example.com"
	if row = present.InboxRow(text.In(t.Context()), agent.Viewer{}, agent.InboxEntry{Approval: a, Mine: true}, asked); row.Settled != "Denied by ana@example.com" {
		t.Errorf("settled: %q", row.Settled)
	}
	a.Kind, a.Evidence = agent.KindBudget, json.RawMessage(`{"usedTokens":13500,"limitTokens":15000,"nextStepTokens":4500}`)
	if row = present.InboxRow(text.In(t.Context()), agent.Viewer{}, agent.InboxEntry{Approval: a, Mine: true}, asked); row.Gist != "13.5k of 15k tokens used, the next call needs up to 4.5k" {
		t.Errorf("budget: %q", row.Gist)
	}
	a.Kind, a.Evidence = agent.KindLoop, json.RawMessage(`{"count":8,"calls":[{"toolName":"get_weather","args":{"city":"x"}}]}`)
	if row = present.InboxRow(text.In(t.Context()), agent.Viewer{}, agent.InboxEntry{Approval: a, Mine: true}, asked); row.Gist != `get_weather × 8: x` {
		t.Errorf("loop: %q", row.Gist)
	}
	a.Evidence = json.RawMessage(`broken`)
	if row = present.InboxRow(text.In(t.Context()), agent.Viewer{}, agent.InboxEntry{Approval: a, Mine: true}, asked); row.Gist != "" {
		t.Errorf("broken evidence: %q", row.Gist)
	}
}

func TestRowSaysWhatHappened(t *testing.T) {
	t.Parallel()
	a := agent.Approval{
		Kind: agent.KindTool, Status: agent.ApprovalPending, Needs: 2, Generation: 3, Author: "bob@example.com",
		Votes: []agent.Vote{{By: "ana@example.com"}}, Stage: agent.StageEscalated, EscalatedTo: "admins",
	}
	row := present.InboxRow(text.In(t.Context()), agent.Viewer{}, agent.InboxEntry{Approval: a, Mine: true, Unread: true, Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 4000, OutputTokens: 500}}, CostMicros: 5000}, time.Time{})
	var marks []string
	for _, m := range row.Marks {
		marks = append(marks, m.Text)
	}
	if got := strings.Join(marks, ", "); got != "1 of 2 approvals, by ana@example.com, edited by bob@example.com, escalated to admins" {
		t.Error(got)
	}
	if !row.Unread || row.Spent != "4.5k tokens, $0.0050" {
		t.Errorf("%+v", row)
	}
}

// TestGistHidesNoEnd: what is dangerous may stand at the end of a long command,
// or on a line of its own.
func TestGistHidesNoEnd(t *testing.T) {
	t.Parallel()
	got := present.MiddleCut(text.In(t.Context()), "echo "+strings.Repeat("ä", 5000)+"\n\n   rm -rf /srv")
	if !strings.HasPrefix(got, "echo ä") || !strings.HasSuffix(got, "ä ⏎ ⏎ rm -rf /srv") || !strings.Contains(got, "[4791 more characters]") {
		t.Error(got)
	}
	if got := present.MiddleCut(text.In(t.Context()), "ls\nrm x"); got != "ls ⏎ rm x" {
		t.Error(got)
	}
}
