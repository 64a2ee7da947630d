package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

func TestSpendPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	b := s.as(ana)
	b.get("/admin/spend").check(t, want{status: http.StatusOK, has: []string{"No spending in this period", "start a chat"}, hasNot: []string{"chart-plot"}})

	s.finished(ana, "numbers")
	s.finished(bob, "=cmd|weather")
	b.get("/admin/spend").check(t, want{status: http.StatusOK, has: []string{
		"$0.01", "8k", "2k cached", "Cost per day", "chart-plot", "<desc", "Show as table", "ana@example.com", "bob@example.com", "demo",
		"none in the same days of last month", "<strong>Month to date</strong>", `aria-current="true">Month to date`, "/admin/spend.csv?",
	}})
	b.get("/admin/spend?measure=tokens").check(t, want{status: http.StatusOK, has: []string{"Tokens per day", "9k in total"}})
	b.get("/admin/spend?from=2020-01-01&to=2020-12-31").check(t, want{status: http.StatusOK, has: []string{"No spending in this period", `value="2020-01-01"`}})
	b.get("/admin/spend?from=nonsense&to=2020-01-31&tz=Mars").check(t, want{
		status: http.StatusUnprocessableEntity, has: []string{`id="tz-error"`, `value="nonsense"`, `value="Mars"`},
	})
	got := b.get("/admin/spend.csv?group=user")
	got.check(t, want{status: http.StatusOK, has: []string{"key,runs,inputTokens", "ana@example.com,1,4000,1000,500,5000", "bob@example.com,1,4000,1000,500,5000"}})
	if kept := got.header.Get("Cache-Control"); kept != "no-store" {
		t.Errorf("the browser keeps the spend of others: %q", kept)
	}
	if kind := got.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/csv") {
		t.Errorf("the file is %s", kind)
	}
	b.get("/admin/spend.csv?group=nothing").check(t, want{status: http.StatusBadRequest})
	s.as(bob).get("/admin/spend.csv").check(t, want{status: http.StatusForbidden, hasNot: []string{"ana@"}})
}

// TestSpendPageSaysWhatTheSumsDoNot: calls without a price, tokens that were
// estimated, what the breakers saved; and no forecast for days that are over.
func TestSpendPageSaysWhatTheSumsDoNot(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	b := s.as(ana)
	run := s.started(ana, "numbers")
	now := s.clock.Now()
	step := agent.Step{
		RunID: run.ID, N: 2, ConversationID: run.ConversationID, UserID: ana.ID, Model: "nobody-knows", Unpriced: true, StartedAt: now, EndedAt: now,
		Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 100, OutputTokens: 10}, Estimated: true}, Tools: []agent.ToolUse{{Name: "calculator", Calls: 1}},
	}
	later := step
	later.N, later.EndedAt, later.Tools = 3, now.Add(-9*24*time.Hour), nil
	run.Status, run.StopReason, run.EndedAt = agent.StatusStopped, agent.StopLoop, now
	s.append(run, agent.Change{Run: run, Steps: []agent.Step{step, later}, Verdicts: []agent.VerdictRecord{{
		ID: "v", RunID: run.ID, ConversationID: run.ConversationID, Detector: "cycle", Level: agent.Stop.String(), Step: 1, Count: 10,
		Tokens: 4500, CostMicros: 5000, SavedTokens: 90_000, SavedMicros: 100_000, At: now,
	}}})
	days := "from=" + now.UTC().AddDate(0, 0, -20).Format("2006-01-02") + "&to=" + now.UTC().Format("2006-01-02")
	b.get("/admin/spend?"+days).check(t, want{status: http.StatusOK, has: []string{
		"2 calls to nobody-knows have no price. Their cost isn’t included.", "/admin/models", "Token counts for 2 calls are estimates",
		`title="0 micro-USD">no price</td>`, "No tool", "calculator", "Savings from breakers", "90k tokens, $0.10", "Estimated savings =",
		`title="5000 micro-USD"`,
	}, hasNot: []string{"Forecast"}})
	b.get("/admin/spend?from=2020-01-01&to=2020-12-31").check(t, want{status: http.StatusOK, hasNot: []string{"Savings from breakers", "no price"}})
	b.get("/admin/spend?tz=Asia%2FKathmandu&"+days).check(t, want{status: http.StatusOK, has: []string{"tz=Asia%2FKathmandu", "12 months"}})
}
