package web_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
	"fusebox/web"
)

// verdict is what a door must answer to somebody.
type verdict string

const (
	pass    verdict = "pass"
	signIn  verdict = "sign in"   // 401, or for a page the way to the login
	denied  verdict = "forbidden" // 403
	unknown verdict = "not found" // 404: they must not even learn that it exists
)

// people are those who try every door. All things belong to owner; demoted was
// an admin when they signed in.
var people = []string{"anonymous", "owner", "other", "reviewer", "demoted", "admin"}

// entitled says what a door of the table must answer: made of the door's own
// row, so that a new route is tested by being in the table.
func entitled(d web.Door, who string) verdict {
	if d.Access == "public" {
		return pass
	}
	if who == "anonymous" || d.Access == "programs" { // all come with a browser's session
		return signIn
	}
	adminsOnly := slices.Contains([]string{"admins", "local admins", "scrapers"}, d.Access) // who asks for metrics from elsewhere, that is
	if adminsOnly && who != "admin" || d.Access == "reviewers" && who != "admin" && who != "reviewer" {
		return denied
	}
	reads := d.Method == http.MethodGet
	switch d.Owns {
	case "conversation", "message":
		return map[string]verdict{"owner": pass, "admin": only(reads)}[who].or(unknown)
	case "run":
		return map[string]verdict{"owner": pass, "admin": pass, "reviewer": only(reads)}[who].or(unknown)
	case "own run":
		return map[string]verdict{"owner": pass, "admin": denied, "reviewer": denied}[who].or(unknown)
	case "approval": // of high risk: its owner may look at it
		return map[string]verdict{"owner": only(reads), "admin": pass, "reviewer": pass}[who].or(unknown)
	case "own approval":
		return map[string]verdict{"owner": pass, "admin": pass, "reviewer": pass}[who].or(unknown)
	case "policy rule": // of an approval: its owner has no say in it
		return map[string]verdict{"reviewer": pass, "admin": pass}[who].or(denied)
	case "token", "fact", "document", "passage", "collection", "import":
		return map[string]verdict{"owner": pass}[who].or(unknown)
	}
	return pass
}

func only(reads bool) verdict {
	if reads {
		return pass
	}
	return denied
}

func (v verdict) or(w verdict) verdict {
	if v == "" {
		return w
	}
	return v
}

// TestAccess tries every door of the route table as everybody.
func TestAccess(t *testing.T) {
	t.Parallel()
	for _, who := range people {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.user("first@example.org", agent.RoleAdmin)
			owner := s.user("owner@example.org", agent.RoleUser)
			b := s.someone(who, owner)
			// What is only looked at, or kept from them, stays as it is for the next door.
			card := s.secretCard(owner)
			for _, d := range web.Doors() {
				if d.Path == "/logout" || d.Path == "/settings/sign-out" && who != "anonymous" {
					continue // they end the session: the one is tried last, the other has a test of its own
				}
				s.try(b, d, who, owner, card)
				if d.Method != http.MethodGet && entitled(d, who) == pass {
					card = s.secretCard(owner)
				}
			}
			s.try(b, web.Door{Method: http.MethodPost, Path: "/logout", Access: "public"}, who, owner, card)
		})
	}
}

// secretCard asks about a call of a run that nobody but its owner and the staff may see.
func (s *site) secretCard(owner agent.User) agent.Approval {
	s.t.Helper()
	return s.paused(owner, "secret title", shellCard(agent.RiskHigh, "ls secret"))
}

// someone is a browser of one of the people.
func (s *site) someone(who string, owner agent.User) *browser {
	s.t.Helper()
	switch who {
	case "anonymous":
		b := s.browser()
		b.get("/login")
		return b
	case "owner":
		return s.as(owner)
	case "demoted":
		u := s.user("demoted@example.org", agent.RoleAdmin)
		b := s.as(u)
		s.ok(s.db.PatchUser(s.t.Context(), u.ID, agent.UserPatch{Role: new(agent.RoleUser), Disabled: new(false)}))
		return b
	}
	roles := map[string]agent.Role{"other": agent.RoleUser, "reviewer": agent.RoleReviewer, "admin": agent.RoleAdmin}
	return s.as(s.user(who+"@example.org", roles[who]))
}

// ownBell is what waits for the viewer themselves, in the frame around every page.
var ownBell = regexp.MustCompile(`(?s)<div class="bell".*?</details>`)

// try knocks at one door, behind which lies a thing that was made for it.
func (s *site) try(b *browser, d web.Door, who string, owner agent.User, card agent.Approval) {
	s.t.Helper()
	ids := map[string]string{"conversation": card.ConversationID, "run": card.RunID, "own run": card.RunID, "approval": card.ID, "own approval": card.ID, "user": owner.ID}
	if d.Owns == "token" {
		ids["token"] = s.newID()
		s.ok(s.db.CreateToken(s.t.Context(), agent.Token{ID: ids["token"], UserID: owner.ID, Name: "x", Scopes: agent.AllTokenScopes(), CreatedAt: s.clock.Now()}, []byte(ids["token"])))
	}
	if d.Owns == "fact" {
		ids["fact"] = s.newID()
		_, err := s.db.AddFact(s.t.Context(), agent.Fact{ID: ids["fact"], UserID: owner.ID, Text: "secret " + ids["fact"]})
		s.ok(err)
	}
	if d.Owns == "document" {
		ids["document"] = s.newID()
		file, err := s.shelf.Receive(strings.NewReader("secret " + ids["document"]))
		s.ok(err)
		_, err = s.db.AddDocument(s.t.Context(), agent.Document{
			ID: ids["document"], AddedBy: owner.ID, Name: "secret " + ids["document"], File: file.File, Hash: file.Hash, State: agent.DocumentReading, AddedAt: s.clock.Now(),
		})
		s.ok(err)
		s.ok(s.shelf.Keep(file))
	}
	if d.Owns == "collection" {
		ids["collection"] = s.newID()
		s.ok(s.db.CreateCollection(s.t.Context(), agent.Collection{ID: ids["collection"], OwnerID: owner.ID, Name: "secret " + ids["collection"], Visibility: agent.VisiblePrivate, Access: agent.RightRead}))
	}
	if d.Owns == "import" {
		ids["import"] = s.newID()
		s.ok(s.db.AddImport(s.t.Context(), agent.Import{ID: ids["import"], UserID: owner.ID, CollectionID: owner.ID, Name: "secret", State: agent.ImportDone, CreatedAt: s.clock.Now()}))
	}
	if d.Owns == "passage" {
		ids["passage"] = s.passage(owner, "secret words")
	}
	if d.Owns == "rule" {
		ids["rule"] = s.newID()
		s.ok(s.db.SaveRule(s.t.Context(), agent.GuardRule{ID: ids["rule"], ToolRule: agent.ToolRule{Tool: "secret", Polling: true}, Actor: "x", At: s.clock.Now()}))
	}
	if d.Owns == "reset link" {
		ids["reset link"] = s.newID()
		s.ok(s.db.CreateReset(s.t.Context(), owner.ID, service.TokenHash(ids["reset link"]), s.clock.Now().Add(time.Hour)))
	}
	if d.Owns == "delivery" {
		var err error
		ids["delivery"], err = s.db.PostTest(s.t.Context(), "secret@example.org", agent.ChannelEmail)
		s.ok(err)
	}
	if d.Owns == "budget" {
		ids["budget"] = s.newID()
		s.ok(s.db.AddBudget(s.t.Context(), agent.Viewer{Email: "x"}, agent.Budget{
			ID: ids["budget"], Who: agent.WhoGroup, Subject: "secret " + ids["budget"], Span: agent.SpanDay, LimitTokens: 1, AtLimit: agent.LimitStop,
		}))
	}
	if d.Owns == "policy rule" {
		ids["policy rule"] = s.newID()
		s.ok(s.db.AddPolicyRule(s.t.Context(), agent.Viewer{Email: "x"}, agent.PolicyRule{
			ID: ids["policy rule"], Tool: "secret", Action: agent.ActionAsk, Source: agent.RuleFromApproval, ApprovalID: card.ID,
		}))
	}
	if strings.Contains(d.Path, "/endpoints/:name") {
		err := s.db.AddConnection(s.t.Context(), agent.Viewer{Email: "x"}, agent.Connection{Name: "generic_repeat", BaseURL: "http://127.0.0.1:1/secret"})
		if agent.CodeOf(err) != agent.Conflict { // it is there from the door before
			s.ok(err)
		}
	}
	if strings.Contains(d.Path, "/agents/:name") {
		_, err := s.db.CreateAgent(s.t.Context(), agent.Viewer{Email: "x"}, agent.Agent{Name: "generic_repeat", Purpose: "secret", Instructions: "secret"})
		if agent.CodeOf(err) != agent.Conflict { // it is there from the door before
			s.ok(err)
		}
	}
	events, err := s.db.Events(s.t.Context(), card.ConversationID, 0, 1)
	s.ok(err)
	said := events[0].Data.(agent.MessageEvent).Message
	ids["message"] = said.ID
	if strings.Contains(d.Path, "/workflows/:name") {
		_, err := s.db.CreateWorkflow(s.t.Context(), agent.Viewer{Email: "x"}, agent.Workflow{
			Name: "generic_repeat", Purpose: "secret", Kind: agent.FlowSequence, Steps: []agent.WorkflowStep{{Agent: "scout", Task: "secret"}},
		})
		if agent.CodeOf(err) != agent.Conflict { // it is there from the door before
			s.ok(err)
		}
	}
	queued := ""
	if strings.Contains(d.Path, "/:queued") {
		queued = s.queued(card.ConversationID, owner, "secret")
	}
	id, known := ids[d.Owns]
	if strings.Contains(d.Path, ":id") && !known {
		s.t.Errorf("%s %s: the table does not say whose :id is", d.Method, d.Path)
		return
	}
	path := strings.NewReplacer(":id", id, ":message", said.ID, ":run", card.RunID, ":queued", queued, ":key", "guard.warning", ":name", "generic_repeat", ":profile", "goroutine", "/files/*", "/files/x", "*", "x/css/fusebox.css").Replace(d.Path)
	if strings.HasSuffix(path, "/events") {
		path += "?follow=false"
	}
	if strings.HasSuffix(path, "/output") {
		path += "?call=long"
	}
	req, err := http.NewRequestWithContext(s.t.Context(), d.Method, s.url+path, strings.NewReader("{}"))
	s.ok(err)
	req.Header.Set("Origin", s.url)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Content-Type", "application/json")
	if d.Access == "scrapers" {
		req.Header.Set("X-Forwarded-For", "203.0.113.7")
	}
	if d.Method == http.MethodPost && !strings.HasPrefix(path, "/api/") {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Body = http.NoBody
	}
	got := b.do(req)
	if w, g := entitled(d, who), judge(d, got); w != g {
		s.t.Errorf("%s %s for %s: %s (%d), want %s", d.Method, d.Path, who, g, got.status, w)
	} else if g != pass && who != "owner" && strings.Contains(ownBell.ReplaceAllString(got.body, ""), "secret") {
		s.t.Errorf("%s %s for %s: the refusal gives away what it hides\n%s", d.Method, d.Path, who, got.body)
	}
	for _, h := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"} {
		if got.header.Get(h) == "" {
			s.t.Errorf("%s %s: no %s", d.Method, d.Path, h)
		}
	}
}

// judge reads an answer. The way to the login is also where a logout ends, and
// the setup of a site that is set up.
func judge(d web.Door, a answer) verdict {
	toLogin := strings.HasPrefix(a.header.Get("Location"), "/login") && d.Access != "public"
	switch {
	case a.status == http.StatusUnauthorized, toLogin && d.Path != "/logout":
		return signIn
	case a.status == http.StatusForbidden:
		return denied
	case a.status == http.StatusNotFound:
		return unknown
	}
	return pass
}

// TestEveryRouteIsInTheTable: what the router answers and what the table says are the same.
func TestEveryRouteIsInTheTable(t *testing.T) {
	t.Parallel()
	table := map[string]bool{}
	for _, d := range web.Doors() {
		table[d.Method+" "+d.Path] = true
	}
	server := web.New(web.Options{Options: service.Options{Clock: agenttest.NewClock(), Approvals: &service.Approvals{}, Messages: &service.Messages{}}})
	defer server.Close()
	for _, d := range server.Registered() {
		if !table[d.Method+" "+d.Path] && (d.Method != http.MethodHead || !table["GET "+d.Path]) {
			t.Errorf("%s %s is answered but not in the table", d.Method, d.Path)
		}
	}
}
