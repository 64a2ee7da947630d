package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// plainReader takes every file for a text of one section, but those that begin with a word for
// what becomes of them, and a table of prices. It does not come to the end of one that is endless.
type plainReader struct{}

func (plainReader) Read(ctx context.Context, d agent.Document, password string, file *os.File) (agent.Reading, error) {
	raw, err := io.ReadAll(file)
	if word, locked := strings.CutPrefix(string(raw), "locked with "); locked && password != word {
		r := agent.Reading{Type: agent.TypePDF, Problem: agent.ProblemLocked}
		if password != "" {
			r.Notes = []agent.ReadingNote{{Code: agent.NotePassword}}
		}
		return r, err
	}
	if d.Choice != (agent.ReadingChoice{}) {
		return agent.Reading{Type: agent.TypeCSV, Encoding: d.Choice.Encoding, Separator: d.Choice.Separator, Text: "chosen", Sections: []agent.Section{{End: 6}}}, err
	}
	if strings.HasPrefix(string(raw), "endless") {
		<-ctx.Done()
		return agent.Reading{}, ctx.Err()
	}
	if strings.HasPrefix(string(raw), "drawing") {
		return agent.Reading{Problem: agent.ProblemNoReader}, err
	}
	if strings.HasPrefix(string(raw), "broken") {
		return agent.Reading{Type: agent.TypePDF, Problem: agent.ProblemBroken}, err
	}
	if text := string(raw); strings.HasPrefix(text, "part | price\n") {
		return agent.Reading{
			Type: agent.TypeCSV, Title: "Prices", Tags: []string{"sale"}, Encoding: "GB18030", Separator: ";", Pages: 3, Text: text,
			Sections: []agent.Section{{Start: len("part | price\n"), End: len(text), Kind: agent.KindTable, Head: "part | price"}},
			Notes:    []agent.ReadingNote{{Code: agent.NoteNoText, Pages: []int{2}}, {Code: agent.NoteType, Name: "csv"}, {Code: agent.NoteHidden, Count: 4}},
		}, err
	}
	return agent.Reading{Type: agent.TypeText, Text: string(raw), Sections: []agent.Section{{End: len(raw), Headings: []string{"Part <1>"}}}}, err
}

// reading runs the queue until the test ends.
func (s *site) reading() {
	ctx, end := context.WithCancel(s.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.queue.Run(ctx)
	}()
	s.t.Cleanup(func() {
		end()
		agenttest.Receive(s.t, "the end of the queue", ended)
	})
}

// passage is the id of a passage of a document that somebody has.
func (s *site) passage(owner agent.User, words string) string {
	s.t.Helper()
	id := s.newID()
	d, err := s.db.AddDocument(s.t.Context(), agent.Document{ID: id, AddedBy: owner.ID, Name: "secret " + id, File: id, Hash: id, State: agent.DocumentReading, AddedAt: s.clock.Now()})
	s.ok(err)
	words += " " + id
	d.State, d.Reading = agent.DocumentReady, agent.Reading{Text: words, Sections: []agent.Section{{End: len(words)}}}
	s.ok(s.db.FinishReading(s.t.Context(), d, []agent.Passage{{End: len(words)}}))
	found, err := s.db.FindPassages(s.t.Context(), agent.Search{UserID: owner.ID, In: agent.Everything(), Query: id, Limit: 1})
	s.ok(err)
	return found[0].PassageID
}

type shownDocument struct {
	ID, Name, State, Problem, DuplicateOf string
	Version, Answers                      int
}

func documentIn(t testing.TB, a answer, status int) shownDocument {
	t.Helper()
	var d shownDocument
	if err := json.Unmarshal([]byte(a.body), &d); err != nil || a.status != status {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return d
}

func (b *browser) awaitDocument(id, state string) shownDocument {
	b.s.t.Helper()
	var d shownDocument
	agenttest.Eventually(b.s.t, "document "+id+" "+state, func() bool {
		d = documentIn(b.s.t, b.get("/api/v1/documents/"+id), http.StatusOK)
		return d.State == state
	})
	return d
}

// call sends JSON as the scripts of a page do.
func (b *browser) call(method, path, body string) answer {
	b.s.t.Helper()
	req, err := http.NewRequestWithContext(b.s.t.Context(), method, b.s.url+path, strings.NewReader(body))
	b.s.ok(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(req)
}

// put sends a file in the place of another.
func (b *browser) put(path, name, content string) answer {
	b.s.t.Helper()
	body, kind := fileForm(name, content)
	req, err := http.NewRequestWithContext(b.s.t.Context(), http.MethodPut, b.s.url+path, body)
	b.s.ok(err)
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(req)
}

func newReadingSite(t *testing.T) (*site, *browser) {
	t.Helper()
	s := newSite(t)
	s.user("first@example.org", agent.RoleAdmin)
	s.reading()
	return s, s.as(s.user("ana@example.org", agent.RoleUser))
}

// TestDocumentsByAPI: what is added is read, shown, downloaded, renamed, and gone when it is deleted.
func TestDocumentsByAPI(t *testing.T) {
	t.Parallel()
	s, b := newReadingSite(t)
	d := documentIn(t, b.send("/api/v1/documents", `C:\plans\<b>pumps.txt`, "Valve 9 was replaced."), http.StatusCreated)
	if d.State != "reading" || d.Name != "<b>pumps.txt" {
		t.Errorf("%+v", d)
	}
	if d = b.awaitDocument(d.ID, "ready"); d.Answers != 1 {
		t.Errorf("%+v", d)
	}
	at := "/api/v1/documents/" + d.ID
	b.get(at+"/text").check(t, want{status: 200, has: []string{"Valve 9 was replaced."}})
	if got := b.get(at + "/file"); got.body != "Valve 9 was replaced." || !strings.Contains(got.header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%v %q", got.header, got.body)
	}
	b.call(http.MethodPatch, at, `{"name":"季度.txt"}`).check(t, want{status: 200, has: []string{`"name":"季度.txt"`}})
	b.call(http.MethodPatch, at, `{"name":"a\u202eb"}`).check(t, want{status: 422, has: []string{`"field":"name"`}})
	b.call(http.MethodPatch, at, `{"name":" "}`).check(t, want{status: 422, has: []string{`"field":"name"`}})
	b.get("/api/v1/documents?search=季").check(t, want{status: 200, has: []string{d.ID}})
	b.get("/api/v1/documents?search=xyz").check(t, want{status: 200, hasNot: []string{d.ID}})
	b.get("/api/v1/documents?cursor=x").check(t, want{status: 400})
	b.get(at+"?version=0").check(t, want{status: 400, has: []string{`"field":"version"`}})
	b.get(at+"?version=2").check(t, want{status: 404})
	b.call(http.MethodPost, at+"/read", "").check(t, want{status: 409})
	b.call(http.MethodDelete, at, "").check(t, want{status: 204})
	b.get(at).check(t, want{status: 404})
	files, err := s.db.DocumentLeftovers(t.Context(), "", 10)
	s.ok(err)
	if len(files) != 0 {
		t.Errorf("leftovers %v", files)
	}
}

// TestManyDocumentsAtOnce: a request with several files is answered with all of them.
func TestManyDocumentsAtOnce(t *testing.T) {
	t.Parallel()
	_, b := newReadingSite(t)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for _, name := range []string{"季度.txt", "\xbc\xbe\xb6\xc8.md"} { // the second one in GBK
		part, err := w.CreateFormFile("file", name)
		b.s.ok(err)
		_, err = io.WriteString(part, name)
		b.s.ok(err)
	}
	b.s.ok(w.Close())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.s.url+"/api/v1/documents", &form)
	b.s.ok(err)
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	b.do(req).check(t, want{status: 201, has: []string{`"items":[{`, `"name":"季度.txt"`, `"name":"季度.md"`}})
}

// TestSameFileTwice: the person is told, and decides; another one with the same file is told nothing.
func TestSameFileTwice(t *testing.T) {
	t.Parallel()
	s, b := newReadingSite(t)
	first := documentIn(t, b.send("/api/v1/documents", "a.txt", "boiler key"), http.StatusCreated)
	duplicate := documentIn(t, b.send("/api/v1/documents", "b.txt", "boiler key"), http.StatusCreated)
	if duplicate.State != "failed" || duplicate.Problem != "duplicate" || duplicate.DuplicateOf != first.ID {
		t.Fatalf("%+v", duplicate)
	}
	b.get("/documents").check(t, want{status: 200, has: []string{"You already have this file.", "/documents/" + first.ID, "Keep both"}})
	b.call(http.MethodPost, "/api/v1/documents/"+duplicate.ID+"/read", "").check(t, want{status: 200})
	if kept := b.awaitDocument(duplicate.ID, "ready"); kept.DuplicateOf != "" {
		t.Errorf("%+v", kept)
	}
	other := s.as(s.user("ben@example.org", agent.RoleUser))
	if d := documentIn(t, other.send("/api/v1/documents", "a.txt", "boiler key"), http.StatusCreated); d.State != "reading" || d.DuplicateOf != "" {
		t.Errorf("%+v", d)
	}
}

// TestReplacedDocument: the old version answers until the new one has been read, and when it
// cannot be; it stays in the history.
func TestReplacedDocument(t *testing.T) {
	t.Parallel()
	_, b := newReadingSite(t)
	d := documentIn(t, b.send("/api/v1/documents", "duty.txt", "call 6103"), http.StatusCreated)
	b.awaitDocument(d.ID, "ready")
	at := "/api/v1/documents/" + d.ID
	documentIn(t, b.put(at+"/file", "duty.txt", "broken 6208"), http.StatusOK)
	if got := b.awaitDocument(d.ID, "failed"); got.Version != 2 || got.Answers != 1 || got.Problem != "broken" {
		t.Errorf("%+v", got)
	}
	b.get(at+"/text").check(t, want{status: 200, has: []string{"call 6103"}})
	b.get(at+"/text?version=2").check(t, want{status: 409})
	b.get("/documents/"+d.ID).check(t, want{status: 200, has: []string{"Damaged", "Try again", "searches find", "?version=1"}})
	documentIn(t, b.put(at+"/file", "duty.txt", "call 6208"), http.StatusOK)
	if got := b.awaitDocument(d.ID, "ready"); got.Version != 3 || got.Answers != 3 {
		t.Errorf("%+v", got)
	}
	b.get(at+"/text").check(t, want{status: 200, has: []string{"call 6208"}, hasNot: []string{"6103"}})
	b.get("/documents/"+d.ID+"?version=1").check(t, want{status: 200, has: []string{"call 6103", "This is version 1.", "Part &lt;1&gt;"}})
}

var documentLink = regexp.MustCompile(`href="/documents/(id\w+)"`)

// TestDocumentsByForms: everything works without scripts, and what is refused says why.
func TestDocumentsByForms(t *testing.T) {
	t.Parallel()
	_, b := newReadingSite(t)
	b.get("/documents").check(t, want{status: 200, has: []string{"No documents yet"}})
	b.send("/documents", "empty.txt", "").check(t, want{status: 422, has: []string{"is empty"}})
	b.post("/documents", nil).check(t, want{status: 422, has: []string{"is missing"}})
	b.send("/documents", "", "", "csrf_token", b.csrf).check(t, want{status: 422, has: []string{"is missing"}})
	b.send("/documents", "a.txt", "first", "csrf_token", b.csrf).check(t, want{status: 303, location: "/documents"}) // as browsers do that do not say where a form is from
	b.get("/documents?find=zzz").check(t, want{status: 200, has: []string{"Nothing in your documents", "zzz"}})
	id := documentLink.FindStringSubmatch(b.get("/documents").body)[1]
	b.awaitDocument(id, "ready")
	b.post("/documents/"+id+"/name", map[string][]string{"name": {strings.Repeat("x", 121)}}).check(t, want{status: 422, has: []string{"is too long"}})
	b.post("/documents/"+id+"/name", map[string][]string{"name": {"plan.txt"}}).check(t, want{status: 303, location: "/documents/" + id})
	b.send("/documents/"+id+"/file", "b.txt", "second").check(t, want{status: 303, location: "/documents/" + id})
	b.awaitDocument(id, "ready")
	b.get("/documents/"+id).check(t, want{status: 200, has: []string{"plan.txt", "second", "Version 2"}})
	b.post("/documents/"+id+"/read", nil).check(t, want{status: 303, location: "/documents/" + id})
	b.post("/documents/"+id+"/delete", nil).check(t, want{status: 303, location: "/documents"})
	b.get("/documents/"+id).check(t, want{status: 404})
}

// TestSearchedDocuments: passages are found by the API and the page, lead to their place in the
// document, and those of others are neither found nor shown.
func TestSearchedDocuments(t *testing.T) {
	t.Parallel()
	s, b := newReadingSite(t)
	ana, _, err := s.db.UserByEmail(t.Context(), "ana@example.org")
	s.ok(err)
	d := documentIn(t, b.send("/api/v1/documents", "pumps.txt", "Valve <9> of the boiler was replaced in May."), http.StatusCreated)
	b.awaitDocument(d.ID, "ready")
	b.get("/api/v1/search?q=boiler+valve").check(t, want{status: 200, has: []string{`"documentId":"` + d.ID, "replaced in May", `"name":"pumps.txt"`, `"passageId":"p`}})
	b.get("/api/v1/search?q=%3F%21").check(t, want{status: 400})
	b.get("/api/v1/search?q=").check(t, want{status: 400, has: []string{`"field":"q"`}})
	b.get("/api/v1/search?q=x&in=chats").check(t, want{status: 400, has: []string{`"field":"in"`}})
	b.get("/documents?find=boiler").check(t, want{status: 200, has: []string{"<mark>boiler</mark>", "Valve &lt;9&gt; of", "mark=0-44#passage"}})
	found, err := s.db.FindPassages(t.Context(), agent.Search{UserID: ana.ID, In: agent.Everything(), Query: "boiler", Limit: 1})
	s.ok(err)
	to := b.get("/passages/" + found[0].PassageID)
	to.check(t, want{status: 303, location: "/documents/" + d.ID + "?version=1&mark=0-44#passage"})
	b.get("/documents/"+d.ID+"?mark=0-44").check(t, want{status: 200, has: []string{`id="passage"`, "<mark>Valve &lt;9&gt; of the boiler was replaced in May.</mark>"}})
	b.get("/documents/"+d.ID+"?mark=40-99").check(t, want{status: 200, hasNot: []string{"<mark>"}})
	other := s.as(s.user("ben@example.org", agent.RoleUser))
	other.get("/api/v1/search?q=boiler").check(t, want{status: 200, has: []string{`"items":[]`}})
	other.get("/passages/"+found[0].PassageID).check(t, want{status: 404})
	b.put("/api/v1/documents/"+d.ID+"/file", "pumps.txt", "Nothing happened to any boiler.")
	b.awaitDocument(d.ID, "ready")
	b.get("/api/v1/search?q=boiler").check(t, want{status: 200, has: []string{"Nothing happened"}, hasNot: []string{"replaced in May"}})
	b.get("/passages/"+found[0].PassageID).check(t, want{status: 303, location: to.header.Get("Location")})
}

// TestIndexIsRebuilt: while the index is rebuilt, searches say so, and how far it is, in both languages.
func TestIndexIsRebuilt(t *testing.T) {
	t.Parallel()
	s, b := newReadingSite(t)
	d := documentIn(t, b.send("/api/v1/documents", "pumps.txt", "The valve of the boiler."), http.StatusCreated)
	b.awaitDocument(d.ID, "ready")
	s.tamper(`DELETE FROM passage_index_segdir`)
	b.get("/api/v1/search?q=boiler").check(t, want{status: 503, has: []string{"is being rebuilt: 0 of 1 passages"}})
	b.get("/documents?find=boiler").check(t, want{status: 200, has: []string{"is being rebuilt: 0 of 1 passages"}, hasNot: []string{"Nothing in your"}})
	b.asks("zh").get("/documents?find=boiler").check(t, want{status: 200, has: []string{"文档索引正在重建：已完成 0 / 1 个段落"}})
	for range 9 {
		_, err := s.db.Tidy(t.Context())
		s.ok(err)
	}
	b.get("/api/v1/search?q=boiler").check(t, want{status: 200, has: []string{d.ID}})
}

// TestWhatDocumentsSay: a document tells how it was read, a passage of a table what its columns
// are, and how many say the same; only pictures and texts are shown by browsers.
func TestWhatDocumentsSay(t *testing.T) {
	t.Parallel()
	_, b := newReadingSite(t)
	const api = "/api/v1/documents"
	first := documentIn(t, b.send(api, "a.csv", "part | price\nvalve | 12,5\n"), http.StatusCreated)
	b.awaitDocument(first.ID, "ready")
	b.get(api+"/"+first.ID+"?version=1").check(t, want{status: 200, has: []string{
		`"type":"csv","title":"Prices","tags":["sale"],"pages":3,"encoding":"GB18030","separator":";"`,
		`"notes":[{"code":"no_text","pages":[2]},{"code":"type","name":"csv"},{"code":"hidden","count":4}]`,
	}})
	b.get("/documents/"+first.ID).check(t, want{status: 200, has: []string{"The text was written in GB18030.", "No text on page 2", "but this is CSV", "4 pieces of hidden text", "<td>12,5</td>"}})
	b.get("/documents").check(t, want{status: 200, has: []string{"No text on page 2", "3 pages"}})
	second := documentIn(t, b.send(api, "b.csv", "part | price\nvalve | 12,5\n\n"), http.StatusCreated)
	b.awaitDocument(second.ID, "ready")
	b.get("/api/v1/search?q=valve&in=documents&limit=5").check(t, want{status: 200, has: []string{`"head":"part | price"`, `"more":1`}})
	b.get("/documents?find=valve").check(t, want{status: 200, has: []string{"1 other passage says nearly the same.", "part | price"}})
	b.get(api+"/"+first.ID+"/text?version=1").check(t, want{status: 200, has: []string{"valve"}})
	page := b.get(api + "?limit=1")
	page.check(t, want{status: 200, has: []string{second.ID, `"nextCursor"`}, hasNot: []string{first.ID}})
	var next struct{ NextCursor string }
	b.s.ok(json.Unmarshal([]byte(page.body), &next))
	b.get(api+"?limit=1&cursor="+next.NextCursor).check(t, want{status: 200, has: []string{first.ID}})
	for content, kind := range map[string]string{
		"\x89PNG\r\n\x1a\n": "image/png", "\xff\xd8\xff": "image/jpeg", "GIF89a": "image/gif", "RIFF\x00\x00\x00\x00WEBPVP": "image/webp", "<script>alert(1)</script>": "application/octet-stream",
	} {
		d := documentIn(t, b.send(api, "<b>.png", content), http.StatusCreated)
		if got := b.get(api + "/" + d.ID + "/file?version=1"); got.status != 200 || got.header.Get("Content-Type") != kind {
			t.Errorf("%q is sent as %s", content, got.header.Get("Content-Type"))
		}
	}
}

// TestLongDocuments: a page shows a part of a long text, also where it is one line or one table,
// and leads to the parts before and behind it.
func TestLongDocuments(t *testing.T) {
	t.Parallel()
	_, b := newReadingSite(t)
	for name, text := range map[string]string{
		"lines": strings.Repeat("Pump 7 trips at 16 A.\n", 20_000), "one line": strings.Repeat("水泵七", 100_000),
		"table": "part | price\n" + strings.Repeat("valve | 12,5\n", 30_000),
	} {
		d := documentIn(t, b.send("/api/v1/documents", name, text), http.StatusCreated)
		b.awaitDocument(d.ID, "ready")
		shown, next, seen := 0, "/documents/"+d.ID, map[string]bool{}
		for next != "" && !seen[next] {
			seen[next] = true
			page := b.get(next)
			if page.status != 200 || len(page.body) > 500_000 {
				t.Fatalf("%s: %s is %d, %d bytes", name, next, page.status, len(page.body))
			}
			shown += strings.Count(page.body, "Pump 7") + strings.Count(page.body, "水泵七") + strings.Count(page.body, "<td>valve")
			next = ""
			if m := laterPart.FindStringSubmatch(page.body); m != nil {
				next = strings.ReplaceAll(m[1], "&amp;", "&")
			}
		}
		if all := strings.Count(text, "Pump 7") + strings.Count(text, "水泵七") + strings.Count(text, "valve"); shown < all*99/100 || shown > all {
			t.Errorf("%s: %d of %d are shown", name, shown, all)
		}
		b.get("/documents/"+d.ID+"?mark=200000-200003").check(t, want{status: 200, has: []string{"Earlier part", "Next part", `id="passage"`}})
	}
}

var laterPart = regexp.MustCompile(`href="([^"]+)">Next part<`)

// TestMessageAboutDocument: a message names a document of the person, and no other.
func TestMessageAboutDocument(t *testing.T) {
	t.Parallel()
	s, c := newReadingSite(t)
	id := documentIn(t, c.send("/api/v1/documents", "plan.txt", "Pump 7"), http.StatusCreated).ID
	chat := decoded[struct{ ID string }](t, c.call(http.MethodPost, "/api/v1/conversations", `{}`), http.StatusCreated).ID
	ben := s.as(s.user("ben@example.org", agent.RoleUser))
	for _, foreign := range []string{documentIn(t, ben.send("/api/v1/documents", "x.txt", "x"), http.StatusCreated).ID, "absent"} {
		c.call(http.MethodPost, "/api/v1/conversations/"+chat+"/messages", `{"content":"x","documentId":"`+foreign+`"}`).
			check(t, want{status: 422, has: []string{`"field":"documentId"`, "there is no such document of yours"}})
	}
	c.call(http.MethodPost, "/api/v1/conversations/"+chat+"/messages", `{"content":"Sum it up","documentId":"`+id+`"}`).check(t, want{status: http.StatusAccepted})
	c.get("/api/v1/conversations/"+chat+"/messages").check(t, want{status: 200, has: []string{`"documentId":"` + id + `"`}})
	c.get("/c/"+chat+"?document="+id).check(t, want{status: 200, has: []string{`name="document_id" value="` + id + `"`, "plan.txt", "About a document"}})
	c.get("/?document="+id).check(t, want{status: 200, has: []string{`name="document_id" value="` + id + `"`}})
}

// TestNotes: people write short documents in place, and edit them; each change is a version.
func TestNotes(t *testing.T) {
	t.Parallel()
	_, b := newReadingSite(t)
	b.get("/documents")
	b.post("/documents/notes", map[string][]string{"name": {""}, "text": {"<b>kept</b>"}}).check(t, want{status: 422, has: []string{"&lt;b&gt;kept&lt;/b&gt;", `id="note-name-error"`}})
	b.post("/documents/notes", map[string][]string{"name": {"Pumps"}, "text": {" "}}).check(t, want{status: 422, has: []string{`id="note-text-error"`}})
	b.post("/documents/notes", map[string][]string{"name": {"Pumps"}, "text": {strings.Repeat("x", agent.MaxNoteBytes+1)}}).check(t, want{status: 422, has: []string{"is too long"}})
	b.post("/documents/notes", map[string][]string{"name": {"Pumps"}, "text": {"Pump 7 is old."}}).check(t, want{status: 303, location: "/documents"})
	id := documentLink.FindStringSubmatch(b.get("/documents").body)[1]
	if d := b.awaitDocument(id, "ready"); d.Name != "Pumps.md" {
		t.Errorf("%+v", d)
	}
	b.get("/documents/"+id).check(t, want{status: 200, has: []string{">Pump 7 is old.</textarea>"}})
	b.post("/documents/"+id+"/text", map[string][]string{"text": {""}}).check(t, want{status: 422, has: []string{`id="note-text-error"`}})
	b.post("/documents/"+id+"/text", map[string][]string{"text": {"Pump 7 is new."}}).check(t, want{status: 303, location: "/documents/" + id})
	if d := b.awaitDocument(id, "ready"); d.Version != 2 {
		t.Errorf("%+v", d)
	}
	b.get("/api/v1/search?q=pump+7").check(t, want{status: 200, has: []string{"is new"}, hasNot: []string{"is old"}})
	table := documentIn(t, b.send("/api/v1/documents", "a.csv", "part | price\nvalve | 12,5\n"), http.StatusCreated)
	b.awaitDocument(table.ID, "ready")
	b.get("/documents/"+table.ID).check(t, want{status: 200, hasNot: []string{"</textarea>"}})
	b.post("/documents/"+table.ID+"/text", map[string][]string{"text": {"x"}}).check(t, want{status: 409})
}
