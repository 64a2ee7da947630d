package web

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

func TestInboxFilter(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]agent.ApprovalFilter{
		"":                                  {Status: agent.ApprovalPending},
		"status=all":                        {},
		"status=decided&kind=loop&risk=low": {Status: agent.ApprovalDecided, Kind: agent.KindLoop, Risk: agent.RiskLow},
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		got, err := inboxFilter(q)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", query, got, err)
		}
	}
	if _, err := inboxFilter(url.Values{"kind": {"x"}}); fieldErrors(err)["kind"] == "" {
		t.Errorf("an unknown kind gives %v", err)
	}
}

func TestInboxRowShowsWhatMatters(t *testing.T) {
	t.Parallel()
	asked := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	a := agent.Approval{
		ID: "a1", Kind: agent.KindTool, Risk: agent.RiskCritical, ToolName: "run_shell", Args: json.RawMessage(`{"command":"rm -rf x"}`),
		Evidence: json.RawMessage(`{"command":"rm -rf x"}`), Status: agent.ApprovalPending, RequestedAt: asked, ExpiresAt: asked.Add(time.Hour),
	}
	row := inboxRow(a, asked.Add(10*time.Minute))
	if row.What != "run_shell" || row.Gist != "rm -rf x" || !row.Mono || row.Late || row.Settled != "" {
		t.Errorf("tool: %+v", row)
	}
	if row = inboxRow(a, asked.Add(50*time.Minute)); !row.Late {
		t.Error("after three quarters of its time it is not late")
	}
	a.Status, a.Decision, a.DecidedBy = agent.ApprovalDecided, agent.DecideReject, "ana@example.com"
	if row = inboxRow(a, asked); row.Settled != "Rejected by ana@example.com" {
		t.Errorf("settled: %q", row.Settled)
	}
	a.Kind, a.Evidence = agent.KindBudget, json.RawMessage(`{"usedTokens":13500,"limitTokens":15000,"nextStepTokens":4500}`)
	if row = inboxRow(a, asked); row.Gist != "13.5k of 15k tokens used, the next call takes up to 4.5k" {
		t.Errorf("budget: %q", row.Gist)
	}
	a.Kind, a.Evidence = agent.KindLoop, json.RawMessage(`{"count":8,"calls":[{"toolName":"get_weather","args":{"city":"x"}}]}`)
	if row = inboxRow(a, asked); row.Gist != `get_weather × 8 {"city":"x"}` {
		t.Errorf("loop: %q", row.Gist)
	}
	a.Evidence = json.RawMessage(`broken`)
	if row = inboxRow(a, asked); row.Gist != "" {
		t.Errorf("broken evidence: %q", row.Gist)
	}
}

func TestRowFragmentsMoveNothing(t *testing.T) {
	t.Parallel()
	a := agent.Approval{ID: "a1", Kind: agent.KindTool, ToolName: "run_shell", Status: agent.ApprovalPending}
	fresh := rowFragments(a, true, true, time.Time{})
	var ops []string
	for _, f := range fresh {
		ops = append(ops, f.Op+" "+f.Target)
	}
	if got := strings.Join(ops, ", "); got != "remove inbox-empty, append inbox, replace inbox-new, append live" {
		t.Error(got)
	}
	if known := rowFragments(a, true, false, time.Time{}); len(known) != 2 {
		t.Errorf("what was there before is announced: %+v", known)
	}
	a.Status, a.Decision = agent.ApprovalDecided, agent.DecideApprove
	settled := rowFragments(a, false, true, time.Time{})
	if len(settled) != 1 || settled[0].Op != opReplace || settled[0].Target != "inbox-a1" || !strings.Contains(settled[0].HTML, "is-settled") {
		t.Errorf("%+v", settled)
	}
}
