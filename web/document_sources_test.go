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
