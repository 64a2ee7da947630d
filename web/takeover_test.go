package web_test

import (
	"net/http"
	"testing"

	"fusebox/agent"
)

// TestTakeoverOfARun: its owner and admins end a run with a text of their own, on its page
// and over the API, once. What is refused comes back as it was typed.
func TestTakeoverOfARun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, rita := s.user("ana@example.com", agent.RoleAdmin), s.user("rita@example.com", agent.RoleReviewer)
	bob := s.user("bob@example.com", agent.RoleUser)
	card := s.paused(bob, "cleaning", shellCard(agent.RiskHigh, "ls"))
	b, page := s.as(bob), "/runs/"+card.RunID+"/takeover"
	for _, path := range []string{"/runs/" + card.RunID, "/c/" + card.ConversationID} {
		b.get(path).check(t, want{status: http.StatusOK, has: []string{`href="` + page + `"`}})
	}
	b.get(page).check(t, want{status: http.StatusOK, has: []string{"please do cleaning", `name="answer"`}})
	b.post(page, form("answer", " ")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"Write the answer first."}})
	s.as(rita).get(page).check(t, want{status: http.StatusSeeOther, location: "/runs/" + card.RunID})
	s.as(rita).post(page, form("answer", "x")).check(t, want{status: http.StatusForbidden})
	b.post(page, form("answer", "It is <done>.")).check(t, want{status: http.StatusSeeOther, location: "/c/" + card.ConversationID})
	run, err := s.db.Run(t.Context(), bob.Viewer(), card.RunID)
	s.ok(err)
	if run.Status != agent.StatusQueued || run.AbortBy != bob.Email || run.Takeover != "It is <done>." {
		t.Errorf("%+v", run)
	}
	b.post(page, form("answer", "Once <more>.")).check(t, want{status: http.StatusConflict, has: []string{"Once &lt;more&gt;.</textarea>", "somebody has stopped it"}})

	other := s.paused(bob, "other", shellCard(agent.RiskHigh, "ls"))
	call := "/api/v1/runs/" + other.RunID + "/takeover"
	s.client(ana).call(http.MethodPost, call, `{"answer":"By an admin."}`).check(t, want{status: http.StatusAccepted})
	s.client(bob).call(http.MethodPost, call, `{"answer":"Too late."}`).check(t, want{status: http.StatusConflict})
	done := s.finished(bob, "done")
	b.get("/runs/"+done.ID+"/takeover").check(t, want{status: http.StatusSeeOther, location: "/runs/" + done.ID})
}
