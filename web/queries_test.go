package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// TestQueriesNarrow: each parameter leaves out what it should, and nothing else.
func TestQueriesNarrow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.user("admin@example.org", agent.RoleAdmin)
	ana := s.user("ana@example.org", agent.RoleUser)
	run := s.finished(ana, "apples")
	s.finished(admin, "bears")
	shell := s.paused(ana, "shell card", shellCard(agent.RiskHigh, "ls"))
	loop := s.paused(ana, "loop card", loopCard())
	c := s.client(admin)
	day := func(days int) string { return s.clock.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	for path, w := range map[string]want{
		"/api/v1/approvals?kind=loop":                                 {has: []string{loop.ID}, hasNot: []string{shell.ID}},
		"/api/v1/approvals?risk=high":                                 {has: []string{shell.ID}, hasNot: []string{loop.ID}},
		"/api/v1/approvals?runId=" + shell.RunID:                      {has: []string{shell.ID}, hasNot: []string{loop.ID}},
		"/api/v1/audit?from=" + day(1):                                {hasNot: []string{`"seq"`}},
		"/api/v1/audit?to=" + day(-1):                                 {hasNot: []string{`"seq"`}},
		"/api/v1/audit?text=nobody-wrote-this":                        {hasNot: []string{`"seq"`}},
		"/api/v1/ledger?run=" + run.ID:                                {has: []string{run.ID}, hasNot: []string{loop.RunID}},
		"/api/v1/notifications?state=dead":                            {has: []string{`"items":[]`}},
		"/api/v1/prices?model=unheard-of":                             {has: []string{`"items":[]`}},
		"/api/v1/spend?group=user&from=" + day(-2) + "&to=" + day(-1): {hasNot: []string{"@example.org"}},
		"/api/v1/spend?group=user&mine=true":                          {has: []string{"admin@example.org"}, hasNot: []string{"ana@"}},
		"/api/v1/spend?tz=Pacific/Kiritimati":                         {has: []string{s.clock.Now().Add(14 * time.Hour).UTC().Format(time.DateOnly)}},
		"/api/v1/conversations?search=" + strings.ToUpper("ears"):     {has: []string{"bears"}, hasNot: []string{"apples"}},
	} {
		if w.status == 0 {
			w.status = http.StatusOK
		}
		c.call(http.MethodGet, path, "").check(t, w)
	}
}

// TestListsComeInPages: one item a page gives every item once.
func TestListsComeInPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.user("admin@example.org", agent.RoleAdmin)
	s.user("ana@example.org", agent.RoleUser)
	s.paused(admin, "a", shellCard(agent.RiskHigh, "ls"))
	s.paused(admin, "b", shellCard(agent.RiskHigh, "ls"))
	s.crosses(agent.WhoGroup, "red", "red")
	s.clock.Advance(time.Second)
	s.crosses(agent.WhoGroup, "blue", "blue")
	c := s.client(admin)
	for _, body := range []string{`{"action":"ask","tool":"a"}`, `{"action":"deny","tool":"b"}`} {
		c.call(http.MethodPost, "/api/v1/policy/rules", body).check(t, want{status: http.StatusCreated})
	}
	for _, path := range []string{
		"/api/v1/alerts", "/api/v1/approvals", "/api/v1/conversations", "/api/v1/ledger", "/api/v1/policy/rules", "/api/v1/users",
	} {
		type page struct {
			Items      []struct{ ID, Seq any }
			NextCursor string
		}
		seen := map[any]bool{}
		for cursor := ""; len(seen) == 0 || cursor != ""; {
			p := decoded[page](t, c.call(http.MethodGet, path+"?limit=1"+cursor, ""), http.StatusOK)
			if len(p.Items) != 1 || seen[p.Items[0]] {
				t.Errorf("%s: %v after %d items", path, p.Items, len(seen))
				break
			}
			seen[p.Items[0]] = true
			if cursor = ""; p.NextCursor != "" {
				cursor = "&cursor=" + p.NextCursor
			}
		}
		if len(seen) < 2 {
			t.Errorf("%s: %d items", path, len(seen))
		}
	}
}
