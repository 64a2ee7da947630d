package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"fusebox/agent"
	"fusebox/agent/loop"
	"fusebox/agent/service"
)

// awaits reads a socket until a message has a text, and returns that message.
func (s *site) awaits(ws *websocket.Conn, text string) string {
	s.t.Helper()
	for range 50 {
		if got := s.fragments(ws); strings.Contains(got, text) {
			return got
		}
	}
	s.t.Fatalf("no message has %q", text)
	return ""
}

// TestTwoReviewers hold the same inbox open: what one does the other sees, with
// a name, in the place where the row stood.
func TestTwoReviewers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, rex := s.user("rita@example.org", agent.RoleReviewer), s.user("rex@example.org", agent.RoleReviewer)
	bob := s.user("bob@example.org", agent.RoleUser)
	first := s.paused(bob, "first", shellCard(agent.RiskHigh, "rm one"))
	twice := shellCard(agent.RiskCritical, "rm two")
	twice.Needs = 2
	second := s.paused(bob, "second", twice)
	b := s.as(rita)
	inbox := s.socket(s.as(rex), "/ws/inbox?format=html&rows="+first.ID+","+second.ID)
	s.awaits(inbox, "inbox-"+first.ID)

	b.get("/approvals/" + first.ID)
	if got := s.awaits(inbox, "rita@example.org is looking"); !strings.Contains(got, `"replace","target":"inbox-`+first.ID) {
		t.Errorf("a look: %s", got)
	}
	s.clock.Advance(31 * time.Second)
	b.post("/approvals/"+second.ID+"/look", url.Values{"opened": {"true"}}).check(t, want{status: http.StatusNoContent})
	if got := s.awaits(inbox, "inbox-"+first.ID); strings.Count(got, "is looking") != 2 || !strings.Contains(got, "inbox-"+second.ID) {
		t.Errorf("she still looks at the first one: %s", got)
	}
	looks, err := s.db.Presences(t.Context(), []string{second.ID}, time.Time{})
	s.ok(err)
	if len(looks) != 1 || !looks[0].Opened {
		t.Errorf("opening the arguments is not kept: %+v", looks)
	}
	b.post("/approvals/"+second.ID+"/decision", form("decision", "approve"))
	if got := s.awaits(inbox, "1 of 2 approvals, by rita@example.org"); strings.Contains(got, `"append"`) || strings.Contains(got, "is-settled") {
		t.Errorf("a vote: %s", got)
	}
	b.post("/approvals/"+first.ID+"/decision", form("decision", "approve"))
	got := s.awaits(inbox, "Approved by rita@example.org")
	if !strings.Contains(got, `"replace","target":"inbox-`+first.ID) || !strings.Contains(got, "is-settled") || !strings.Contains(got, `data-pending=\"1\"`) {
		t.Errorf("a decision: %s", got)
	}
}

// TestInboxCatchesUp: what happened between the page and its socket, or while
// it was cut, is put right: settled rows, and rows that are missing.
func TestInboxCatchesUp(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, bob := s.user("rita@example.org", agent.RoleReviewer), s.user("bob@example.org", agent.RoleUser)
	shown := s.paused(bob, "shown", shellCard(agent.RiskHigh, "rm one"))
	b := s.as(rita)
	b.post("/approvals/"+shown.ID+"/decision", form("decision", "reject"))
	missing := s.paused(bob, "missing", shellCard(agent.RiskHigh, "rm two"))
	whole := s.fragments(s.socket(b, "/ws/inbox?format=html&whole=true&rows="+shown.ID))
	if !strings.Contains(whole, "Denied by rita@example.org") || !strings.Contains(whole, `{"op":"append","target":"inbox","html":`) || !strings.Contains(whole, missing.ID) {
		t.Errorf("the whole list: %s", whole)
	}
	part := s.fragments(s.socket(b, "/ws/inbox?format=html&rows="+shown.ID))
	if strings.Contains(part, `"append"`) || strings.Contains(part, `"target":"inbox-`+missing.ID) {
		t.Errorf("a part of the list gets what is not in it: %s", part)
	}
}

// TestReminderReachesTheInbox: a reminder arrives like what people do, and makes
// nothing look new.
func TestReminderReachesTheInbox(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, bob := s.user("rita@example.org", agent.RoleReviewer), s.user("bob@example.org", agent.RoleUser)
	a := shellCard(agent.RiskHigh, "rm one")
	a.DueAt = s.clock.Now().Add(18 * time.Hour)
	a = s.paused(bob, "first", a)
	s.clock.Advance(19 * time.Hour)
	inbox := s.socket(s.as(rita), "/ws/inbox?format=html&whole=true")
	s.awaits(inbox, a.ID)
	approvals := &service.Approvals{Store: s.db, Runner: &loop.Runner{Clock: s.clock}, Clock: s.clock, NewID: s.newID}
	s.ok(approvals.Tick(t.Context()))
	if got := s.awaits(inbox, "reminded"); !strings.Contains(got, "is-late") || strings.Contains(got, "A new approval") {
		t.Errorf("a reminder: %s", got)
	}
}

// TestLookingIsForDeciders: people who may not decide claim nothing, and a stranger
// does not even learn that there is something.
func TestLookingIsForDeciders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob, eve := s.user("bob@example.org", agent.RoleUser), s.user("eve@example.org", agent.RoleUser)
	a := s.paused(bob, "x", shellCard(agent.RiskHigh, "rm one"))
	s.as(bob).post("/approvals/"+a.ID+"/look", nil).check(t, want{status: http.StatusForbidden})
	s.as(eve).post("/approvals/"+a.ID+"/look", nil).check(t, want{status: http.StatusNotFound})
	looks, err := s.db.Presences(t.Context(), []string{a.ID}, time.Time{})
	s.ok(err)
	if len(looks) != 0 {
		t.Errorf("looks: %+v", looks)
	}
}

// TestLookingOnItsPage: the approval's own page says who else has it open.
func TestLookingOnItsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, rex := s.user("rita@example.org", agent.RoleReviewer), s.user("rex@example.org", agent.RoleReviewer)
	a := s.paused(s.user("bob@example.org", agent.RoleUser), "x", shellCard(agent.RiskHigh, "rm one"))
	b := s.as(rex)
	page := b.get("/approvals/" + a.ID)
	page.check(t, want{status: http.StatusOK, has: []string{"approval=" + a.ID, "js/inbox.js", `id="keys"`}})
	open := s.socket(b, "/ws/inbox?format=html&approval="+a.ID)
	s.awaits(open, `"target":"looking"`)
	s.as(rita).get("/approvals/" + a.ID)
	s.awaits(open, "rita@example.org is looking")
	if got := s.fragments(s.socket(s.as(rita), "/ws/inbox?format=html&approval="+a.ID)); strings.Contains(got, "rita@example.org is looking") {
		t.Errorf("she is told of herself: %s", got)
	}
}

// TestTenAtOnce: ten people decide the same approvals at the same moment. Each
// is decided once, and every open inbox says by whom.
func TestTenAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob := s.user("bob@example.org", agent.RoleUser)
	var cards []agent.Approval
	for i := range 5 {
		cards = append(cards, s.paused(bob, fmt.Sprint("x", i), writeCard(agent.RiskMedium, fmt.Sprintf("f%d.md", i))))
	}
	var items []string
	rows := make([]string, len(cards))
	for i, a := range cards {
		rows[i] = a.ID
		items = append(items, fmt.Sprintf(`{"id":%q,"generation":1,"argsHash":%q}`, a.ID, a.ArgsHash))
	}
	body := `{"decision":"approve","items":[` + strings.Join(items, ",") + `]}`
	var clients []client
	var inboxes []*websocket.Conn
	for i := range 10 {
		u := s.user(fmt.Sprintf("r%d@example.org", i), agent.RoleReviewer)
		clients = append(clients, s.client(u))
		ws := s.socket(s.as(u), "/ws/inbox?format=html&rows="+strings.Join(rows, ","))
		s.awaits(ws, "pending-count")
		inboxes = append(inboxes, ws)
	}
	answers := make(chan string, len(clients))
	for _, c := range clients {
		go func() { answers <- c.call("POST", "/api/v1/approvals/bulk", body).body }()
	}
	done := 0
	for range clients {
		done += strings.Count(<-answers, `"ok":true`)
	}
	if done != len(cards) {
		t.Errorf("%d decisions were taken, want %d", done, len(cards))
	}
	for i, a := range cards {
		stands, err := s.db.Approval(t.Context(), agent.Viewer{Role: agent.RoleAdmin}, a.ID)
		s.ok(err)
		cards[i] = *stands
	}
	for _, ws := range inboxes {
		told := ""
		for _, a := range cards {
			for !strings.Contains(told, `"target":"inbox-`+a.ID) || !strings.Contains(told, "Approved by "+a.DecidedBy) {
				told += s.fragments(ws) // fails where nothing comes any more
			}
		}
	}
}
