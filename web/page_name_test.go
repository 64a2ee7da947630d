package web_test

import (
	"fmt"
	"net/http"
	"net/url"
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
	for _, bad := range []string{"rex@example.com", "rex＠example.com", "rex﹫example.com", "a\x00b", strings.Repeat("x", 61), "in\u202evisible"} {
		b.post("/settings/name", form("name", bad)).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`id="name-error"`, "is not a name"}})
	}
	b.post("/settings/name", form("name", "Ａｎａ ﬁona")).check(t, want{status: http.StatusSeeOther, location: "/settings/account"})
	b.get("/settings/account").check(t, want{status: http.StatusOK, has: []string{">Ana fiona</span>"}})
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

// TestFindUsers: an admin finds one of many accounts by address, name, or group.
func TestFindUsers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.user("ada@example.com", agent.RoleAdmin)
	for i := range 60 {
		s.user(fmt.Sprintf("person%d@example.com", i), agent.RoleUser)
	}
	rita := s.user("rita@example.com", agent.RoleReviewer)
	s.ok(s.db.SetName(t.Context(), rita.ID, "Žofie 100%"))
	b := s.as(ada)
	b.get("/admin/users").check(t, want{status: http.StatusOK, has: []string{`name="find"`, "person7@example.com"}, hasNot: []string{"rita@example.com"}})
	for _, search := range []string{"RITA", "žofie", "100%25"} {
		b.get("/admin/users?find="+search).check(t, want{status: http.StatusOK, has: []string{"rita@example.com"}, hasNot: []string{"person7@example.com"}})
		if got := s.client(ada).call("GET", "/api/v1/users?search="+search, ""); got.status != http.StatusOK || strings.Count(got.body, `"email"`) != 1 {
			t.Errorf("%s: %d %s", search, got.status, got.body)
		}
	}
	b.get("/admin/users?find=person").check(t, want{status: http.StatusOK, has: []string{"&amp;find=person"}})
	b.get("/admin/users?find=elephant").check(t, want{status: http.StatusOK, has: []string{"No address, name, or group has “elephant”"}})
	if got := s.client(ada).call("GET", "/api/v1/users?search="+strings.Repeat("x", 201), ""); got.status != http.StatusBadRequest {
		t.Errorf("a long search: %d %s", got.status, got.body)
	}
}

// TestLookAlikesAreTold: admins read on the page of accounts, when they make one, and among
// their alerts whose address or name looks like another's; nobody else is told.
func TestLookAlikesAreTold(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, ana := s.user("ada@example.com", agent.RoleAdmin), s.user("ana@example.com", agent.RoleUser)
	bill, eve := s.user("bill@example.com", agent.RoleUser), s.user("eve@example.com", agent.RoleReviewer)
	admin := s.as(ada)
	admin.get("/admin/users").check(t, want{status: http.StatusOK, hasNot: []string{"Looks like"}})
	s.as(bill).post("/settings/name", form("name", "Bill Morgan")).check(t, want{status: http.StatusSeeOther, location: "/settings/account"})
	for name, told := range map[string]bool{"Віll Моrgаn": true, "BiIl Morgan": true, "bill MORGAN": true, "Ｂｉｌｌ　Ｍｏｒｇａｎ": true, "Bi11 Morgan": true, "Will Morgan": false} {
		s.as(eve).post("/settings/name", form("name", name)).check(t, want{status: http.StatusSeeOther, location: "/settings/account"})
		page := admin.get("/admin/users")
		if got := strings.Contains(page.body, "Looks like bill@example.com") && strings.Contains(page.body, "Looks like eve@example.com"); got != told {
			t.Errorf("%s: told %t", name, got)
		}
	}
	alerts := s.client(ada).call("GET", "/api/v1/alerts", "").body
	if strings.Count(alerts, `"account.lookalike"`) != 5 || !strings.Contains(alerts, "The account Віll Моrgаn (eve@example.com) looks like bill@example.com.") {
		t.Errorf("alerts: %s", alerts)
	}
	admin.get("/alerts").check(t, want{status: http.StatusOK, has: []string{"look-alike", "looks like bill@example.com."}})
	s.as(eve).get("/alerts").check(t, want{status: http.StatusOK, hasNot: []string{"looks like"}})

	account := func(email string) url.Values {
		return url.Values{"email": {email}, "password": {goodPassword}, "role": {"user"}}
	}
	admin.post("/admin/users", account("аna@example.com")).check(t, want{status: http.StatusSeeOther, location: "/admin/users"})
	admin.get("/admin/users").check(t, want{status: http.StatusOK, has: []string{"аna@example.com can sign in now. It looks like ana@example.com.", "Looks like " + ana.Email}})
	admin.post("/admin/users", account("ｔｏｍ＠example.com")).check(t, want{status: http.StatusSeeOther, location: "/admin/users"})
	admin.get("/admin/users").check(t, want{status: http.StatusOK, has: []string{"tom@example.com can sign in now.</"}})
	admin.post("/admin/users", account("tom＠example.com@example.org")).check(t, want{status: http.StatusUnprocessableEntity})

	s.ok(s.db.SetLanguage(t.Context(), ada.ID, "zh"))
	admin.get("/admin/users").check(t, want{status: http.StatusOK, has: []string{"与 ana@example.com 相似"}})
	admin.get("/alerts").check(t, want{status: http.StatusOK, has: []string{"相似账号", "账号 Віll Моrgаn (eve@example.com) 与 bill@example.com 相似。"}})
}
