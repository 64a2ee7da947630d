package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"fusebox/agent"
)

// TestInboxIsWhatOneCanDecide: an approval is the viewer's to decide exactly where their
// decision is taken. All else waits for others.
func TestInboxIsWhatOneCanDecide(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob, rita := s.user("bob@example.org", agent.RoleUser), s.user("rita@example.org", agent.RoleReviewer)
	viewers := []agent.User{bob, rita, s.user("rex@example.org", agent.RoleReviewer), s.user("ada@example.org", agent.RoleAdmin)}
	critical := shellCard(agent.RiskCritical, "rm -rf /srv")
	critical.Needs = 2
	for _, tc := range []struct {
		name   string
		card   agent.Approval
		before string // what Rita has done with it
		decide string
		mine   string
	}{
		{"a question", questionCard(`{"question":"Which colour?"}`), "", `"decision":"answer","answer":"1"`, "bob"},
		{"medium risk", writeCard(agent.RiskMedium, "notes.md"), "", `"decision":"approve"`, "bob rita rex ada"},
		{"high risk", shellCard(agent.RiskHigh, "make"), "", `"decision":"approve"`, "rita rex ada"},
		{"critical risk", critical, "", `"decision":"approve"`, "rita rex ada"},
		{"approved by Rita, who is not enough", critical, `"decision":"approve"`, `"decision":"approve"`, "rex ada"},
		{"edited by Rita", shellCard(agent.RiskHigh, "make"), `"decision":"edit","args":{"command":"make all"}`, `"decision":"approve"`, "rex ada"},
		{"a loop", loopCard(), "", `"decision":"resume"`, "bob rita rex ada"},
		{"a run's budget", budgetCard(), "", `"decision":"resume","raiseTokensBy":5000`, "rita rex ada"},
		{"an admin's budget", sharedCard(""), "", `"decision":"resume","raiseMicrosBy":1000000`, "ada"},
	} {
		var mine, taken []string
		for _, u := range viewers {
			id := s.paused(bob, tc.name, tc.card).ID
			decide := func(u agent.User, decision string) int {
				a, err := s.db.Approval(t.Context(), u.Viewer(), id)
				s.ok(err)
				return s.client(u).call("POST", "/api/v1/approvals/"+id+"/decision", fmt.Sprintf(`{%s,"generation":%d,"argsHash":%q}`, decision, a.Generation, a.ArgsHash)).status
			}
			if tc.before != "" {
				if got := decide(rita, tc.before); got != http.StatusOK {
					t.Fatalf("%s: %d", tc.name, got)
				}
			}
			name, _, _ := strings.Cut(u.Email, "@")
			entries, err := s.db.InboxEntries(t.Context(), u.Viewer(), []string{id})
			s.ok(err)
			if entries[0].Mine {
				mine = append(mine, name)
			}
			if decide(u, tc.decide) != http.StatusForbidden {
				taken = append(taken, name)
			}
		}
		if strings.Join(mine, " ") != tc.mine || strings.Join(taken, " ") != tc.mine {
			t.Errorf("%s is for %v, and taken from %v; want %s", tc.name, mine, taken, tc.mine)
		}
	}
}

// TestReviewerReachesZero: what others have to decide is neither counted nor walked through;
// it stands under its own heading, with whom it waits for.
func TestReviewerReachesZero(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, bob := s.user("rita@example.org", agent.RoleReviewer), s.user("bob@example.org", agent.RoleUser)
	s.user("rex@example.org", agent.RoleReviewer)
	question := s.paused(bob, "colours", questionCard(`{"question":"Which colour?"}`))
	budget := s.paused(bob, "spending", sharedCard(""))
	twice := shellCard(agent.RiskCritical, "rm -rf /srv")
	twice.Needs = 2
	critical := s.paused(bob, "cleaning", twice)
	high := s.paused(bob, "building", shellCard(agent.RiskHigh, "make"))
	b := s.as(rita)
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{
		`data-pending="2"`, "Approvals: 2 unread", "Waiting for others", "Waiting for bob@example.org", "Which colour?", "Waiting for an admin",
	}})
	b.get("/approvals/"+high.ID).check(t, want{status: http.StatusOK, has: []string{"Next (1 left)", `href="/approvals/` + critical.ID + `" rel="next"`}})
	b.get("/approvals/"+question.ID).check(t, want{status: http.StatusOK, has: []string{"Next (2 left)", `href="/approvals/` + critical.ID + `" rel="next"`}})
	open := s.socket(b, "/ws/inbox?format=html&whole=true&rows="+critical.ID+","+high.ID+"&others="+question.ID+","+budget.ID)
	if got := s.awaits(open, `data-pending=\"2\"`); strings.Contains(got, `"append"`) {
		t.Errorf("rows that are where they belong move: %s", got)
	}
	asked := s.paused(bob, "more colours", questionCard(`{"question":"Which colour?"}`))
	if got := s.awaits(open, asked.ID); !strings.Contains(got, `"append","target":"inbox-others"`) || !strings.Contains(got, `data-pending=\"2\"`) || strings.Contains(got, "live-inbox") {
		t.Errorf("a question to somebody else: %s", got)
	}
	b.post("/approvals/"+critical.ID+"/decision", form("decision", "approve", "advance", "true")).check(t, want{status: http.StatusSeeOther, location: "/approvals/" + high.ID})
	moved := s.awaits(open, "1 of 2 approvals, by rita@example.org")
	if !strings.Contains(moved, `"remove","target":"inbox-`+critical.ID+`","html":""},{"op":"append","target":"inbox-others"`) {
		t.Errorf("what she has approved stays where it was: %s", moved)
	}
	late := s.socket(b, "/ws/inbox?format=html&whole=true&rows="+critical.ID+","+high.ID)
	if got := s.awaits(late, "inbox-"+critical.ID); !strings.Contains(got, `"remove","target":"inbox-`+critical.ID+`"`) {
		t.Errorf("a page from before shows what she has approved where it was: %s", got)
	}
	b.post("/approvals/"+high.ID+"/decision", form("decision", "reject", "advance", "true")).check(t, want{status: http.StatusSeeOther, location: "/approvals"})
	b.get("/approvals").check(t, want{
		status: http.StatusOK, has: []string{`data-pending="0"`, "You’re all caught up", "Waiting for another reviewer", "inbox-" + critical.ID, "inbox-" + budget.ID},
		hasNot: []string{`rel="next"`},
	})
	b.get("/approvals?waits=others").check(t, want{status: http.StatusOK, has: []string{
		"<h1>Waiting for others</h1>", "Waiting for others · Approvals", `name="waits" value="others"`, "inbox-" + question.ID,
	}, hasNot: []string{"inbox-empty"}})
	b.get("/approvals?waits=others&status=decided").check(t, want{status: http.StatusOK, has: []string{"inbox-" + high.ID}, hasNot: []string{"<h1>Waiting for others</h1>", `name="waits"`}})
	for n := range 51 {
		s.paused(bob, fmt.Sprint("colours ", n), questionCard(`{"question":"Which colour?"}`))
	}
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{"Show everything waiting for others", `id="inbox"`}, hasNot: []string{`id="inbox-others"`}})
}

// TestEqualWishesFold into one row, and one line of the bell. Those of high risk are opened one
// by one; the others can be decided together.
func TestEqualWishesFold(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, bob, ana := s.user("rita@example.org", agent.RoleReviewer), s.user("bob@example.org", agent.RoleUser), s.user("ana@example.org", agent.RoleUser)
	items := url.Values{"decision": {"approve"}, "back": {""}}
	for n := range 3 {
		items.Add("item", s.pickOf(s.paused(bob, fmt.Sprint("notes ", n), writeCard(agent.RiskMedium, "notes.md")).ID))
		s.paused(bob, fmt.Sprint("building ", n), shellCard(agent.RiskHigh, "make"))
	}
	other := s.paused(ana, "ana's notes", writeCard(agent.RiskMedium, "notes.md"))
	b := s.as(rita)
	page := b.get("/approvals")
	page.check(t, want{status: http.StatusOK, has: []string{"Run a command — make", "Write notes.md", "inbox-" + other.ID}})
	if groups, boxes, rows := strings.Count(page.body, "data-group>"), strings.Count(page.body, "data-pick-group"), strings.Count(page.body, `class="inbox-row`); groups != 2 || boxes != 1 || rows != 7 {
		t.Errorf("%d groups, %d with a box, of %d rows", groups, boxes, rows)
	}
	_, bell, _ := strings.Cut(page.body, `id="bell-side"`)
	bell, _, _ = strings.Cut(bell, "</details>")
	if strings.Count(bell, "<li>") != 3 || strings.Count(bell, "× 3") != 2 {
		t.Errorf("the bell: %s", bell)
	}
	b.post("/approvals/bulk", items).check(t, want{status: http.StatusSeeOther, location: "/approvals"})
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{"3 of 3 decided", `data-pending="4"`}})
}
