package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"fusebox/agent"
)

// TestGroups: one group a person, set on the page and by programs, kept with
// the rest of the account and in the audit log.
func TestGroups(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.user("ada@example.org", agent.RoleAdmin)
	ben := s.user("ben@example.org", agent.RoleUser)
	b := s.as(admin)
	b.get("/admin/users")
	path := "/admin/users/" + ben.ID
	b.post(path, form("role", "user", "group", "  Research ")).check(t, want{status: http.StatusSeeOther, location: "/admin/users"})
	b.get("/admin/users").check(t, want{status: 200, has: []string{`value="Research"`, "ben@example.org is now in the group Research", `<option value="Research">`}})
	b.post(path, form("role", "reviewer")).check(t, want{status: http.StatusSeeOther, location: "/admin/users"}) // a form without the field
	b.post(path, form("role", "reviewer", "group", "a\tb")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"printable characters"}})

	api := s.client(admin)
	got := decoded[agent.User](t, api.call("PATCH", "/api/v1/users/"+ben.ID, `{"group":"Sales"}`), 200)
	if got.Group != "Sales" || got.Role != agent.RoleReviewer {
		t.Errorf("patched into %+v", got)
	}
	api.call("PATCH", "/api/v1/users/"+ben.ID, `{"group":"`+strings.Repeat("x", 61)+`"}`).check(t, want{status: 422, has: []string{`"field":"group"`}})
	api.call("PATCH", "/api/v1/users/"+admin.ID, `{"disabled":true}`).check(t, want{status: 409})
	rows, _, err := s.db.AuditRows(t.Context(), agent.AuditFilter{Action: "user.update", Target: ben.ID}, agent.Page{})
	s.ok(err)
	if len(rows) != 3 || !strings.Contains(rows[0].Detail, `"group":"Research"`) || !strings.Contains(rows[0].Detail, `"group":"Sales"`) {
		t.Errorf("audited as %+v", rows)
	}
	b.post("/admin/users", form("email", "eve@example.org", "password", goodPassword, "role", "user", "group", "Sales")).check(t, want{status: http.StatusSeeOther, location: "/admin/users"})
	eve, _, err := s.db.UserByEmail(t.Context(), "eve@example.org")
	s.ok(err)
	if eve.Group != "Sales" {
		t.Errorf("made %+v", eve)
	}
}

// TestUsersAreReadFirst: the list of accounts says what they are; what changes them is beside it.
func TestUsersAreReadFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, ben := s.user("ada@example.org", agent.RoleAdmin), s.user("ben@example.org", agent.RoleReviewer)
	b := s.as(admin)
	b.get("/admin/users")
	b.post("/admin/users/"+ben.ID, form("group", "Research"))
	page := b.get("/admin/users").body
	_, list, _ := strings.Cut(page, "<table")
	list, panels, _ := strings.Cut(list, "</table>")
	if strings.Contains(list, "<select") || strings.Contains(list, "<form") || !strings.Contains(list, "<td>Reviewer</td>") || !strings.Contains(list, "<td>Research</td>") {
		t.Errorf("the list is\n%s", list)
	}
	for _, u := range []agent.User{admin, ben} {
		if !strings.Contains(list, `popovertarget="edit-`+u.ID+`"`) || !strings.Contains(panels, `id="edit-`+u.ID+`" popover`) {
			t.Errorf("%s cannot be edited", u.Email)
		}
	}
	b.post("/admin/users", form("email", "eve@example.org", "role", "user")).check(t, want{status: http.StatusCreated, has: []string{"data-copy-before"}})
}

// TestOldPageOfUsersGivesNothingBack: who sets a group on a page that was opened
// before another admin took rights away does not give them back.
func TestOldPageOfUsersGivesNothingBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("ada@example.org", agent.RoleAdmin))
	ben := s.user("ben@example.org", agent.RoleAdmin)
	_, row, _ := strings.Cut(b.get("/admin/users").body, `id="user-`+ben.ID)
	row, _, _ = strings.Cut(row, "</form>")
	sent := form("role", "admin", "group", "Research") // as it stands there, and a group
	for _, hidden := range regexp.MustCompile(`type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(row, -1) {
		sent.Set(hidden[1], hidden[2])
	}
	role, disabled := agent.RoleUser, true
	s.ok(s.db.PatchUser(t.Context(), ben.ID, agent.UserPatch{Role: &role, Disabled: &disabled}))
	b.post("/admin/users/"+ben.ID, sent).check(t, want{status: http.StatusSeeOther, location: "/admin/users"})
	after, err := s.db.UserByID(t.Context(), ben.ID)
	s.ok(err)
	if after.Role != agent.RoleUser || !after.Disabled || after.Group != "Research" {
		t.Errorf("is now %+v", after)
	}
	b.post("/admin/users/"+ben.ID, form("disabled", "false")).check(t, want{status: http.StatusSeeOther, location: "/admin/users"})
	if after, err = s.db.UserByID(t.Context(), ben.ID); err != nil || after.Disabled || after.Role != agent.RoleUser {
		t.Errorf("enabled: %+v, %v", after, err)
	}
}
