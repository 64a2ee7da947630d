package agent_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

var alertAt = time.Date(2026, 11, 21, 14, 5, 0, 0, time.UTC)

func instanceBudget() agent.BudgetStatus {
	return agent.BudgetStatus{
		Budget:   agent.Budget{ID: "b1", Who: agent.WhoEverybody, Span: agent.SpanMonth, LimitMicros: 10_000_000, AtLimit: agent.LimitPause},
		StartsAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), EndsAt: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), UsedMicros: 8_010_000,
	}
}

// TestBudgetAlertInWords: how much of what is used, in the unit of the fuller
// limit, and what follows.
func TestBudgetAlertInWords(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		set   func(*agent.BudgetStatus)
		level int64
		who   string
		want  string
	}{
		{"everybody", func(*agent.BudgetStatus) {}, 80, "", "80% of the budget of everybody for this month is used: $8.01 of $10.00."},
		{"one call from less to more", func(s *agent.BudgetStatus) { s.UsedMicros = 9_600_000 }, 80, "everybody", "96% of the budget of everybody for this month is used: $9.60 of $10.00."},
		{"at its limit", func(s *agent.BudgetStatus) { s.UsedMicros = 10_000_000 }, 100, "everybody", "The budget of everybody for this month is used up: $10.00 of $10.00. Runs that need more wait for a decision."},
		{"stops", func(s *agent.BudgetStatus) { s.UsedMicros, s.AtLimit = 10_000_000, agent.LimitStop }, 100, "everybody", "The budget of everybody for this month is used up: $10.00 of $10.00. Runs that need more are stopped."},
		{"soft", func(s *agent.BudgetStatus) { s.UsedMicros, s.Soft = 12_000_000, true }, 100, "everybody", "The budget of everybody for this month is used up: $12.00 of $10.00. Nothing is blocked."},
		{"cheaper", func(s *agent.BudgetStatus) { s.AtLimit, s.Model = agent.LimitCheaper, "small" }, 80, "everybody", "80% of the budget of everybody for this month is used: $8.01 of $10.00. small answers from now on."},
		{"group by the day", func(s *agent.BudgetStatus) { s.Who, s.Span = agent.WhoGroup, agent.SpanDay }, 80, "research", "80% of the budget of the group research for today is used: $8.01 of $10.00."},
		{"tokens are fuller", func(s *agent.BudgetStatus) {
			s.Who, s.Span, s.LimitTokens, s.UsedTokens = agent.WhoUser, agent.SpanWeek, 200_000, 190_500
		}, 80, "ana@example.org", "95% of the budget of ana@example.org for this week is used: 190.5k of 200k tokens."},
		{"raised", func(s *agent.BudgetStatus) { s.RaisedMicros, s.UsedMicros = 5_000_000, 12_000_000 }, 80, "everybody", "80% of the budget of everybody for this month is used: $12.00 of $15.00."},
		{"a run's own", func(s *agent.BudgetStatus) {
			s.Budget = agent.Budget{Who: agent.WhoRun, Span: agent.SpanRun, LimitTokens: 1000}
			s.UsedTokens, s.UsedMicros = 1000, 0
		}, 100, "", "The budget of the run is used up: 1k of 1k tokens."},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := instanceBudget()
			row.set(&s)
			if got := agent.NewBudgetAlert(s, row.level, row.who, alertAt).Message; got != row.want {
				t.Errorf("%s\nwant %s", got, row.want)
			}
		})
	}
}

// TestAlertsAreTheirOwn: the same crossing is the same alert however much is
// used by then, and nothing else is.
func TestAlertsAreTheirOwn(t *testing.T) {
	t.Parallel()
	first := agent.NewBudgetAlert(instanceBudget(), 80, "everybody", alertAt)
	later := instanceBudget()
	later.UsedMicros, later.RaisedMicros = 9_000_000, 1_000_000
	if again := agent.NewBudgetAlert(later, 80, "all", alertAt.Add(time.Hour)); again.ID != first.ID {
		t.Error("the same crossing is told twice")
	}
	ids := map[string]bool{first.ID: true, agent.NewBudgetAlert(instanceBudget(), 100, "everybody", alertAt).ID: true}
	for _, change := range []func(*agent.BudgetStatus){
		func(s *agent.BudgetStatus) { s.ID = "b2" },
		func(s *agent.BudgetStatus) { s.Of = "u" },
		func(s *agent.BudgetStatus) { s.StartsAt = s.EndsAt },
		func(s *agent.BudgetStatus) { s.ID, s.Who = "", agent.WhoConversation },
	} {
		s := instanceBudget()
		change(&s)
		ids[agent.NewBudgetAlert(s, 80, "everybody", alertAt).ID] = true
	}
	if len(ids) != 6 {
		t.Errorf("%d ids for 6 crossings", len(ids))
	}
}

// TestAlertPayload is what a webhook is told, as it is documented.
func TestAlertPayload(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		alert agent.Alert
		want  string
	}{
		{agent.NewBudgetAlert(instanceBudget(), 80, "everybody", alertAt), `{
			"event":"budget.warning","at":"2026-11-21T14:05:00Z","message":"80% of the budget of everybody for this month is used: $8.01 of $10.00.",
			"path":"/admin/budgets","budgetId":"b1","scope":"everybody_month","subjectName":"everybody",
			"usedMicros":8010000,"limitMicros":10000000,"resetsAt":"2026-12-01T00:00:00Z"}`},
		{agent.SpendSpikeAlert(alertAt.Truncate(time.Hour), 12_400_000, 1_100_000, 5, alertAt), `{
			"event":"spend.surge","at":"2026-11-21T14:05:00Z","message":"$12.40 was spent in the hour from 21 Nov 14:00 UTC, 11.3 times the usual $1.10.",
			"path":"/admin/spend","hour":"2026-11-21T14:00:00Z","micros":12400000,"medianMicros":1100000,"factor":5}`},
	} {
		var got, want map[string]any
		if err := json.Unmarshal(row.alert.Notification(agent.ToAdmins).Payload, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(row.want), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("payload (-want +got):\n%s", diff)
		}
	}
}
