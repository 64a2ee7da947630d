package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web"
)

// undoable gives each decision a minute in which it can be taken back, and
// hands out the service that decides.
func undoable(approvals **service.Approvals) func(*web.Options) {
	return func(o *web.Options) {
		o.Approvals.UndoWindow = time.Minute
		*approvals = o.Approvals
	}
}

func TestUndoAgainRevoke(t *testing.T) {
	t.Parallel()
	var approvals *service.Approvals
	s := newSite(t, undoable(&approvals))
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	a := s.paused(bob, "cleaning", shellCard(agent.RiskHigh, "rm -rf build"))
	path := "/approvals/" + a.ID
	admin, owner := s.as(ana), s.as(bob)
	admin.get(path)

	admin.post(path+"/undo", nil).check(t, want{status: http.StatusConflict, has: []string{"nothing to undo"}})
	admin.post(path+"/decision", form("decision", "approve", "scope", "conversation", "generation", "1")).check(t, want{status: http.StatusSeeOther, location: path})
	admin.get(path).check(t, want{status: http.StatusOK, has: []string{"Decision saved. You can undo it", "Time left to undo", `action="` + path + `/undo"`, "Covers this exact call in this conversation."}})
	owner.get(path).check(t, want{status: http.StatusOK, has: []string{"Time left to undo", path + "/revoke"}, hasNot: []string{path + "/undo"}})
	owner.post(path+"/undo", nil).check(t, want{status: http.StatusForbidden})
	admin.post(path+"/undo", nil).check(t, want{status: http.StatusSeeOther, location: path})
	admin.get(path).check(t, want{status: http.StatusOK, has: []string{"Decision reverted. The card is waiting again.", `name="generation" value="2"`}, hasNot: []string{path + "/undo"}})

	admin.post(path+"/decision", form("decision", "approve", "scope", "conversation", "generation", "2")).check(t, want{status: http.StatusSeeOther, location: path})
	s.clock.Advance(2 * time.Minute)
	admin.post(path+"/undo", nil).check(t, want{status: http.StatusConflict, has: []string{"nothing to undo"}, hasNot: []string{"Time left to undo"}})
	admin.get(path).check(t, want{status: http.StatusOK, hasNot: []string{path + "/undo", "Time left to undo"}})
	owner.post(path+"/revoke", nil).check(t, want{status: http.StatusSeeOther, location: path})
	owner.get(path).check(t, want{status: http.StatusOK, has: []string{"Revoked by bob@example.com"}, hasNot: []string{path + "/revoke"}})
	owner.get("/c/"+a.ConversationID).check(t, want{status: http.StatusOK, has: []string{"Revoked by bob@example.com", "later calls need approval"}})
	owner.post(path+"/revoke", nil).check(t, want{status: http.StatusConflict, has: []string{"nothing to revoke"}})

	old := s.paused(bob, "waiting", shellCard(agent.RiskHigh, "ls"))
	late := "/approvals/" + old.ID
	owner.post(late+"/again", nil).check(t, want{status: http.StatusConflict, has: []string{"has not expired"}})
	s.clock.Advance(25 * time.Hour)
	s.ok(approvals.Tick(t.Context()))
	admin.post(late+"/decision", form("decision", "approve", "comment", "kept text")).check(t, want{
		status: http.StatusConflict, has: []string{"expired before anyone decided. Ask again first.", `action="` + late + `/again"`},
	})
	owner.get("/c/"+old.ConversationID).check(t, want{status: http.StatusOK, has: []string{"Expired without a decision", "Ask again"}})
	owner.post(late+"/again", nil).check(t, want{status: http.StatusSeeOther, location: late})
	admin.get(late).check(t, want{status: http.StatusOK, has: []string{`value="approve"`, `name="generation" value="2"`}, hasNot: []string{"Expired"}})
}

func TestUndoAgainRevokeAPI(t *testing.T) {
	t.Parallel()
	var approvals *service.Approvals
	s := newSite(t, undoable(&approvals))
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	a := s.paused(bob, "cleaning", shellCard(agent.RiskHigh, "rm -rf build"))
	b := s.as(ana)
	path := "/api/v1/approvals/" + a.ID
	call := func(path, body string) answer {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
		s.ok(err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-CSRF-Token", b.csrf)
		return b.do(req)
	}
	call(path+"/undo", "").check(t, want{status: http.StatusConflict, has: []string{`"approval":{`, "nothing to undo"}})
	call(path+"/decision", `{"decision":"approve","scope":"run","generation":1,"argsHash":"hash-of-args"}`).check(t, want{status: http.StatusOK, has: []string{`"effectiveAt":"`}})
	call(path+"/undo", "").check(t, want{status: http.StatusOK, has: []string{`"status":"pending"`, `"generation":2`}})
	call(path+"/decision", `{"decision":"approve","scope":"run","generation":2,"argsHash":"hash-of-args"}`).check(t, want{status: http.StatusOK})
	call(path+"/again", "").check(t, want{status: http.StatusConflict, has: []string{"has not expired"}})
	call(path+"/revoke", "").check(t, want{status: http.StatusOK, has: []string{`"revokedBy":"ana@example.com"`}})
	call(path+"/revoke", "").check(t, want{status: http.StatusConflict})
	old := s.paused(bob, "waiting", shellCard(agent.RiskHigh, "ls"))
	s.clock.Advance(25 * time.Hour)
	s.ok(approvals.Tick(t.Context()))
	call("/api/v1/approvals/"+old.ID+"/decision", `{"decision":"approve"}`).check(t, want{status: http.StatusConflict, has: []string{"expired before anyone decided. Ask again first."}})
	call("/api/v1/approvals/"+old.ID+"/again", "").check(t, want{status: http.StatusOK, has: []string{`"status":"pending"`, `"generation":2`}})
}

// The page's script sends the same forms, and reads what went wrong.
func TestDecisionInPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	a := s.paused(ana, "cleaning", shellCard(agent.RiskHigh, "rm -rf build"))
	b := s.as(ana)
	send := func(form url.Values) answer {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/approvals/"+a.ID+"/decision", strings.NewReader(form.Encode()))
		s.ok(err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Accept", "application/problem+json")
		req.Header.Set("X-CSRF-Token", b.csrf)
		return b.do(req)
	}
	send(form("decision", "approve", "generation", "9")).check(t, want{status: http.StatusConflict, has: []string{`"detail":"The request has changed`}, hasNot: []string{"<html"}})
	send(form("decision", "approve", "scope", "conversation_pattern", "pattern", "{")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"reload the page"}})
	send(form("decision", "approve", "generation", "1")).check(t, want{status: http.StatusNoContent})
}

func TestCriticalNeedsTwo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, rita := s.user("ana@example.com", agent.RoleAdmin), s.user("rita@example.com", agent.RoleReviewer)
	bob := s.user("bob@example.com", agent.RoleUser)
	card := shellCard(agent.RiskCritical, "rm -rf /")
	card.Needs = 2
	a := s.paused(bob, "danger", card)
	path := "/approvals/" + a.ID
	first, second := s.as(ana), s.as(rita)
	first.get(path).check(t, want{status: http.StatusOK, has: []string{"0 of 2 approved.", `value="approve"`}, hasNot: []string{`name="scope"`, `name="days"`}})
	first.post(path+"/decision", form("decision", "approve", "scope", "conversation")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"only be approved with the scope once"}})
	first.post(path+"/decision", form("decision", "approve", "comment", "looks right")).check(t, want{status: http.StatusSeeOther, location: path})
	first.get(path).check(t, want{
		status: http.StatusOK, has: []string{"Your approval is recorded", "1 of 2 approved.", "ana@example.com", "looks right", "It needs another reviewer", `value="reject"`},
		hasNot: []string{`value="approve"`},
	})
	first.post(path+"/decision", form("decision", "approve")).check(t, want{status: http.StatusForbidden})
	second.get(path).check(t, want{status: http.StatusOK, has: []string{"1 of 2 approved.", `value="approve"`}})
	second.post(path+"/decision", form("decision", "approve")).check(t, want{status: http.StatusSeeOther, location: path})
	second.get(path).check(t, want{status: http.StatusOK, has: []string{"2 of 2 approved.", "by rita@example.com"}})
}

func TestEditInTheForm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, rita := s.user("ana@example.com", agent.RoleAdmin), s.user("rita@example.com", agent.RoleReviewer)
	card := shellCard(agent.RiskHigh, "rm -rf x")
	card.Args = json.RawMessage(`{"command":"rm -rf x","kept":true}`)
	a := s.paused(s.user("bob@example.com", agent.RoleUser), "cleaning", card)
	path := "/approvals/" + a.ID
	b := s.as(ana)
	b.get(path).check(t, want{status: http.StatusOK, has: []string{`name="arg/command" value="rm -rf x"`, `name="arg/wait"`, "At most 9 characters.", `name="args"`, `value="edit_form"`, `value="edit"`}})
	b.post(path+"/decision", form("decision", "edit_form", "arg/command", "ls <b>", "arg/wait", "soon")).check(t, want{
		status: http.StatusUnprocessableEntity, has: []string{`value="ls &lt;b&gt;"`, `value="soon"`, "is not a number: soon", `aria-invalid="true"`, "-edit\" data-edit data-draft open"},
	})
	b.post(path+"/decision", form("decision", "edit_form", "arg/command", "ls", "args", "{\r\n  \"command\": \"rm -rf x\",\r\n  \"kept\": true\r\n}", "generation", "7")).check(t, want{
		status: http.StatusConflict, hasNot: []string{`-raw" open`},
	})
	b.post(path+"/decision", form("decision", "edit_form", "arg/command", "ls", "arg/wait", "5", "args", "ignored")).check(t, want{status: http.StatusSeeOther, location: path})
	got, err := s.db.Approval(t.Context(), ana.Viewer(), a.ID)
	s.ok(err)
	if string(got.Args) != `{"command":"ls","kept":true,"wait":5}` || got.Author != "ana@example.com" {
		t.Fatalf("the card asks for %s, author %q", got.Args, got.Author)
	}
	b.get(path).check(t, want{
		status: http.StatusOK, has: []string{"Your edit is saved", "Edited by ana@example.com", "rm -rf x", "edited these arguments, so another reviewer"}, hasNot: []string{`value="approve"`},
	})
	s.as(rita).get(path).check(t, want{status: http.StatusOK, has: []string{"Edited by ana@example.com", `value="approve"`}})
}

func TestStandingRule(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	run, others := s.started(bob, "earlier"), s.started(ana, "of somebody else")
	for i, command := range []string{"go test ./a", "go test ./b", "rm -rf /", "go vet", "go test ./others"} {
		if i == 4 {
			run = others
		}
		args, _ := json.Marshal(map[string]string{"command": command})
		call := agent.ToolCall{
			RunID: run.ID, ConversationID: run.ConversationID, ID: s.newID(), Name: "make", Args: string(args), ArgsHash: command,
			State: agent.CallValidating, Index: i, StartedAt: s.clock.Now(),
		}
		s.append(run, agent.Change{Run: run, Calls: []agent.CallChange{{Event: agent.CallAsked, Call: call}}})
	}
	card := shellCard(agent.RiskMedium, "go test ./c")
	card.ToolName, card.Pattern = "make", agent.Pattern{"command": "go test *"}
	card.ArgsHash = "go vet"
	a := s.paused(bob, "testing", card)
	path := "/approvals/" + a.ID
	b, owner := s.as(ana), s.as(bob)
	owner.get(path).check(t, want{status: http.StatusOK, has: []string{`value="approve"`, `value="conversation_pattern"`}, hasNot: []string{`value="always"`, "go test ./a"}})
	owner.post(path+"/decision", form("decision", "approve", "scope", "always", "days", "5")).check(t, want{status: http.StatusForbidden})
	b.get(path).check(t, want{
		status: http.StatusOK,
		has: []string{
			"Of the last 4 calls to this tool in runs of bob@example.com", `This exact call: <strong class="num">1</strong>`, `Calls like command = go test *: <strong class="num">2</strong>`,
			"go test ./a", `value="always_pattern"`, `name="days"`, `value="30"`,
		},
		hasNot: []string{"rm -rf", "./others"},
	})
	const pattern = `{"command":"go test *"}`
	b.post(path+"/decision", form("decision", "approve", "scope", "always_pattern", "days", "400", "pattern", pattern)).check(t, want{
		status: http.StatusUnprocessableEntity, has: []string{"allowed: 1 to 365", `value="400"`, `value="always_pattern" selected`},
	})
	b.post(path+"/decision", form("decision", "approve", "scope", "always_pattern", "days", "5", "pattern", `{"command":"**"}`)).check(t, want{
		status: http.StatusUnprocessableEntity, has: []string{"is not the one that the approval proposes"},
	})
	b.post(path+"/decision", form("decision", "approve", "scope", "always_pattern", "days", "5", "pattern", pattern)).check(t, want{status: http.StatusSeeOther, location: path})
	b.get(path).check(t, want{status: http.StatusOK, has: []string{"Created a standing rule for calls like command = go test *.", path + "/revoke"}})
	rules, err := s.db.PolicyRules(t.Context())
	s.ok(err)
	if len(rules) != 1 || rules[0].Args["command"] != "go test *" || rules[0].ExpiresAt.Sub(rules[0].CreatedAt) != 5*24*time.Hour {
		t.Fatalf("rules: %+v", rules)
	}
	b.post(path+"/revoke", nil).check(t, want{status: http.StatusSeeOther, location: path})
}
