package web_test

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
)

func TestSpendPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	b := s.as(ana)
	b.get("/admin/spend").check(t, want{status: http.StatusOK, has: []string{"Nothing was spent in these days", "start a chat"}, hasNot: []string{"chart-plot"}})

	s.finished(ana, "numbers")
	s.finished(bob, "=cmd|weather")
	b.get("/admin/spend").check(t, want{status: http.StatusOK, has: []string{
		"$0.01", "8k", "2k of them cached", "Cost per day", "chart-plot", "<desc", "Show as a table", "ana@example.com", "bob@example.com", "demo",
		`aria-current="true">Month to date`, "/admin/spend.csv?",
	}})
	b.get("/admin/spend?measure=tokens").check(t, want{status: http.StatusOK, has: []string{"Tokens per day", "9k in total"}})
	b.get("/admin/spend?from=2020-01-01&to=2020-12-31").check(t, want{status: http.StatusOK, has: []string{"Nothing was spent", `value="2020-01-01"`}})
	b.get("/admin/spend?from=nonsense&to=2020-01-31&tz=Mars").check(t, want{
		status: http.StatusUnprocessableEntity, has: []string{`id="tz-error"`, `value="nonsense"`, `value="Mars"`},
	})
	got := b.get("/admin/spend.csv?group=user")
	got.check(t, want{status: http.StatusOK, has: []string{"key,runs,inputTokens", "ana@example.com,1,4000,1000,500,5000", "bob@example.com,1,4000,1000,500,5000"}})
	if kind := got.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/csv") {
		t.Errorf("the file is %s", kind)
	}
	b.get("/admin/spend.csv?group=nothing").check(t, want{status: http.StatusBadRequest})
	s.as(bob).get("/admin/spend.csv").check(t, want{status: http.StatusForbidden, hasNot: []string{"ana@"}})
}
