package web_test

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
)

// TestInboxLeadsOn: from a card that was decided on its page to the next by risk, which
// says what was decided, and with the last one to the inbox.
func TestInboxLeadsOn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, bob := s.user("rita@example.org", agent.RoleReviewer), s.user("bob@example.org", agent.RoleUser)
	low := s.paused(bob, "one", writeCard(agent.RiskMedium, "notes.md"))
	high := s.paused(bob, "two", shellCard(agent.RiskHigh, "make"))
	b := s.as(rita)
	list := b.get("/approvals")
	list.check(t, want{status: http.StatusOK, has: []string{"risk-high", "risk-medium", `value="approve:` + low.ID + `:1:`}, hasNot: []string{`value="approve:` + high.ID}})
	if strings.Index(list.body, `id="inbox-`+high.ID) > strings.Index(list.body, `id="inbox-`+low.ID) {
		t.Error("the medium risk stands before the high one")
	}
	b.get("/approvals/"+high.ID).check(t, want{status: http.StatusOK, has: []string{`href="/approvals/` + low.ID + `" rel="next" data-go="n"`, `name="advance" value="true"`}})
	b.post("/approvals/"+high.ID+"/decision", form("decision", "reject", "comment", "no", "advance", "true")).check(t, want{
		status: http.StatusSeeOther, location: "/approvals/" + low.ID,
	})
	b.get("/approvals/"+low.ID).check(t, want{status: http.StatusOK, has: []string{"data-say", "Denied by rita@example.org", `href="/approvals/` + high.ID + `"`, "Back to it"}})
	b.get("/approvals/"+low.ID).check(t, want{status: http.StatusOK, hasNot: []string{"data-say"}})
	b.post("/approvals/"+low.ID+"/decision", form("decision", "approve", "advance", "true")).check(t, want{status: http.StatusSeeOther, location: "/approvals"})
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{"data-say", "Approved by rita@example.org", "all caught up"}})
}

// TestRowIsDecided with its own button, alone of all that wait. A row of high risk is not,
// whatever is sent.
func TestRowIsDecided(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, bob := s.user("rita@example.org", agent.RoleReviewer), s.user("bob@example.org", agent.RoleUser)
	low := s.paused(bob, "one", writeCard(agent.RiskMedium, "notes.md"))
	high := s.paused(bob, "two", shellCard(agent.RiskHigh, "make"))
	b := s.as(rita)
	b.get("/approvals")
	b.post("/approvals/bulk", form("one", "approve:"+high.ID+":1:"+high.ArgsHash, "back", "")).check(t, want{status: http.StatusSeeOther, location: "/approvals"})
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{"0 of 1 decided"}})
	b.post("/approvals/bulk", form("one", "approve:"+low.ID+":1:other", "back", "")).check(t, want{status: http.StatusSeeOther, location: "/approvals"})
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{"0 of 1 decided"}})
	b.post("/approvals/bulk", form("one", "approve:"+low.ID+":1:"+low.ArgsHash, "back", "kind=tool")).check(t, want{status: http.StatusSeeOther, location: "/approvals?kind=tool"})
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{"1 of 1 decided", `id="inbox-` + high.ID}, hasNot: []string{`id="inbox-` + low.ID}})
}
