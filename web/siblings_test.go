package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// pausedFor is a run that waits for many decisions about one answer.
func (s *site) pausedFor(u agent.User, title string, n int) []agent.Approval {
	s.t.Helper()
	run := s.started(u, title)
	run.Status = agent.StatusPaused
	change := agent.Change{Run: run}
	var cards []agent.Approval
	var ids []string
	for i := range n {
		a := shellCard(agent.RiskHigh, fmt.Sprintf("rm %d", i))
		a.ID, a.RunID, a.ConversationID, a.Status, a.Generation = s.newID(), run.ID, run.ConversationID, agent.ApprovalPending, 1
		a.RequestedAt, a.ExpiresAt = s.clock.Now(), s.clock.Now().Add(24*time.Hour)
		cards, ids = append(cards, a), append(ids, a.ID)
		change.Approvals = append(change.Approvals, agent.ApprovalChange{Approval: a})
		change.Events = append(change.Events, agent.Event{Data: agent.ApprovalRequestedEvent{
			ApprovalID: a.ID, Kind: a.Kind, Risk: a.Risk, Message: a.Message, ArgsHash: a.ArgsHash, Generation: 1, Evidence: a.Evidence,
		}})
	}
	change.Events = append(change.Events, agent.Event{Data: agent.RunPaused{ApprovalIDs: ids}})
	s.append(run, change)
	return cards
}

// TestManyCardsOfOneAnswer are one row of the inbox, so that they do not hide what
// others wait for, and one card to page through. The API lists each of them.
func TestManyCardsOfOneAnswer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, bob := s.user("rita@example.org", agent.RoleReviewer), s.user("bob@example.org", agent.RoleUser)
	few := s.pausedFor(bob, "a few", agent.LooseCards)
	many := s.pausedFor(bob, "a flood", 200)
	after := s.paused(bob, "after it", shellCard(agent.RiskHigh, "ls"))
	b := s.as(rita)
	inbox := b.get("/approvals")
	if n := strings.Count(inbox.body, `class="inbox-row`); n != len(few)+1+1 {
		t.Errorf("%d rows", n)
	}
	inbox.check(t, want{status: http.StatusOK, has: []string{"200 approvals of one answer", "after it"}, hasNot: []string{"inbox-" + many[1].ID}})
	b.get("/approvals?status=pending&runId="+many[0].RunID).check(t, want{status: http.StatusOK, has: []string{"inbox-" + many[49].ID}})
	b.get("/approvals/"+many[2].ID).check(t, want{status: http.StatusOK, has: []string{
		"3 of 200", `href="/approvals/` + many[1].ID + `"`, `href="/approvals/` + many[3].ID + `"`, "runId=" + many[2].RunID,
	}})
	b.get("/approvals/"+after.ID).check(t, want{status: http.StatusOK, hasNot: []string{`class="pager"`}})
	if got := s.client(rita).call("GET", "/api/v1/approvals?status=pending&limit=200", ""); strings.Count(got.body, `"conversationId"`) != 200 {
		t.Errorf("the API lists %d of a page of 200", strings.Count(got.body, `"conversationId"`))
	}

	_, bell, _ := strings.Cut(inbox.body, `id="bell-side"`)
	bell, _, _ = strings.Cut(bell, "</details>")
	if n := strings.Count(bell, "<li>"); n != len(few)+1+1 || !strings.Contains(bell, "· 200 approvals of one answer") || strings.Contains(bell, "more)") {
		t.Errorf("%d lines in the bell: %s", n, bell)
	}

	open := s.socket(b, "/ws/inbox?format=html&whole=true&rows="+few[0].ID+","+many[0].ID+","+after.ID)
	s.awaits(open, "200 approvals of one answer")
	b.post("/approvals/"+many[0].ID+"/decision", form("decision", "reject"))
	got := s.awaits(open, "199 approvals of one answer")
	if !strings.Contains(got, `"append","target":"inbox","html":"<li class=\"inbox-row risk-high is-unread\" id=\"inbox-`+many[1].ID) {
		t.Errorf("the next one does not take its place: %.3000s", got)
	}
	if strings.Contains(got, "inbox-"+many[2].ID) {
		t.Error("the ones behind it come as well")
	}
	flood := s.pausedFor(bob, "another flood", 100)
	if got := s.awaits(open, "100 approvals of one answer"); strings.Contains(got, "inbox-"+flood[1].ID) || strings.Count(got, `class=\"live-said`) > 1 {
		t.Errorf("a flood comes as one row: %d bytes", len(got))
	}
	b.get("/approvals/"+many[0].ID).check(t, want{status: http.StatusOK, has: []string{"199 more of this answer"}})
}

// TestManyCardsOfTwoSides: those that one can decide are in sight when the first of their
// answer waits for others.
func TestManyCardsOfTwoSides(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, bob := s.user("rita@example.org", agent.RoleReviewer), s.user("bob@example.org", agent.RoleUser)
	s.user("rex@example.org", agent.RoleReviewer)
	few, many := s.pausedFor(bob, "six", agent.LooseCards+1), s.pausedFor(bob, "ten", 10)
	b := s.as(rita)
	for _, cards := range [][]agent.Approval{few, many} {
		first, err := s.db.Approval(t.Context(), rita.Viewer(), cards[0].ID)
		s.ok(err)
		to := *first
		to.Needs, to.Votes = 2, []agent.Vote{{By: rita.Email}}
		_, err = s.db.ChangeApproval(t.Context(), agent.ApprovalUpdate{To: to})
		s.ok(err)
	}
	page := b.get("/approvals")
	page.check(t, want{status: http.StatusOK, has: []string{
		`data-pending="14"`, "inbox-" + few[0].ID, "inbox-" + few[1].ID, "inbox-" + few[5].ID, "inbox-" + many[0].ID, "inbox-" + many[1].ID, "9 approvals of one answer",
	}, hasNot: []string{"inbox-" + many[2].ID}})
	_, bell, _ := strings.Cut(page.body, `id="bell-side"`)
	bell, _, _ = strings.Cut(bell, "</details>")
	if !strings.Contains(bell, "· 9 approvals of one answer") || strings.Contains(bell, "more)") || strings.Count(bell, "<li>") != 6 {
		t.Errorf("the bell: %s", bell)
	}
}
