package web_test

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
)

// TestNames: people are shown by the name they give themselves, to others always with
// their address, which nobody can take for a name.
func TestNames(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, rex, ada := s.user("ana@example.com", agent.RoleUser), s.user("rex@example.com", agent.RoleReviewer), s.user("ada@example.com", agent.RoleAdmin)
	card := s.paused(ana, "a", shellCard(agent.RiskHigh, "ls"))
	b, reviewer, admin := s.as(ana), s.as(rex), s.as(ada)

	b.get("/settings/account").check(t, want{status: http.StatusOK, has: []string{`action="/settings/name"`, ">ana@example.com</span>"}})
	for _, bad := range []string{"rex@example.com", "a\x00b", strings.Repeat("x", 61), "in\u202evisible"} {
		b.post("/settings/name", form("name", bad)).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`id="name-error"`, "is not a name"}})
	}
	b.post("/settings/name", form("name", "  Ana <b>  María ")).check(t, want{status: http.StatusSeeOther, location: "/settings/account"})
	b.get("/settings/account").check(t, want{status: http.StatusOK, has: []string{">Ana &lt;b&gt; María</span>", "Others see your name"}})
	const called = "Ana &lt;b&gt; María (ana@example.com)"
	reviewer.get("/approvals").check(t, want{status: http.StatusOK, has: []string{called}})
	reviewer.get("/approvals/"+card.ID).check(t, want{status: http.StatusOK, has: []string{called}})
	admin.get("/c/"+card.ConversationID).check(t, want{status: http.StatusOK, has: []string{called}})
	admin.get("/admin/users").check(t, want{status: http.StatusOK, has: []string{"Ana &lt;b&gt; María"}})
	for path, part := range map[string]string{"/api/v1/users": `"name":"Ana \u003cb\u003e María"`, "/api/v1/approvals/" + card.ID: `"ownerName":"Ana \u003cb\u003e María"`} {
		if got := s.client(ada).call("GET", path, ""); got.status != http.StatusOK || !strings.Contains(got.body, part) {
			t.Errorf("%s: %d %s, want %s", path, got.status, got.body, part)
		}
	}

	b.post("/settings/name", form("name", " ")).check(t, want{status: http.StatusSeeOther, location: "/settings/account"})
	b.get("/settings/account").check(t, want{status: http.StatusOK, has: []string{">ana@example.com</span>"}, hasNot: []string{"María"}})
}
