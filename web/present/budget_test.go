package present

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// TestTypedAmounts: people type amounts in many ways; what cannot be read is
// refused, never taken for something else.
func TestTypedAmounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"": 0, "5": 5_000_000, "0.50": 500_000, "$12.5": 12_500_000, "$ 3": 3_000_000, "0.000001": 1, "007": 7_000_000} {
		if got, err := TypedDollars("f", text); err != nil || got != want {
			t.Errorf("dollars %q: %d, %v, want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]int64{"": 0, "200000": 200_000, "200k": 200_000, "1.5M": 1_500_000, "1 000 000": 1_000_000, "1,000": 1000, "1_234_567": 1_234_567, " 0.5k ": 500, "2B": 2_000_000_000, "4.1 万": 41_000, "100万": 1_000_000, "1.2 亿": 120_000_000} {
		if got, err := TypedTokens("f", text); err != nil || got != want {
			t.Errorf("tokens %q: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"-1", "5 €", "0,50", "1e9", "0.0000001", ".5", "9999999999999", "NaN"} {
		if got, err := TypedDollars("f", text); err == nil {
			t.Errorf("dollars %q: taken for %d", text, got)
		}
	}
	for _, text := range []string{"-1", "many", "5kk", "万", "1 万亿", "1e6", "5g", "1,5M", "12,50", "200.000", "0.5", "1,0000", "٥"} {
		if got, err := TypedTokens("f", text); err == nil {
			t.Errorf("tokens %q: taken for %d", text, got)
		}
	}
	for micros, want := range map[int64]string{0: "0.00", 5_000_000: "5.00", 500_000: "0.50", 1: "0.000001", 1_234_500: "1.2345"} {
		if got := DollarsTyped(micros); got != want {
			t.Errorf("%d is written %q, want %q", micros, got, want)
		}
	}
}

// TestBudgetSentences: a warning names the budget, the fuller limit, and when it
// resets, in the instance's time zone.
func TestBudgetSentences(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	december := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		d    agent.BudgetEvent
		want string
	}{
		{agent.BudgetEvent{Scope: "everybody_month", UsedMicros: 8_010_000, LimitMicros: 10_000_000, ResetsAt: december},
			"Everyone, this month: 80% of the budget used ($8.01 of $10.00). Resets on 1 December."},
		{agent.BudgetEvent{Scope: "group_day", SubjectName: "Research", UsedTokens: 95_000, LimitTokens: 100_000, UsedMicros: 1, LimitMicros: 2_000_000},
			"Group Research, today: 95% of the budget used (95k of 100k tokens)."},
		{agent.BudgetEvent{Scope: "user_week", SubjectName: "ben@example.org", UsedTokens: 10, LimitTokens: 10}, "ben@example.org, this week: 100% of the budget used (10 of 10 tokens)."},
		{agent.BudgetEvent{Scope: "run", UsedTokens: 8, LimitTokens: 10}, "This run: 80% of the budget used (8 of 10 tokens)."},
	} {
		if got := budgetSentence(text.In(t.Context()), row.d, berlin); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

// TestPanelShowsTheLimitThatBinds: a budget of an admin that is below the run's own limit
// is the one in the panel, and is told in a line.
func TestPanelShowsTheLimitThatBinds(t *testing.T) {
	t.Parallel()
	s := newScript()
	s.said("r1", "u1", "Hello")
	s.add("r1", 0, agent.RunStart{Model: "demo", Limits: agent.Limits{Steps: 50, Tokens: 1000}})
	s.add("r1", 1, agent.BudgetEvent{Scope: "run", BudgetID: "b1", UsedTokens: 90, LimitTokens: 100, Level: "warning"},
		agent.BudgetEvent{Scope: "run", BudgetID: "b1", UsedTokens: 90, LimitTokens: 100},
		agent.ApprovalRequestedEvent{ApprovalID: "a1", Kind: agent.KindBudget, Evidence: json.RawMessage(`{"scope":"run","budgetId":"b1","usedTokens":90,"limitTokens":100}`)})
	p := fold(agent.Conversation{ID: "c"}, true)
	lines := 0
	for _, e := range s.events {
		for _, f := range p.Apply(e) {
			lines += strings.Count(f.HTML, "This run: 90% of the budget used")
		}
	}
	if lines != 1 {
		t.Errorf("told in %d lines, want 1", lines)
	}
	for _, f := range p.fuses() {
		if f.Key == "tokens" && (f.Value != "90" || f.Limit != "100" || f.Level != part.Tripped || f.Href != "#"+CardID("a1") || !strings.Contains(f.Whose, "budget set by an admin: This run")) {
			t.Errorf("the meter does not show the budget that binds: %+v", f)
		}
	}
}

// TestBudgetCardOfATree: the card of a tree says what each agent has used, without money for
// those who are not shown any.
func TestBudgetCardOfATree(t *testing.T) {
	t.Parallel()
	a := agent.Approval{Kind: agent.KindBudget, Evidence: agent.MustJSON(agent.BudgetEvidence{
		Scope: "run", UsedTokens: 20_000, LimitTokens: 20_000, Runs: []agent.RunSpending{
			{RunID: "r", Tokens: 6000, CostMicros: 60_000}, {RunID: "a", Agent: "worker", Tokens: 7000, CostMicros: 70_000}, {RunID: "b", Agent: "worker", Tokens: 7000, CostMicros: 70_000},
		},
	})}
	tr := text.In(t.Context())
	got := []any{budgetShown(tr, a.Evidence, nil).Agents, budgetShown(tr, ApprovalWithoutMoney(a).Evidence, nil).Agents}
	want := []any{
		[]part.AgentSpent{{Agent: "main chat", Spent: "6k tokens, $0.06"}, {Agent: "worker", Spent: "14k tokens, $0.14"}},
		[]part.AgentSpent{{Agent: "main chat", Spent: "6k tokens"}, {Agent: "worker", Spent: "14k tokens"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestChildHidesMoney: nobody who is not shown money finds any on the cards of child runs.
func TestChildHidesMoney(t *testing.T) {
	t.Parallel()
	p := foldTree()
	p.TokensOnly = true
	for _, e := range treeScript().events {
		for _, f := range p.Apply(e) {
			if strings.Contains(f.HTML, "$0.0") {
				t.Fatalf("%s: %s", e.Type(), f.HTML)
			}
		}
	}
}
