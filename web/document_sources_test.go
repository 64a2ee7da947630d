package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fusebox/agent"
	toolsweb "fusebox/agent/tools/web"
	"fusebox/web"
)

// TestDocumentsFromAddresses: what an address has is taken as an upload is, and what is wrong
// with it is said at its field.
func TestDocumentsFromAddresses(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/plan.txt":
			_, _ = w.Write([]byte("Valve 9 was replaced."))
		case "/large":
			for range agent.MaxDocumentBytes>>20 + 1 {
				_, _ = w.Write(make([]byte, 1<<20))
			}
		case "/none":
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(elsewhere.Close)
	s := newSite(t, func(o *web.Options) {
		out, err := toolsweb.New(toolsweb.Options{Allow: []string{elsewhere.Listener.Addr().String()}, Clock: o.Clock, Logger: o.Logger})
		if err != nil {
			t.Fatal(err)
		}
		o.Downloads = out
	})
	b := s.as(s.user("ana@example.org", agent.RoleAdmin))
	const api = "/api/v1/documents"
	sent := func(body string) answer { return b.call(http.MethodPost, api, body) }
	d := documentIn(t, sent(`{"url":" `+elsewhere.URL+`/plan.txt "}`), http.StatusCreated)
	if d.Name != "plan.txt" || d.State != "reading" {
		t.Errorf("%+v", d)
	}
	if again := documentIn(t, sent(`{"url":"`+elsewhere.URL+`/plan.txt?again"}`), http.StatusCreated); again.Problem != "duplicate" || again.DuplicateOf != d.ID {
		t.Errorf("%+v", again)
	}
	for path, said := range map[string]string{"/none": "no such page", "/large": "at most 50 MB", "/empty": "is empty"} {
		sent(`{"url":"`+elsewhere.URL+path+`"}`).check(t, want{status: 422, has: []string{`"field":"url"`, said}})
	}
	sent(`{"url":"http://127.0.0.1:1/"}`).check(t, want{status: 422, has: []string{`"field":"url"`, "public internet"}})
	sent(`{"url":"https://a.example","text":"x"}`).check(t, want{status: 422, has: []string{`"field":"url"`}})
	if note := documentIn(t, sent(`{"name":"Pumps","text":"# Pump 7"}`), http.StatusCreated); note.Name != "Pumps.md" {
		t.Errorf("%+v", note)
	}
	sent(`{"text":"x"}`).check(t, want{status: 422, has: []string{`"field":"name"`}})
	sent(`{"name":"x"}`).check(t, want{status: 422, has: []string{`"field":"text"`}})
	sent(`{"text":"`+strings.Repeat("x", 3<<20)+`"}`).check(t, want{status: 413})
	b.post("/documents/address", map[string][]string{"url": {elsewhere.URL + "/none"}}).check(t, want{status: 422, has: []string{`id="url-error"`, "no such page", `value="` + elsewhere.URL + `/none"`}})
	b.post("/documents/address", map[string][]string{"url": {elsewhere.URL + "/plan.txt"}}).check(t, want{status: 303, location: "/documents"})
}

// answered adds an answer to a run's chat.
func (s *site) answered(run *agent.Run, content string, cites ...agent.Citation) agent.Message {
	m := agent.Message{ID: s.newID(), ConversationID: run.ConversationID, Role: agent.FromAssistant, Content: content, Citations: cites, RunID: run.ID, CreatedAt: s.clock.Now()}
	s.append(run, agent.Change{Run: run, Messages: []agent.Message{m}, Events: []agent.Event{{Data: agent.MessageEvent{Message: m}}}})
	return m
}

// TestAnswersAsNotes: an answer is kept with its sources, under its heading or its first words; those of
// others are not there.
func TestAnswersAsNotes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner := s.user("ana@example.org", agent.RoleAdmin)
	ana, ben := s.as(owner), s.as(s.user("ben@example.org", agent.RoleUser))
	run := s.started(owner, "Pumps")
	m := s.answered(run, "Here it is:\n```sh\n# no heading\n```\n## **Pump 7** [1]\nIts seal is worn [1] [3].",
		agent.Citation{N: 1, Name: "Seals\n& more", URL: "https://a.example/?b=1"}, agent.Citation{N: 3, Name: "A page of parts"})
	at := "/c/" + run.ConversationID
	save := at + "/messages/" + m.ID + "/note"
	ana.get(at).check(t, want{status: 200, has: []string{`action="` + save + `"`, "Save as note"}})
	ben.post(save, nil).check(t, want{status: 404})
	saved := ana.post(save, nil)
	page := saved.header.Get("Location")
	saved.check(t, want{status: 303, location: page})
	ana.get(page).check(t, want{status: 200, has: []string{"Saved among your documents.", "Pump 7.md"}})
	ana.get("/api/v1"+page+"/file").check(t, want{status: 200, has: []string{"Its seal is worn [1] [3].\n\n## Sources\n\n- [1] Seals & more <https://a.example/?b=1>\n- [3] A page of parts\n"}})
	const api = "/api/v1/documents"
	ana.call(http.MethodPost, api, `{"messageId":"`+m.ID+`","name":"Again"}`).check(t, want{status: 201, location: api + page[len("/documents"):], has: []string{`"name":"Pump 7.md"`}})
	ben.call(http.MethodPost, api, `{"messageId":"`+m.ID+`"}`).check(t, want{status: 404})
	ana.call(http.MethodPost, api, `{"messageId":"`+m.ID+`","text":"x"}`).check(t, want{status: 422, has: []string{`"field":"messageId"`}})
	long := s.answered(run, "- 1. Pumps of "+strings.Repeat("seven ", 12<<10))
	ana.call(http.MethodPost, api, `{"messageId":"`+long.ID+`"}`).check(t, want{status: 422, has: []string{`"field":"messageId"`, "at most 64 KB"}})
	ana.post(at+"/messages/"+long.ID+"/note", nil).check(t, want{status: 303, location: at})
	ana.get(at).check(t, want{status: 200, has: []string{"at most 64 KB"}})
	words := s.answered(run, "\n\n1. The `pump` in hall seven has a seal that is worn and should be replaced in May.\nMore.")
	if d := documentIn(t, ana.call(http.MethodPost, api, `{"messageId":"`+words.ID+`"}`), http.StatusCreated); d.Name != "The pump in hall seven has a seal that is worn and should….md" {
		t.Errorf("%+v", d)
	}
	ana.call(http.MethodPost, api, `{"messageId":"none","name":"x"}`).check(t, want{status: 404})
}

// TestAnswersAsNotesOfDocuments: a note of an answer names documents as they are called now, and
// those that are deleted not at all.
func TestAnswersAsNotesOfDocuments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner := s.user("ana@example.org", agent.RoleAdmin)
	ana, run := s.as(owner), s.started(owner, "Pumps")
	renamed, deleted := s.source(1, owner, "the pump"), s.source(2, owner, "the valve")
	cites := []agent.Citation{renamed, deleted}
	before, after, later := s.answered(run, "It is worn [1, 2].", cites...), s.answered(run, "It still is [1, 2].", cites...), s.answered(run, "It was [1, 2].", cites...)
	const api = "/api/v1/documents"
	saved := func(body string, w want) {
		d := documentIn(t, ana.call(http.MethodPost, api, body), http.StatusCreated)
		ana.get(api+"/"+d.ID+"/file").check(t, w)
	}
	saved(`{"messageId":"`+before.ID+`"}`, want{status: 200, has: []string{"- [1] " + renamed.Name + "\n- [2] " + deleted.Name + "\n"}})
	ana.call(http.MethodPatch, api+"/"+renamed.DocumentID, `{"name":"pumps.txt"}`).check(t, want{status: 200})
	ana.call(http.MethodDelete, api+"/"+deleted.DocumentID, "").check(t, want{status: 204})
	saved(`{"messageId":"`+after.ID+`"}`, want{status: 200, has: []string{"## Sources\n\n- [1] pumps.txt\n- [2] Deleted\n"}, hasNot: []string{renamed.Name, deleted.Name}})
	page := ana.asks("zh").post("/c/"+run.ConversationID+"/messages/"+later.ID+"/note", nil).header.Get("Location")
	ana.get("/api/v1"+page+"/file").check(t, want{status: 200, has: []string{"- [1] pumps.txt\n- [2] 已删除\n"}, hasNot: []string{renamed.Name, deleted.Name}})
}

// TestAnswersAreNamed: by words that people see in them; one that has none is a note all the same.
func TestAnswersAreNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner := s.user("ana@example.org", agent.RoleAdmin)
	ana := s.as(owner)
	run := s.started(owner, "Pumps")
	for content, name := range map[string]string{
		"The seal is worn [1, 2], see【3†source】 and [^1].":                             "The seal is worn, see and",
		"See the [Guide](https://a.example/w_(x)?p=1 \"Guide\") (https://b.example/).": "See the Guide",
		"```sh\nls\n```\nIt lists files:\n~~~\n# no\n~~~":                              "It lists files",
		"  ~~~\n# a comment\n  ~~~\n## TCP/IP \\(short\\) [1] ##\nText.":               "TCP-IP (short)",
		"## ---\n***\n\u200b\n“泵 7”已更换。":                                               "“泵 7”已更换",
		"`a[1]`\tand\u00a0`b`!": "a[1] and b",
		"👍\n\n---\n[1]":         "Note",
		"```\nonly code":        "Note",
		"`.md`":                 "md",
	} {
		m := s.answered(run, content)
		if d := documentIn(t, ana.call(http.MethodPost, "/api/v1/documents", `{"messageId":"`+m.ID+`"}`), http.StatusCreated); d.Name != name+".md" {
			t.Errorf("%q is called %q", content, d.Name)
		}
	}
	m := s.answered(run, "?!")
	page := ana.asks("zh").post("/c/"+run.ConversationID+"/messages/"+m.ID+"/note", nil).header.Get("Location")
	ana.get(page).check(t, want{status: 200, has: []string{"笔记.md"}})
	if d := documentIn(t, ana.call(http.MethodPost, "/api/v1/documents", `{"name":"AC/DC","text":"x"}`), http.StatusCreated); d.Name != "AC-DC.md" {
		t.Errorf("%+v", d)
	}
}
