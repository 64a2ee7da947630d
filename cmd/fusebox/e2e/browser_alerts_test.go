package e2e

import (
	"testing"
	"time"

	"fusebox/agent"
)

// TestBrowserAlerts: the bell of an open page counts a new alert; a click on it
// leads to the list, and it is new no more.
func TestBrowserAlerts(t *testing.T) {
	needsBrowser(t)
	h := &instance{program: startProgram(t, t.TempDir(), withAdmin()...)}
	db := h.open(t)
	b := newBrowser(t, h.url)
	troubles := b.watch()
	b.open("/login?next=/alerts")
	b.do("sign in", typing("#email", adminEmail), typing("#password", adminPassword+"\r"))
	b.sees(".empty h2", "No alerts")
	b.shoot("alerts-empty")
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	month := agent.BudgetStatus{
		Budget:   agent.Budget{ID: "b1", Who: agent.WhoEverybody, Span: agent.SpanMonth, LimitMicros: 10_000_000, AtLimit: agent.LimitPause},
		StartsAt: start, UsedMicros: 10_000_000,
	}
	group := agent.BudgetStatus{
		Budget: agent.Budget{ID: "b2", Who: agent.WhoGroup, Span: agent.SpanDay, LimitTokens: 2_000_000, AtLimit: agent.LimitCheaper, Model: "demo-small"},
		Of:     "research", StartsAt: start, UsedTokens: 1_640_000,
	}
	for _, a := range []agent.Alert{
		agent.NewBudgetAlert(group, agent.BudgetWarnAt, "research", time.Now()),
		agent.SpendSpikeAlert(time.Now().Truncate(time.Hour), 12_400_000, 1_100_000, 5, time.Now()),
		agent.NewBudgetAlert(month, agent.BudgetReachedAt, "", time.Now().Add(time.Millisecond)),
	} {
		if err := db.RaiseAlert(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	h.admin().ask("test approval")
	b.do("be told in the bell", until(`document.querySelector("#bell-side .bell-count")?.textContent === "4"`))
	b.do("open it", click("#bell-side summary"), visible("#bell-side .bell-alert"))
	b.shoot("alerts-bell")
	b.wide()
	b.do("look at the newest", click("#bell-side .bell-alert"), until(`document.querySelectorAll(".alert-list .is-unread").length === 3`))
	b.sees(".alert-list li:target", "The budget of everybody for this month is used up: $10.00 of $10.00.")
	b.sees("#bell-side .bell-count", "1")
	b.shoot("alerts")
	b.wide()
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}
