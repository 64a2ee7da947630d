package web_test

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
)

// TestLockedDocument: the password of a file opens it for one reading, and is nowhere afterwards.
func TestLockedDocument(t *testing.T) {
	t.Parallel()
	s, b := newReadingSite(t)
	d := documentIn(t, b.send("/api/v1/documents", "a.pdf", "locked with walnut"), http.StatusCreated)
	b.awaitDocument(d.ID, "failed")
	page, read := "/documents/"+d.ID, "/documents/"+d.ID+"/read"
	b.get(page).check(t, want{status: 200, has: []string{`type="password"`}, hasNot: []string{"doesn’t open"}})
	b.post(read, map[string][]string{"password": {strings.Repeat("x", 128)}}).check(t, want{status: 422, has: []string{`id="password-error"`, "is too long"}, hasNot: []string{"xxx"}})
	b.post(read, map[string][]string{"password": {"hazel"}}).check(t, want{status: 303, location: page})
	b.awaitDocument(d.ID, "failed")
	b.get(page).check(t, want{status: 200, has: []string{"This password doesn’t open the file."}, hasNot: []string{"hazel"}})
	b.get("/api/v1"+page).check(t, want{status: 200, has: []string{`"code":"password"`}})
	b.call(http.MethodPost, "/api/v1"+read, `{"password":"a\u0000b"}`).check(t, want{status: 422, has: []string{`"field":"password"`}})
	b.call(http.MethodPost, "/api/v1"+read, `{"encoding":"Big5"}`).check(t, want{status: 422, has: []string{`"field":"encoding"`}})
	b.call(http.MethodPost, "/api/v1"+read, `{"password":"walnut"}`).check(t, want{status: 200})
	b.awaitDocument(d.ID, "ready")
	b.call(http.MethodPost, "/api/v1"+read, `{"password":"walnut"}`).check(t, want{status: 422, has: []string{`"field":"password"`}})
	documentIn(t, b.put("/api/v1"+page+"/file", "b.pdf", "locked with walnut"), http.StatusOK)
	b.awaitDocument(d.ID, "failed") // the word is not known any more
	other := s.as(s.user("ben@example.org", agent.RoleUser))
	other.call(http.MethodPost, "/api/v1"+read, `{"password":"walnut","x":1}`).check(t, want{status: 404})
}

// TestReadAsChosen: people say how a text is written, and its version stays with that.
func TestReadAsChosen(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleAdmin)
	s.reading()
	b := s.as(ana)
	d := documentIn(t, b.send("/api/v1/documents", "a.csv", "part | price\nvalve | 12,5\n"), http.StatusCreated)
	b.awaitDocument(d.ID, "ready")
	page, read := "/documents/"+d.ID, "/documents/"+d.ID+"/read"
	b.get(page).check(t, want{status: 200, has: []string{"Find it out (GB18030)", "Find it out (Semicolon)", `<option value="Big5">`}})
	found, err := s.db.FindPassages(t.Context(), agent.Search{UserID: ana.ID, In: agent.Everything(), Query: "valve", Limit: 1})
	s.ok(err)
	b.post(read, map[string][]string{"encoding": {"x"}, "separator": {";"}}).check(t, want{status: 422, has: []string{`id="encoding-error"`}})
	b.post(read, map[string][]string{"encoding": {"Big5"}, "separator": {"\t"}}).check(t, want{status: 303, location: page})
	if got := b.awaitDocument(d.ID, "ready"); got.Version != 1 || got.Answers != 1 {
		t.Errorf("%+v", got)
	}
	b.get(page).check(t, want{status: 200, has: []string{`<option value="Big5" selected>`, `<option value="	" selected>`, "chosen"}})
	b.get("/api/v1/search?q=valve").check(t, want{status: 200, has: []string{`"items":[]`}})
	b.get("/passages/"+found[0].PassageID).check(t, want{status: 404})
	for _, separator := range []string{",", ";", `\t`, "|", ""} {
		b.call(http.MethodPost, "/api/v1"+read, `{"encoding":"Big5","separator":"`+separator+`"}`).check(t, want{status: 200})
		b.awaitDocument(d.ID, "ready")
	}
	b.get("/api/v1"+page).check(t, want{status: 200, has: []string{`"encoding":"Big5"`}})
	b.call(http.MethodPost, "/api/v1"+read, `{"separator":"|"}`).check(t, want{status: 200})
	b.awaitDocument(d.ID, "ready")
	b.get(page).check(t, want{status: 200, has: []string{`<option value="Big5" selected>`, `<option value="|" selected>`}}) // what was not sent stays
	b.call(http.MethodPost, "/api/v1"+read, `{"encoding":""}`).check(t, want{status: 200})
	b.awaitDocument(d.ID, "ready")
	b.get(page).check(t, want{status: 200, has: []string{`<option value="|" selected>`}, hasNot: []string{`<option value="Big5" selected>`}})
	b.call(http.MethodPost, "/api/v1"+read, `{"separator":""}`).check(t, want{status: 200})
	b.awaitDocument(d.ID, "ready")
	b.get("/api/v1"+page).check(t, want{status: 200, has: []string{`"encoding":"GB18030"`}}) // it was found out
	b.call(http.MethodPost, "/api/v1"+read, `{"separator":"x"}`).check(t, want{status: 422, has: []string{`"field":"separator"`}})
	note := documentIn(t, b.send("/api/v1/documents", "a.txt", "plain"), http.StatusCreated)
	b.awaitDocument(note.ID, "ready")
	b.call(http.MethodPost, "/api/v1/documents/"+note.ID+"/read", `{"separator":","}`).check(t, want{status: 422, has: []string{`"field":"separator"`}})
}

// TestChosenTooEarly: what is chosen for a document that waits to be read is refused, not dropped.
func TestChosenTooEarly(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("ana@example.org", agent.RoleAdmin))
	d := documentIn(t, b.send("/api/v1/documents", "a.csv", "part;price\n"), http.StatusCreated)
	page, read := "/documents/"+d.ID, "/documents/"+d.ID+"/read"
	for field, value := range map[string]string{"encoding": "", "separator": ";", "password": "walnut"} {
		b.post(read, map[string][]string{field: {value}}).check(t, want{status: 409, has: []string{"waits to be read"}, hasNot: []string{"walnut"}})
	}
	b.call(http.MethodPost, "/api/v1"+read, `{"encoding":"Big5"}`).check(t, want{status: 409})
	b.post(read, nil).check(t, want{status: 303, location: page}) // as it does anyway
}
