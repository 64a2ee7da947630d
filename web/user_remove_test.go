package web_test

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/web"
)

// removedFiles notes of which conversations files were removed.
type removedFiles struct {
	oneTool
	ids *[]string
}

func (f removedFiles) RemoveFiles(id string) error {
	*f.ids = append(*f.ids, id)
	return nil
}

// TestRemoveUser: an admin removes a person with everything that is theirs; what others
// need of them stays, under another name.
func TestRemoveUser(t *testing.T) {
	t.Parallel()
	var files []string
	s := newSite(t, func(o *web.Options) { o.Files = removedFiles{ids: &files} })
	ana, bob := s.user("ana@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
	run := s.finished(bob, "secret apples")
	admin, gone, token, api := s.as(ana), s.as(bob), s.client(bob), s.client(ana)
	path := "/ws/conversations/" + run.ConversationID
	readers := []live{s.watch(path, gone.credentials()), s.watch(path, token.credentials()), s.follow(run.ConversationID, token.credentials())}
	s.ok(s.db.AddBudget(t.Context(), ana.Viewer(), agent.Budget{ID: s.newID(), Who: agent.WhoUser, Subject: bob.ID, Span: agent.SpanDay, LimitTokens: 1e6, AtLimit: agent.LimitStop}))
	link := admin.resetFor(bob)
	gone.post("/settings/memory/facts", form("text", "Bob is left-handed"))

	page := "/admin/users/" + bob.ID + "/remove"
	admin.get("/admin/users").check(t, want{status: http.StatusOK, has: []string{page}, hasNot: []string{"/admin/users/" + ana.ID + "/remove"}})
	admin.get(page).check(t, want{status: http.StatusOK, has: []string{
		"Remove bob@example.org?", "1 conversation", "1 run", "1 API token", "1 budget", "1 fact", "removed user " + bob.ID[len(bob.ID)-6:], "cannot be undone",
	}})
	admin.post(page, form("csrf_token", "forged")).check(t, want{status: http.StatusForbidden})
	admin.post(page, nil).check(t, want{status: http.StatusSeeOther, location: "/admin/users"})
	for _, l := range readers {
		l.ends(t, "reader")
	}
	admin.get("/admin/users").check(t, want{status: http.StatusOK, has: []string{"bob@example.org was removed."}, hasNot: []string{page}})
	gone.get("/settings/account").check(t, want{status: http.StatusSeeOther, location: "/login?next=%2Fsettings%2Faccount"})
	token.call(http.MethodGet, "/api/v1/models", "").check(t, want{status: http.StatusUnauthorized})
	s.browser().get(link).check(t, want{status: http.StatusNotFound})
	for _, dead := range []string{"/api/v1/conversations/" + run.ConversationID, "/api/v1/runs/" + run.ID} {
		api.call(http.MethodGet, dead, "").check(t, want{status: http.StatusNotFound})
	}
	if len(files) != 1 || files[0] != run.ConversationID {
		t.Errorf("files removed of %v", files)
	}

	name := agent.RemovedUser(bob.ID)
	spent := api.call(http.MethodGet, "/api/v1/spend?group=user", "")
	spent.check(t, want{status: http.StatusOK, has: []string{name, `"runs":1`}, hasNot: []string{bob.Email}})
	api.call(http.MethodGet, "/api/v1/ledger", "").check(t, want{status: http.StatusOK, has: []string{name}, hasNot: []string{bob.Email}})
	admin.get("/admin/spend").check(t, want{status: http.StatusOK, has: []string{name}, hasNot: []string{bob.Email}})
	admin.get("/admin/budgets").check(t, want{status: http.StatusOK, hasNot: []string{bob.Email}})
	row := s.auditOf("user.remove")
	if row.Actor != ana.Email || row.Target != bob.ID || !strings.Contains(row.Detail, `"conversations":1,"runs":1,"tokens":1,"budgets":1,"facts":1`) || strings.Contains(row.Detail, bob.Email) {
		t.Errorf("audit: %+v", row)
	}
	if _, err := s.db.CheckAudit(t.Context(), 1000); err != nil {
		t.Error(err)
	}
	// The address is free again, and the new account has nothing of the old one.
	again := s.as(s.user("bob@example.org", agent.RoleUser))
	again.get("/").check(t, want{status: http.StatusOK, hasNot: []string{"apples"}})
}

// TestRemoveUserIsRefused while a run is active, for oneself, and for the last admin.
func TestRemoveUserIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
	s.paused(bob, "waits", shellCard(agent.RiskHigh, "ls"))
	c, admin := s.client(ana), s.as(ana)
	for id, says := range map[string]string{bob.ID: "running or waiting", ana.ID: "your own account"} {
		c.call(http.MethodDelete, "/api/v1/users/"+id, "").check(t, want{status: http.StatusConflict, has: []string{says}})
		admin.get("/admin/users/"+id+"/remove").check(t, want{status: http.StatusOK, hasNot: []string{"and all of this"}})
		admin.post("/admin/users/"+id+"/remove", nil).check(t, want{status: http.StatusConflict})
	}
	if u, err := s.db.UserByID(t.Context(), bob.ID); err != nil || u.Disabled {
		t.Errorf("a refusal changes the account: %+v %v", u, err)
	}
	c.call(http.MethodDelete, "/api/v1/users/nobody", "").check(t, want{status: http.StatusNotFound})
	cleo := s.user("cleo@example.org", agent.RoleUser)
	c.call(http.MethodDelete, "/api/v1/users/"+cleo.ID, "").check(t, want{status: http.StatusNoContent})
}
