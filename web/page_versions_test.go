package web_test

import (
	"net/url"
	"strings"
	"testing"
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
