package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestVersionsOnThePage: the page shows the branch that is chosen, its arrows choose another one, and each
// branch is shown without what the others say.
func TestVersionsOnThePage(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("a1"), turn("a2"), turn("b2"), turn("c2"))
	b, rex, path := k.s.as(k.ana), k.s.as(k.s.user("other-admin@example.org", "admin")), "/c/"+k.id
	words := []string{"alpha", "a1", "beta", "a2", "edited", "b2", "c2"}
	shows := func(what, address, want string) string {
		t.Helper()
		page := b.get(address)
		var found []string
		_, body, _ := strings.Cut(page.body, `id="transcript"`)
		body, _, _ = strings.Cut(body, `class="chat-column dock"`)
		for _, text := range words {
			if strings.Contains(body, ">"+text+"<") {
				found = append(found, text)
			}
		}
		k.is(what, strings.Join(found, " "), want)
		return page.body
	}
	k.say("alpha", "")
	m2 := k.say("beta", "")
	first := k.branch("")
	a1, a2 := first[1].ID, first[3].ID
	edited := k.say("edited", a1)
	body := shows("the edit", path, "alpha a1 edited b2")
	for _, want := range []string{"Version 2 of 2", `value="` + m2 + `"`, `data-leaf="` + k.branch("")[3].ID + `"`, `action="` + path + `/branch"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	shows("a branch by its address", path+"?branch="+m2, "alpha a1 beta a2")
	shows("which chooses nothing", path, "alpha a1 edited b2")
	shows("with a message elsewhere", path+"?message="+a2, "alpha a1 beta a2")
	b.get(path+"?branch=none").check(t, want{status: 404})

	b.post(path+"/branch", url.Values{"version": {m2}, "from": {edited}}).check(t, want{status: 303, location: path + "?from=" + m2 + "#m-" + m2})
	shows("the version that is chosen", path+"?from="+m2, "alpha a1 beta a2")
	b.post(path+"/branch", url.Values{"version": {""}, "from": {m2}}).check(t, want{status: 303, location: path + "?from=" + m2 + "#m-" + m2})
	b.post(path+"/branch", url.Values{"version": {"none"}}).check(t, want{status: 422})
	rex.get(path).check(t, want{status: 200, has: []string{path + "?branch=" + edited + "#m-" + edited}, hasNot: []string{"data-versions"}})

	k.runs("/api/v1/messages/"+a2+"/regenerate", fields{})
	shows("another answer", path, "alpha a1 beta c2")
	k.says("DELETE", "/api/v1/messages/"+k.branch("")[3].ID, nil, 200)
	shows("the answer before", path, "alpha a1 beta a2")
	shows("a word about what is gone", path+"?gone=1", "alpha a1 beta a2")
	b.get(path+"?gone=1").check(t, want{status: 200, has: []string{"was deleted. This is the nearest one."}})
}

// TestChangingMessagesOnPages: a message is changed, answered once more, and deleted by forms that say what
// stays done and how much goes; what was refused keeps its text.
func TestChangingMessagesOnPages(t *testing.T) {
	t.Parallel()
	k := newTalk(t, shellTurn("c1", "echo booked"), turn("a1"), turn("b1"))
	b, path := k.s.as(k.ana), "/c/"+k.id
	id, run := k.runs("/api/v1/conversations/"+k.id+"/messages", fields{"content": "book it"})
	at := path + "/messages/" + id
	b.get(at+"/edit").check(t, want{status: 200, has: []string{">book it</textarea>"}})
	b.post(at+"/edit", url.Values{"content": {"book two"}}).check(t, want{status: 409, has: []string{">book two</textarea>"}})
	k.approves(run, agent.ScopeOnce)

	b.get(at+"/edit").check(t, want{status: 200, has: []string{"What earlier runs did stays done", "run_shell", `href="/runs/` + run.ID + `"`}})
	answer := k.branch("")[3].ID
	b.get(path+"/messages/"+answer+"/again").check(t, want{status: 200, has: []string{"Answer again", "run_shell"}})
	b.get(path).check(t, want{status: 200, has: []string{at + "/edit", at + "/delete", path + "/messages/" + answer + "/again"}})
	if got := b.post(at+"/edit", url.Values{"content": {"book two"}}); got.status != 303 || !strings.HasPrefix(got.header.Get("Location"), path+"?from=") {
		t.Errorf("status %d to %q", got.status, got.header.Get("Location"))
	}
	k.goOn(run.ID)
	k.is("the edit of the first message", texts(k.branch("")), "book two | b1")
	edited := k.branch("")[0].ID
	b.get(path+"/messages/"+edited+"/delete").check(t, want{status: 200, has: []string{"2 messages are deleted"}})
	b.post(path+"/messages/"+edited+"/delete", nil).check(t, want{status: 303, location: path})
	b.get(path).check(t, want{status: 200, has: []string{">book it<"}, hasNot: []string{">book two<"}})
}

// TestChangedMessagesKeepWhoAnswers: an edit is answered by the agent of the message, unless another is named or
// it was deleted; another answer takes the agent's own model, unless another is chosen.
func TestChangedMessagesKeepWhoAnswers(t *testing.T) {
	t.Parallel()
	calls := shellTurn("c1", "echo 1")
	for _, n := range []string{"2", "3", "4", "5"} {
		calls.Calls = append(calls.Calls, agenttest.Call("c"+n, "run_shell", `{"command":"echo `+n+`"}`))
	}
	k := newTalk(t, calls, turn("a1"), turn("b1"), turn("b2"), turn("c1"), turn("d1"), turn("e1"))
	b, admin, path := k.s.as(k.ana), k.s.client(k.s.user("ada@example.org", agent.RoleAdmin)), "/c/"+k.id
	for _, name := range []string{"scout", "scribe"} {
		admin.call("POST", "/api/v1/agents", `{"name":"`+name+`","purpose":"p","instructions":"i","model":"local/<small>"}`).check(t, want{status: 201, location: "/api/v1/agents/" + name})
	}
	id, run := k.runs("/api/v1/conversations/"+k.id+"/messages", fields{"content": "look", "agent": "scout"})
	cards, err := k.s.db.PendingApprovalIDs(t.Context(), run.ID)
	k.s.ok(err)
	for _, card := range cards {
		a, err := k.s.db.Approval(t.Context(), agent.Viewer{Role: agent.RoleAdmin}, card)
		k.s.ok(err)
		k.rex.says("POST", "/api/v1/approvals/"+card+"/decision", fields{"decision": "approve", "scope": "once", "argsHash": a.ArgsHash, "generation": a.Generation}, 200)
	}
	k.goOn(run.ID)
	b.get(path+"/messages/"+id+"/edit").check(t, want{status: 200, has: []string{"echo 3", "and 2 more"}, hasNot: []string{"echo 4"}})
	by := func(what, form string, in url.Values, agentName, model string) {
		t.Helper()
		if got := b.post(path+"/messages/"+id+"/"+form, in); got.status != 303 {
			t.Fatalf("%s: %d", what, got.status)
		}
		run, err := k.s.db.ActiveRun(t.Context(), k.id)
		k.s.ok(err)
		k.is(what, run.Agent+" with "+run.Model, agentName+" with "+model)
		k.goOn(run.ID)
	}
	b.get(path+"/messages/"+id+"/again").check(t, want{status: 200, has: []string{`<option value="" selected>The usual one</option>`}})
	by("an edit", "edit", url.Values{"content": {"look up"}}, "scout", "local/<small>")
	by("another answer", "again", url.Values{"model": {""}}, "scout", "local/<small>")
	by("with another model", "again", url.Values{"model": {"demo"}}, "scout", "demo")
	by("by another agent", "edit", url.Values{"content": {"look up"}, "agent": {"scribe"}}, "scribe", "local/<small>")
	b.post(path+"/messages/"+id+"/again", url.Values{"model": {"none"}}).check(t, want{status: 422})
	admin.call("DELETE", "/api/v1/agents/scout", "").check(t, want{status: 204})
	by("once it is deleted", "edit", url.Values{"content": {"look up"}}, "", "demo")
}

// TestContinueOnThePage: an answer that was cut off is continued with a button below it, as long as nothing follows;
// one that is whole, or another person's, has none.
func TestContinueOnThePage(t *testing.T) {
	t.Parallel()
	k := newTalk(t, agenttest.Turn{Text: "half of", Finish: "length"}, agenttest.Turn{Text: "of it", Finish: "length"}, turn("is told"))
	b, rex := k.s.as(k.ana), k.s.as(k.s.user("other-admin@example.org", "admin"))
	k.say("alpha", "")
	half := k.branch("")[1].ID
	path := "/c/" + k.id + "/messages/" + half + "/continue"
	open := k.watches(b, "")
	k.contains("a cut answer", open.page.body, []string{`action="` + path + `"`, "Continue the answer"})
	rex.get("/c/"+k.id).check(t, want{status: 200, has: []string{"half of"}, hasNot: []string{"Continue the answer"}})
	rex.post(path, nil).check(t, want{status: http.StatusForbidden})
	b.post("/c/"+k.id+"/messages/none/continue", nil).check(t, want{status: http.StatusNotFound})
	b.post(path, nil).check(t, want{status: http.StatusSeeOther, location: "/c/" + k.id})
	b.get("/c/"+k.id).check(t, want{status: 200, has: []string{"half of"}, hasNot: []string{"Continue the answer"}})
	b.post(path, nil).check(t, want{status: http.StatusConflict})
	run, err := k.s.db.ActiveRun(t.Context(), k.id)
	k.s.ok(err)
	k.goOn(run.ID)
	more := k.branch("")
	last := "/c/" + k.id + "/messages/" + more[len(more)-1].ID + "/continue"
	told := open.until(last)
	if at := strings.Index(told, `"op":"replace"`); at < 0 || strings.Contains(told, path) {
		t.Errorf("the page still offers to continue the first part: %s", told)
	}
	b.post(last, nil).check(t, want{status: http.StatusSeeOther, location: "/c/" + k.id})
	run, err = k.s.db.ActiveRun(t.Context(), k.id)
	k.s.ok(err)
	k.goOn(run.ID)
	b.get("/c/"+k.id).check(t, want{status: 200, has: []string{"is told"}, hasNot: []string{"Continue the answer"}})
}

// TestChangedMessagesKeepTheirWorkflow: an edit is answered by the workflow of the message, with what was filled in
// for it, until that asks for more or is deleted.
func TestChangedMessagesKeepTheirWorkflow(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("one"), turn("two"))
	b, admin, path := k.s.as(k.ana), k.s.client(k.s.user("ada@example.org", agent.RoleAdmin)), "/c/"+k.id
	flow := fields{"name": "check", "purpose": "Checks.", "kind": "sequence", "steps": []fields{{"person": "approve", "task": "Look."}}, "inputs": []fields{{"name": "city", "required": true}}}
	admin.says("POST", "/api/v1/workflows", flow, 201)
	id, run := k.runs("/api/v1/conversations/"+k.id+"/messages", fields{"content": "look", "workflow": "check", "inputs": fields{"city": "Rome"}})
	edited := func(what, answeredBy string) {
		t.Helper()
		if !run.Status.Ended() {
			k.says("POST", "/api/v1/runs/"+run.ID+"/abort", nil, 202)
			k.goOn(run.ID)
		}
		if got := b.post(path+"/messages/"+id+"/edit", url.Values{"content": {"look again"}}); got.status != http.StatusSeeOther {
			t.Fatalf("%s: %d", what, got.status)
		}
		active, err := k.s.db.ActiveRun(t.Context(), k.id)
		k.s.ok(err)
		got := ""
		if w := active.State.Workflow; w != nil {
			got = w.Name + " " + string(w.Inputs["city"])
		}
		k.is(what, got, answeredBy)
		run = k.goOn(active.ID)
	}
	edited("an edit", `check "Rome"`)
	flow["version"], flow["inputs"] = 1, []fields{{"name": "city", "required": true}, {"name": "day", "required": true}}
	admin.says("PUT", "/api/v1/workflows/check", flow, 200)
	edited("once it asks for more", "")
	admin.says("DELETE", "/api/v1/workflows/check", nil, 204)
	edited("once it is deleted", "")
}

// TestChangedMessagesTakeTheirDocument: an edit shows the document that goes with it, and can leave it out. A
// document that the person can no longer open is reported, and does not block the edit.
func TestChangedMessagesTakeTheirDocument(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("a"), turn("b"), turn("c"), turn("d"))
	b, path := k.s.as(k.ana), "/c/"+k.id
	doc := k.says("POST", "/api/v1/documents", fields{"name": "boiler", "text": "The boiler is emptied in May."}, 201).id()
	id, first := k.runs("/api/v1/conversations/"+k.id+"/messages", fields{"content": "when?", "documentId": doc})
	form := path + "/messages/" + id + "/edit"
	b.get(form).check(t, want{status: 200, has: []string{`name="document_id" value="` + doc + `" checked`, "About boiler"}})
	edited := func(what string, in url.Values, document string) {
		t.Helper()
		if got := b.post(form, in); got.status != http.StatusSeeOther {
			t.Fatalf("%s: %d", what, got.status)
		}
		run, err := k.s.db.ActiveRun(t.Context(), k.id)
		k.s.ok(err)
		k.is(what, run.State.DocumentID, document)
		k.goOn(run.ID)
	}
	k.is("first", first.State.DocumentID, doc)
	edited("with it", url.Values{"content": {"which month?"}, "document_id": {doc}}, doc)
	edited("without it", url.Values{"content": {"which month?"}}, "")
	b.post(form, url.Values{"content": {" "}, "document_id": {doc}}).check(t, want{status: 422, has: []string{`value="` + doc + `" checked`}})
	b.post(form, url.Values{"content": {" "}}).check(t, want{status: 422, hasNot: []string{"About boiler"}})
	k.says("DELETE", "/api/v1/documents/"+doc, nil, 204)
	b.get(form).check(t, want{status: 200, has: []string{"is gone, or no longer open to you"}, hasNot: []string{doc}})
	edited("once it is gone", url.Values{"content": {"which month?"}}, "")
}
