package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// crosses is an alert about a budget of which 80% is used.
func (s *site) crosses(who agent.BudgetWho, of, name string) agent.Alert {
	s.t.Helper()
	a := agent.NewBudgetAlert(agent.BudgetStatus{
		Budget: agent.Budget{ID: "b-" + name, Who: who, Span: agent.SpanMonth, LimitMicros: 10_000_000}, Of: of, UsedMicros: 8_010_000,
	}, agent.BudgetWarnAt, name, s.clock.Now())
	s.ok(s.db.RaiseAlert(s.t.Context(), a))
	return a
}

// TestAlertsInTheBell: of each the newest are in the bell of whom they are for,
// until they have seen the page that lists them.
func TestAlertsInTheBell(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, bob := s.user("admin@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
	for _, name := range []string{"red", "green", "blue", "<b>", "grey", "newest"} {
		s.crosses(agent.WhoGroup, name, name)
		s.clock.Advance(time.Second)
	}
	s.crosses(agent.WhoUser, bob.ID, "bob@example.org")
	a, b := s.as(admin), s.as(bob)
	a.get("/settings/usage").check(t, want{
		status: http.StatusOK, has: []string{"alerts: 6 new", "the group newest", "the group &lt;b&gt;", "1 more new alert"},
		hasNot: []string{"the group red", "bob@example.org for"},
	})
	b.get("/settings/usage").check(t, want{status: http.StatusOK, has: []string{"alerts: 1 new", "the budget of bob@example.org for this month"}, hasNot: []string{"the group"}})
	page := a.get("/alerts")
	page.check(t, want{status: http.StatusOK, has: []string{"the group red", `href="/admin/budgets"`, "unread:", "Approvals: none unread\""}, hasNot: []string{"6 new", "bob@example.org for"}})
	if strings.Index(page.body, "the group newest") > strings.Index(page.body, "the group red") {
		t.Error("the newest does not come first")
	}
	a.get("/alerts").check(t, want{status: http.StatusOK, has: []string{"the group red"}, hasNot: []string{"unread:"}})
	b.get("/alerts").check(t, want{status: http.StatusOK, has: []string{"$8.01 of $10.00", "unread:", `href="/settings/usage"`}, hasNot: []string{"the group"}})
	s.as(s.user("eve@example.org", agent.RoleReviewer)).get("/alerts").check(t, want{
		status: http.StatusOK, has: []string{"No alerts"}, hasNot: []string{"the group", "bob@example.org"},
	})
}

// TestAlertsByProgram: the same list, which stays unseen; page by page.
func TestAlertsByProgram(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.user("admin@example.org", agent.RoleAdmin)
	s.crosses(agent.WhoGroup, "red", "red")
	s.clock.Advance(time.Second)
	s.crosses(agent.WhoGroup, "blue", "blue")
	b := s.as(admin)
	for range 2 {
		b.get("/api/v1/alerts?limit=1").check(t, want{
			status: http.StatusOK, has: []string{`"kind":"budget.warning"`, `the group blue`, `"seen":false`, `"path":"/admin/budgets"`, `"nextCursor"`}, hasNot: []string{"the group red", "userId"},
		})
	}
	b.get("/api/v1/alerts?cursor=x").check(t, want{status: http.StatusBadRequest, has: []string{"cursor"}})
	b.get("/alerts")
	b.get("/api/v1/alerts").check(t, want{status: http.StatusOK, has: []string{`"seen":true`, "the group red"}, hasNot: []string{`"seen":false`}})
}

// TestAlertsArriveInOpenPages: the bell of a page that is open counts a new
// alert, says so, and counts it no more once it was seen elsewhere.
func TestAlertsArriveInOpenPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("admin@example.org", agent.RoleAdmin))
	inbox := s.socket(b, "/ws/inbox?format=html")
	s.awaits(inbox, "Approvals: none unread")
	s.crosses(agent.WhoGroup, "red", "red")
	if got := s.awaits(inbox, "alerts: 1 new"); !strings.Contains(got, `data-path=\"/alerts\"`) || !strings.Contains(got, "the group red") {
		t.Errorf("a new alert: %s", got)
	}
	b.get("/alerts")
	if got := s.awaits(inbox, `aria-label=\"Approvals: none unread\"`); strings.Contains(got, "data-path") {
		t.Errorf("seen elsewhere: %s", got)
	}
}
