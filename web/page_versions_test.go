package web_test

import (
	"net/url"
	"strings"
	"testing"

	"fusebox/agent"
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
