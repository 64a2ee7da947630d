package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

func TestInboxShowsEverybodyHisOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	rita, eve := s.user("rita@example.com", agent.RoleReviewer), s.user("eve@example.com", agent.RoleUser)
	shell := s.paused(bob, "cleaning", shellCard(agent.RiskHigh, "rm -rf build"))
	loop, budget := s.paused(ana, "weather", loopCard()), s.paused(bob, "numbers", budgetCard())
	rowOf := func(a agent.Approval) string { return `id="inbox-` + a.ID + `"` }
	all := []string{"rm -rf build", "get_weather × 8", "13.5k of 15k tokens used", "bob@example.com", "ana@example.com", "Raise the limit: This run"}

	reviewer := s.as(rita)
	reviewer.get("/approvals").check(t, want{status: http.StatusOK, has: append(all, `id="inbox"`)})
	for _, row := range []struct {
		query string
		want  want
	}{
		{"kind=loop", want{status: http.StatusOK, has: []string{"get_weather × 8", `id="inbox-new"`, "Clear"}, hasNot: []string{rowOf(shell), rowOf(budget), `id="inbox"`}}},
		{"risk=high", want{status: http.StatusOK, has: []string{rowOf(shell)}, hasNot: []string{rowOf(loop)}}},
		{"status=decided", want{status: http.StatusOK, has: []string{"No approvals match this filter."}, hasNot: []string{rowOf(shell)}}},
		{"kind=x", want{status: http.StatusBadRequest, hasNot: []string{rowOf(shell)}}},
		{"cursor=x", want{status: http.StatusBadRequest}},
	} {
		reviewer.get("/approvals?"+row.query).check(t, row.want)
	}
	s.as(bob).get("/approvals").check(t, want{status: http.StatusOK, has: []string{"rm -rf build", "13.5k of"}, hasNot: []string{"get_weather ×", "ana@example.com"}})

	stranger := s.as(eve)
	stranger.get("/approvals").check(t, want{status: http.StatusOK, has: []string{"You’re all caught up", "test approval"}, hasNot: []string{"bob@example.com"}})
	stranger.get("/approvals/"+shell.ID).check(t, want{status: http.StatusNotFound, hasNot: []string{"rm -rf"}})
	stranger.get("/runs/"+shell.RunID).check(t, want{status: http.StatusNotFound, hasNot: []string{"cleaning"}})
	stranger.post("/approvals/"+shell.ID+"/decision", form("decision", "approve")).check(t, want{status: http.StatusNotFound, hasNot: []string{"rm -rf"}})
}

func TestApprovalPageByKind(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	write := shellCard(agent.RiskMedium, "")
	write.Evidence = []byte(`{"effect":"write","rule":"w","diff":" a\n-old <b>\n+new\n"}`)
	b := s.as(ana)
	for _, row := range []struct {
		name string
		card agent.Approval
		has  []string
		not  []string
	}{
		{"command", shellCard(agent.RiskHigh, "rm -rf <x>"), []string{"rm -rf &lt;x&gt;", "/workspace", `name="scope"`, "for the rest of the run"}, []string{"<x>"}},
		{"critical takes one call only", shellCard(agent.RiskCritical, "rm -rf /"), []string{"critical risk"}, []string{`name="scope"`}},
		{"diff", write, []string{`class="diff-line diff-del"`, `class="diff-line diff-add"`, "old &lt;b&gt;"}, []string{"<b>"}},
		{"loop", loopCard(), []string{"loop-calls", "same as #7", "blocked", "$0.0050", "Wrap up now"}, nil},
		{"budget", budgetCard(), []string{`name="raise_tokens_by"`, "up to 4.5k", `value="22500"`, "13.5k</strong> of 15k", "This run"}, nil},
	} {
		a := s.paused(bob, row.name, row.card)
		has := append([]string{"please do " + row.name, "Run so far", `href="/runs/` + a.RunID, `action="/approvals/` + a.ID + `/decision"`}, row.has...)
		b.get("/approvals/"+a.ID).check(t, want{status: http.StatusOK, has: has, hasNot: row.not})
	}
}

func TestDecisionForm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, rita := s.user("ana@example.com", agent.RoleAdmin), s.user("rita@example.com", agent.RoleReviewer)
	bob := s.user("bob@example.com", agent.RoleUser)
	a := s.paused(bob, "cleaning", shellCard(agent.RiskHigh, "rm -rf build"))
	path := "/approvals/" + a.ID
	first, second, owner := s.as(rita), s.as(ana), s.as(bob)

	owner.get(path).check(t, want{status: http.StatusOK, has: []string{"Waiting for a reviewer"}, hasNot: []string{"data-decide="}})
	owner.post(path+"/decision", form("decision", "approve")).check(t, want{status: http.StatusForbidden})
	forged := &browser{s: s, client: first.client, csrf: "forged"}
	forged.post(path+"/decision", form("decision", "approve")).check(t, want{status: http.StatusForbidden})

	for _, row := range []struct {
		name string
		form url.Values
		want want
	}{
		{"broken JSON", form("decision", "edit", "args", `{"command"`, "comment", "my reason"), want{
			status: http.StatusUnprocessableEntity, has: []string{"{&#34;command&#34;</textarea>", "my reason", "is not valid JSON", "aria-invalid"},
		}},
		{"arguments that break the schema", form("decision", "edit", "args", `{"command":5}`, "scope", "run"), want{
			status: http.StatusUnprocessableEntity, has: []string{"{&#34;command&#34;:5}</textarea>", "must be a string", `value="run" selected`},
		}},
		{"another page's arguments", form("decision", "approve", "args_hash", "other"), want{
			status: http.StatusConflict, has: []string{"has changed since it was shown", `data-decide=`},
		}},
		{"a comment that is too long", form("decision", "reject", "comment", strings.Repeat("x", 10_001)), want{
			status: http.StatusUnprocessableEntity, has: []string{"xxx</textarea>", `id="a-` + a.ID + `-comment-error"`},
		}},
		{"a verb that does not fit", form("decision", "resume"), want{status: http.StatusUnprocessableEntity}},
	} {
		t.Run(row.name, func(t *testing.T) { first.post(path+"/decision", row.form).check(t, row.want) })
	}
	still, err := s.db.Approval(t.Context(), ana.Viewer(), a.ID)
	s.ok(err)
	if still.Status != agent.ApprovalPending {
		t.Fatalf("after bad input it is %s", still.Status)
	}

	// What was of high risk and was edited is its author's work: another one approves it.
	edited := form("decision", "edit", "args", `{"command":"ls"}`, "args_hash", a.ArgsHash, "generation", "1")
	first.post(path+"/decision", edited).check(t, want{status: http.StatusSeeOther, location: path})
	second.post(path+"/decision", form("decision", "approve", "args_hash", a.ArgsHash, "generation", "1")).check(t, want{
		status: http.StatusConflict, has: []string{"has changed since it was shown", "data-decide="},
	})
	first.post(path+"/decision", form("decision", "approve", "generation", "2")).check(t, want{
		status: http.StatusForbidden, has: []string{"another reviewer"},
	})
	second.post(path+"/decision", form("decision", "approve", "comment", "only look", "generation", "2")).check(t, want{
		status: http.StatusSeeOther, location: path,
	})
	second.get(path).check(t, want{status: http.StatusOK, has: []string{"Approved", "ana@example.com", "only look"}, hasNot: []string{"data-decide="}})
	first.post(path+"/decision", form("decision", "reject", "comment", "too late")).check(t, want{
		status: http.StatusConflict, has: []string{"by ana@example.com", "Approved"}, hasNot: []string{"data-decide="},
	})
	s.as(rita).get("/approvals?status=decided").check(t, want{status: http.StatusOK, has: []string{"Approved by ana@example.com"}})
}

func TestTakeoverKeepsItsText(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	a := s.paused(ana, "weather", loopCard())
	b := s.as(ana)
	path := "/approvals/" + a.ID
	b.get(path)
	b.post(path+"/decision", form("decision", "takeover", "answer", " ")).check(t, want{
		status: http.StatusUnprocessableEntity, has: []string{`id="a-` + a.ID + `-takeover-error"`, `-more" open`},
	})
	b.post(path+"/decision", form("decision", "takeover", "answer", "It is sunny.", "generation", "7")).check(t, want{
		status: http.StatusConflict, has: []string{"It is sunny.</textarea>", "has changed since it was shown"},
	})
	b.post(path+"/decision", form("decision", "takeover", "answer", "It is sunny.", "generation", "1")).check(t, want{
		status: http.StatusSeeOther, location: path,
	})
}

func TestRunPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	rita := s.user("rita@example.com", agent.RoleReviewer)
	done := s.finished(bob, "numbers")
	a := s.paused(bob, "cleaning", shellCard(agent.RiskHigh, "rm -rf build"))

	s.as(bob).get("/runs/"+done.ID).check(t, want{
		status: http.StatusOK, has: []string{"finished", "Done.", "please do numbers", "4.5k", "$0.0050", "trace-model", `href="/c/` + done.ConversationID, "STEPS"},
		hasNot: []string{"/abort", "For bob"},
	})
	s.as(ana).get("/runs/"+a.RunID).check(t, want{
		status: http.StatusOK, has: []string{"paused", "It runs a program.", `href="/approvals/` + a.ID, "/abort", "For bob@example.com", "trace-wait"},
	})
	reviewer := s.as(rita)
	reviewer.get("/runs/"+a.RunID).check(t, want{
		status: http.StatusOK, has: []string{"cleaning"}, hasNot: []string{`href="/c/`, "/abort"},
	})
	reviewer.get("/runs/"+done.ID).check(t, want{status: http.StatusNotFound, hasNot: []string{"numbers"}})
}

// TestInboxIsLive: an open inbox follows approvals that arrive and are decided.
func TestInboxIsLive(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, bob := s.user("rita@example.com", agent.RoleReviewer), s.user("bob@example.com", agent.RoleUser)
	before := s.paused(bob, "before", shellCard(agent.RiskHigh, "rm old"))
	reviewer := s.as(rita)
	ws := s.socket(reviewer, "/ws/inbox?format=html&whole=true")

	got := s.fragments(ws)
	if !strings.Contains(got, "inbox-"+before.ID) || strings.Contains(got, "live-inbox") {
		t.Errorf("at the start: %s", got)
	}
	fresh := s.paused(bob, "fresh", shellCard(agent.RiskHigh, "rm new"))
	if got = s.fragments(ws); !strings.Contains(got, "inbox-"+fresh.ID) || !strings.Contains(got, "live-inbox") || !strings.Contains(got, `data-pending=\"2\"`) {
		t.Errorf("a new one: %s", got)
	}
	reviewer.post("/approvals/"+fresh.ID+"/decision", form("decision", "reject")).check(t, want{status: http.StatusSeeOther, location: "/approvals/" + fresh.ID})
	if got = s.fragments(ws); !strings.Contains(got, "Denied by rita@example.com") || !strings.Contains(got, `data-pending=\"1\"`) {
		t.Errorf("decided: %s", got)
	}
}

// socket opens a websocket with the browser's session.
func (s *site) socket(b *browser, path string) *websocket.Conn {
	s.t.Helper()
	jar, ok := b.client.Jar.(*cookiejar.Jar)
	if !ok {
		s.t.Fatal("no cookies")
	}
	dialer := websocket.Dialer{Jar: jar, HandshakeTimeout: agenttest.Hang}
	// The dialer knows cookies by the address it is given.
	ws, res, err := dialer.DialContext(s.t.Context(), strings.Replace(s.url, "http", "ws", 1)+path, http.Header{"Origin": {s.url}})
	s.ok(err)
	_ = res.Body.Close()
	s.t.Cleanup(func() { _ = ws.Close() })
	return ws
}

// fragments reads one message of a socket that feeds a page.
func (s *site) fragments(ws *websocket.Conn) string {
	s.t.Helper()
	s.ok(ws.SetReadDeadline(time.Now().Add(agenttest.Hang)))
	_, raw, err := ws.ReadMessage()
	s.ok(err)
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(raw))
}

// sharedCard is about a budget that an admin has set for everybody.
func sharedCard(evidence string) agent.Approval {
	return agent.Approval{
		Kind: agent.KindBudget, Risk: agent.RiskHigh, Message: "The spending budget would be exceeded.", BudgetID: "b1",
		Evidence: json.RawMessage(`{"scope":"everybody_month","budgetId":"b1","money":true,"model":"demo","usedMicros":9900000,"limitMicros":10000000,
			"reservedMicros":50000,"nextStepTokens":4500,"nextStepMicros":64000,"startsAt":"2026-11-01T00:00:00Z","resetsAt":"2026-12-01T00:00:00Z"` + evidence + `}`),
	}
}

// TestSharedBudgetCard: the numbers stand on the card; an admin can raise it, a
// reviewer is told who can and keeps the other ways.
func TestSharedBudgetCard(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob := s.user("bob@example.com", agent.RoleUser)
	admin, reviewer := s.as(s.user("ana@example.com", agent.RoleAdmin)), s.as(s.user("rita@example.com", agent.RoleReviewer))
	path := "/approvals/" + s.paused(bob, "spending", sharedCard("")).ID
	numbers := []string{
		"Spending budget reached", "Everyone, this month", "$9.90</strong> of $10.00", "$0.05 left", "$0.05 reserved by calls in progress", "99%",
		"up to 4.5k tokens, up to $0.06", "The run continues automatically on", "1 December 00:00",
	}
	admin.get(path).check(t, want{status: 200, has: append(numbers, `name="raise_usd" value="1.00"`, "Raise and continue"), hasNot: []string{`name="raise_tokens_by"`}})
	reviewer.get(path).check(t, want{
		status: 200, has: append(numbers, "Only an admin can raise this budget", "Keep the limit", "Abort run", "Take over: write the answer yourself"), hasNot: []string{"raise_usd", "Raise and continue"},
	})
	admin.get("/approvals").check(t, want{status: 200, has: []string{"Raise the limit: Everyone, this month", "$9.90 of $10.00 used, the next call costs up to $0.06"}})
	admin.post(path+"/decision", form("decision", "resume", "raise_usd", "a bit")).check(t, want{
		status: 422, has: []string{`value="a bit"`, "is not an amount of dollars; write one such as 5 or 0.50", `aria-invalid="true"`},
	})

	unpriced := "/approvals/" + s.paused(bob, "unpriced", sharedCard(`,"unpriced":true`)).ID
	admin.get(unpriced).check(t, want{
		status: 200, has: []string{"Model without a price", "unknown price", "Continue without a price", "/admin/models"},
		hasNot: []string{"raise_usd", "raise_tokens_by", "continues automatically"},
	})
}
