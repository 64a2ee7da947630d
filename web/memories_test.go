package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
)

// TestMemoryPage: a person adds, finds, changes, and deletes what is remembered about them,
// and switches it off; nobody else sees any of it.
func TestMemoryPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, eve := s.user("ana@example.org", agent.RoleUser), s.user("eve@example.org", agent.RoleAdmin)
	b, other := s.as(ana), s.as(eve)
	const page = "/settings/memory"
	b.get(page).check(t, want{status: 200, has: []string{"Nothing is remembered yet", `aria-current="page">Memory<`, `value="true" checked`}, hasNot: []string{"Delete everything", `type="search" name="search"`}})
	done := want{status: http.StatusSeeOther, location: page}
	b.post(page+"/facts", form("text", "I live in <b>Zürich</b>")).check(t, done)
	b.post(page+"/facts", form("text", "我喜欢喝茶")).check(t, done)
	b.post(page+"/facts", form("text", " i live in  <b>zürich</b>.")).check(t, want{status: http.StatusConflict, has: []string{"You have this fact already.", `id="new-fact-error"`, "zürich&lt;/b&gt;."}})
	b.post(page+"/facts", form("text", " ")).check(t, want{status: 422, has: []string{"is missing"}})
	b.post(page+"/facts", form("text", strings.Repeat("长", agent.MaxFact+1))).check(t, want{status: 422, has: []string{"at most 1000 characters"}})
	b.get(page).check(t, want{status: 200, has: []string{"I live in &lt;b&gt;Zürich", "我喜欢喝茶", "Delete all 2 facts"}, hasNot: []string{"<b>Zürich"}})
	b.get(page+"?find=喜欢茶").check(t, want{status: 200, has: []string{"我喜欢喝茶"}, hasNot: []string{"Zürich"}})
	b.get(page+"?find=Zür").check(t, want{status: 200, has: []string{"Zürich"}, hasNot: []string{"喝茶"}})
	b.get(page+"?find=%3Cnothing").check(t, want{status: 200, has: []string{"Nothing fits “&lt;nothing”.", "Show all"}})

	facts, err := s.db.Facts(t.Context(), ana.ID)
	s.ok(err)
	tea := page + "/facts/" + facts[0].ID
	other.get(page).check(t, want{status: 200, has: []string{"Nothing is remembered yet"}})
	other.post(tea, form("text", "changed by eve")).check(t, want{status: http.StatusNotFound})
	other.post(page+"/delete", nil).check(t, done)
	b.post(tea, form("text", "I live in <b>Zürich</b>")).check(t, want{status: http.StatusConflict, has: []string{`id="edit-` + facts[0].ID + `-error"`, `<details class="confirm confirm-plain" open>`}})
	b.post(tea, form("text", "我喜欢喝\u202e咖啡")).check(t, done)
	b.get(page).check(t, want{status: 200, has: []string{"‹U+202E›咖啡", "changed", "Zürich"}, hasNot: []string{"喝茶"}})
	b.post(tea+"/delete", nil).check(t, done)
	b.post(tea+"/delete", nil).check(t, want{status: http.StatusNotFound})

	b.post(page, nil).check(t, done)
	b.get(page).check(t, want{status: 200, has: []string{"neither remember nor recall", "Zürich"}, hasNot: []string{`value="true" checked`}})
	b.post(page, form("on", "true")).check(t, done)
	b.post(page+"/delete", nil).check(t, done)
	b.post("/settings/language", form("language", "zh"))
	b.get(page).check(t, want{status: 200, has: []string{"已记住的内容", "还没有记住"}, hasNot: []string{"Zürich"}})

	for i := range 51 {
		_, err := s.db.AddFact(t.Context(), agent.Fact{ID: s.newID(), UserID: ana.ID, Text: fmt.Sprintf("number %d", i), CreatedAt: s.clock.Now()})
		s.ok(err)
	}
	facts, err = s.db.Facts(t.Context(), ana.ID)
	s.ok(err)
	b.get(page).check(t, want{status: 200, has: []string{`<details class="list-rest">`}})
	b.post(page+"/facts/"+facts[len(facts)-1].ID, form("text", " ")).check(t, want{status: 422, has: []string{`<details class="list-rest" open>`, `id="edit-` + facts[len(facts)-1].ID + `-error"`}})
}

// TestMemoryAPI: programs do the same.
func TestMemoryAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	run := s.finished(ana, "numbers")
	_, err := s.db.AddFact(t.Context(), agent.Fact{ID: s.newID(), UserID: ana.ID, Text: "of a run", ConversationID: run.ConversationID, CreatedAt: s.clock.Now()})
	s.ok(err)
	s.as(ana).get("/settings/memory").check(t, want{status: 200, has: []string{`href="/c/` + run.ConversationID + `">in this chat<`}})
	c := s.client(ana)
	const api = "/api/v1/memories"
	c.call("POST", api, `{"text":"likes tea"}`).check(t, want{status: 201, has: []string{`"text":"likes tea"`, `"id":`}})
	c.call("POST", api, `{"text":"Likes tea."}`).check(t, want{status: 409})
	c.call("POST", api, `{"text":""}`).check(t, want{status: 422, has: []string{`"field":"text"`}})
	facts, err := s.db.Facts(t.Context(), ana.ID)
	s.ok(err)
	c.call("PATCH", api+"/"+facts[0].ID, `{"text":"likes coffee"}`).check(t, want{status: 204})
	c.call("GET", api, "").check(t, want{status: 200, has: []string{`"on":true`, "likes coffee", `"changedAt"`, `"conversationId":"` + run.ConversationID}})
	c.call("GET", api+"?search=coffee", "").check(t, want{status: 200, has: []string{"likes coffee"}, hasNot: []string{"of a run"}})
	c.call("PATCH", api, `{}`).check(t, want{status: 422, has: []string{`"field":"on"`}})
	c.call("PATCH", api, `{"on":false}`).check(t, want{status: 204})
	c.call("DELETE", api+"/"+facts[0].ID, "").check(t, want{status: 204})
	c.call("DELETE", api+"/"+facts[0].ID, "").check(t, want{status: 404})
	c.call("DELETE", api, "").check(t, want{status: 204})
	c.call("GET", api, "").check(t, want{status: 200, has: []string{`"on":false`, `"items":[]`}})
	_, err = s.db.AddFact(t.Context(), agent.Fact{ID: s.newID(), UserID: ana.ID, Text: "late", ConversationID: run.ConversationID})
	if agent.CodeOf(err) != agent.Forbidden {
		t.Errorf("a run remembered what the person has switched off: %v", err)
	}
}
