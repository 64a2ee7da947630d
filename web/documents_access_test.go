package web_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/web"
)

// logbook is what a server logs.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// shelf is a document of ben's in a collection, as one person knocks at its doors: with a browser, and
// with a program.
type shelf struct {
	*site
	b                             *browser
	c                             client
	collection, document, passage string
	own                           string // a document of the person
}

// shelfDoor is one way to a document, for those who have a right.
type shelfDoor struct {
	needs agent.Right
	knock func(shelf) answer
}

func api(method, path string, in fields) func(shelf) answer {
	return func(h shelf) answer {
		body := ""
		if in != nil {
			body = string(agent.MustJSON(in))
		}
		return h.c.call(method, h.at(path), h.at(body))
	}
}

func show(path string) func(shelf) answer { return func(h shelf) answer { return h.b.get(h.at(path)) } }

func submit(path string, in url.Values) func(shelf) answer {
	return func(h shelf) answer {
		for _, values := range in {
			values[0] = h.at(values[0])
		}
		return h.b.post(h.at(path), in)
	}
}

// sends sends a file.
func (h shelf) sends(method, path, content string, in ...string) answer {
	body, kind := fileForm("n.txt", content, in...)
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.url+h.at(path), body)
	h.ok(err)
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return h.b.do(req)
}

// at names what lies on the shelf.
func (h shelf) at(path string) string {
	return strings.NewReplacer("{d}", h.document, "{c}", h.collection, "{p}", h.passage, "{own}", h.own).Replace(path)
}

const document, aCollection = "/api/v1/documents/{d}", "/api/v1/collections/{c}"

// shelfDoors are the ways to a document that name it, or its collection, the harmless ones first.
var shelfDoors = []struct {
	name string
	shelfDoor
}{
	{"get", shelfDoor{agent.RightRead, api(http.MethodGet, document, nil)}},
	{"a version", shelfDoor{agent.RightRead, api(http.MethodGet, document+"?version=1", nil)}},
	{"text", shelfDoor{agent.RightRead, api(http.MethodGet, document+"/text", nil)}},
	{"text of a version", shelfDoor{agent.RightRead, api(http.MethodGet, document+"/text?version=1", nil)}},
	{"download", shelfDoor{agent.RightRead, api(http.MethodGet, document+"/file", nil)}},
	{"download of a version", shelfDoor{agent.RightRead, api(http.MethodGet, document+"/file?version=1", nil)}},
	{"page", shelfDoor{agent.RightRead, show("/documents/{d}")}},
	{"page of a version", shelfDoor{agent.RightRead, show("/documents/{d}?version=1")}},
	{"passage", shelfDoor{agent.RightRead, show("/passages/{p}")}},
	{"citation", shelfDoor{agent.RightRead, show("/passages/{p}?document={d}")}},
	{"collection", shelfDoor{agent.RightRead, api(http.MethodGet, aCollection, nil)}},
	{"page of the collection", shelfDoor{agent.RightRead, show("/documents?collection={c}")}},
	{"beside a chat", shelfDoor{agent.RightRead, func(h shelf) answer {
		return h.c.call(http.MethodPost, "/api/v1/conversations/"+h.c.conversation()+"/messages", h.at(`{"content":"x","documentId":"{d}"}`))
	}}},
	{"rename", shelfDoor{agent.RightWrite, api(http.MethodPatch, document, fields{"name": "secret other.txt"})}},
	{"rename on the page", shelfDoor{agent.RightWrite, submit("/documents/{d}/name", url.Values{"name": {"secret other.txt"}})}},
	{"read again", shelfDoor{agent.RightWrite, api(http.MethodPost, document+"/read", fields{"encoding": "UTF-8"})}},
	{"read again on the page", shelfDoor{agent.RightWrite, submit("/documents/{d}/read", url.Values{"encoding": {"GB18030"}})}},
	{"replace", shelfDoor{agent.RightWrite, func(h shelf) answer { return h.sends(http.MethodPut, document+"/file", "new words") }}},
	{"edit", shelfDoor{agent.RightWrite, submit("/documents/{d}/text", url.Values{"text": {"new words"}})}},
	{"upload into", shelfDoor{agent.RightWrite, func(h shelf) answer {
		return h.sends(http.MethodPost, "/api/v1/documents", "more words", "collectionId", h.collection)
	}}},
	{"note into", shelfDoor{agent.RightWrite, api(http.MethodPost, "/api/v1/documents", fields{"name": "n", "text": "note", "collectionId": "{c}"})}},
	{"note into, on the page", shelfDoor{agent.RightWrite, submit("/documents/notes?collection={c}", url.Values{"name": {"n"}, "text": {"note of a page"}})}},
	{"move into", shelfDoor{agent.RightWrite, api(http.MethodPatch, "/api/v1/documents/{own}", fields{"collectionId": "{c}"})}},
	{"page for sharing", shelfDoor{agent.RightRead, show("/collections/{c}")}},
	{"share", shelfDoor{agent.RightOwn, api(http.MethodPatch, aCollection, fields{})}},
	{"share on the page", shelfDoor{agent.RightOwn, submit("/collections/{c}", url.Values{"name": {"secret {c}"}, "visibility": {"private"}, "access": {"read"}})}},
	{"move away", shelfDoor{agent.RightOwn, api(http.MethodPatch, document, fields{"collectionId": "own"})}},
	{"move on the page", shelfDoor{agent.RightOwn, submit("/documents/{d}/move", url.Values{"collection": {"own"}})}},
	{"delete", shelfDoor{agent.RightOwn, api(http.MethodDelete, document, nil)}},
	{"delete on the page", shelfDoor{agent.RightOwn, submit("/documents/{d}/delete", nil)}},
	{"delete the collection", shelfDoor{agent.RightOwn, api(http.MethodDelete, aCollection, nil)}},
}

// chance is what two answers to the same person differ in by themselves.
var chance = regexp.MustCompile(`[A-Z0-9]{26}|id\d{8,}|nonce-[^'"]+`)

// TestWhoHasWhichDocuments: each person passes the doors that their right opens, and is refused at the
// others; to whom a document is closed gets to the byte what there is for ids that nobody has.
func TestWhoHasWhichDocuments(t *testing.T) {
	t.Parallel()
	for scene, row := range map[string]struct {
		visibility agent.Visibility
		access     agent.Right
		rights     map[string]agent.Right // of others than ben
	}{
		"private":            {agent.VisiblePrivate, agent.RightRead, nil},
		"readers of a group": {agent.VisibleGroup, agent.RightRead, map[string]agent.Right{"member": agent.RightRead}},
		"writers of a group": {agent.VisibleGroup, agent.RightWrite, map[string]agent.Right{"member": agent.RightWrite}},
		"readers everywhere": {agent.VisibleEverybody, agent.RightRead, map[string]agent.Right{"member": agent.RightRead, "former": agent.RightRead, "stranger": agent.RightRead, "root": agent.RightRead}},
	} {
		for _, who := range []string{"member", "former", "stranger", "root"} {
			t.Run(scene+"/"+who, func(t *testing.T) {
				t.Parallel()
				var log logbook
				h := newShelf(t, who, row.visibility, row.access, &log)
				h.lists(row.rights[who])
				for _, d := range shelfDoors {
					h.tries(d.name, d.shelfDoor, row.rights[who])
				}
				if strings.Contains(log.String(), "secret") {
					t.Errorf("the log tells: %s", log.String())
				}
			})
		}
	}
}

func newShelf(t *testing.T, who string, v agent.Visibility, access agent.Right, log *logbook) shelf {
	t.Helper()
	h := shelf{site: newSite(t, func(o *web.Options) { o.Logger = slog.New(slog.NewTextHandler(log, nil)) })}
	h.reading()
	people := map[string]agent.User{"root": h.user("root@example.org", agent.RoleAdmin)}
	for _, name := range []string{"ben", "member", "former", "stranger"} {
		people[name] = h.user(name+"@example.org", agent.RoleUser)
	}
	group := func(who, name string) {
		h.ok(h.db.PatchUser(t.Context(), people[who].ID, agent.UserPatch{Group: &name}))
	}
	group("ben", "support")
	group("member", "support")
	group("former", "support")
	ben := h.client(people["ben"])
	h.collection = ben.says(http.MethodPost, "/api/v1/collections", fields{"name": "secret house", "visibility": "everybody", "access": "write"}, 201).id()
	h.document = h.noteOf(ben, "secret note", "The secret boiler is emptied in May.", h.collection)
	found, err := h.db.FindPassages(t.Context(), agent.Search{UserID: people["ben"].ID, In: agent.Everything(), Query: "boiler", Limit: 1})
	h.ok(err)
	h.passage = found[0].PassageID
	h.b, h.c = h.as(people[who]), h.client(people[who])
	h.own = h.noteOf(h.c, "mine", "Mine is the valve.", "")
	ben.says(http.MethodPatch, "/api/v1/collections/"+h.collection, fields{"visibility": v, "access": access, "groups": []string{"support"}}, 200)
	group("former", "sales") // a second ago
	return h
}

func (s *site) noteOf(c client, name, text, collection string) string {
	s.t.Helper()
	id := c.says(http.MethodPost, "/api/v1/documents", fields{"name": name, "text": text, "collectionId": collection}, 201).id()
	agenttest.Eventually(s.t, "the note", func() bool {
		return strings.Contains(c.call(http.MethodGet, "/api/v1/documents/"+id, "").body, `"ready"`)
	})
	return id
}

// tries knocks at a door as somebody who is not the owner.
func (h shelf) tries(name string, d shelfDoor, right agent.Right) {
	h.t.Helper()
	got := d.knock(h)
	switch {
	case right >= d.needs:
		if got.status >= 400 && got.status != http.StatusConflict { // a file that has been read, or is there, is not again
			h.t.Errorf("%s: %d, want a pass: %s", name, got.status, got.body)
		}
	case right > agent.RightNone:
		if got.status != http.StatusForbidden {
			h.t.Errorf("%s: %d, want 403: %s", name, got.status, got.body)
		}
	default:
		absent := h
		absent.collection, absent.document, absent.passage = h.newID(), h.newID(), "p"+h.newID()
		none := d.knock(absent)
		ids := strings.NewReplacer(h.collection, "ID", absent.collection, "ID", h.document, "ID", absent.document, "ID", h.passage, "ID", absent.passage, "ID")
		had, want := chance.ReplaceAllString(ids.Replace(got.body), ""), chance.ReplaceAllString(ids.Replace(none.body), "")
		if got.status < 400 || none.status != got.status || had != want || strings.Contains(got.body, "secret") {
			h.t.Errorf("%s: %d, and %d for what there is not:\n%s\n%s", name, got.status, none.status, had, want)
		}
	}
}

// lists looks through everything that shows many documents, or counts them.
func (h shelf) lists(right agent.Right) {
	h.t.Helper()
	for _, path := range []string{
		"/api/v1/documents", "/api/v1/documents?collectionId={c}", "/api/v1/documents?search=secret", "/api/v1/search?q=boiler+emptied", "/api/v1/search?q=boiler&collectionId={c}",
		"/api/v1/collections", "/documents", "/documents?q=boiler",
	} {
		got := h.b.get(h.at(path))
		if open := strings.Contains(ownBell.ReplaceAllString(got.body, ""), "secret"); got.status != 200 || open != (right > agent.RightNone) {
			h.t.Errorf("%s: %d, shows it: %t", path, got.status, open)
		}
	}
	for _, path := range []string{"/api/v1/documents/state", "/documents/state", "/documents/import", "/api/v1/audit", "/admin/audit", "/admin/documents", "/admin/documents.csv", "/api/v1/documents/people", "/api/v1/search?q=boiler&collectionId=own", "/api/v1/notifications"} {
		if got := h.b.get(path); right != agent.RightOwn && strings.Contains(got.body, "secret") {
			h.t.Errorf("%s: %s", path, got.body)
		}
	}
	// The same text again is told of within a collection alone.
	if right != agent.RightOwn {
		told{h.t, h.c.call(http.MethodPost, "/api/v1/documents", `{"name":"copy","text":"The secret boiler is emptied in May."}`).body}.hasNot(h.document)
	}
	// A collection opens nothing by its name, nor does none open all.
	if right == agent.RightNone {
		h.c.says(http.MethodPost, "/api/v1/collections", fields{"name": h.collection, "visibility": "private"}, 201)
		told{h.t, h.c.call(http.MethodGet, "/api/v1/search?q=secret+boiler&collectionId="+h.collection, "").body}.hasNot(h.document)
		h.c.says(http.MethodGet, "/api/v1/search?q=boiler&collectionId=", nil, 400).hasNot(h.document)
		if closed, none := h.b.get(h.at("/passages/{p}?document={own}")), h.b.get(h.at("/passages/pnone?document={own}")); closed.header.Get("Location") != none.header.Get("Location") || closed.status != none.status {
			h.t.Errorf("a passage of another document: %d %s", closed.status, closed.header.Get("Location"))
		}
	}
}

// TestOwnersPassAllDoors knocks at each door as the owner.
func TestOwnersPassAllDoors(t *testing.T) {
	t.Parallel()
	h := newShelf(t, "ben", agent.VisiblePrivate, agent.RightRead, &logbook{})
	h.lists(agent.RightOwn)
	for i, d := range shelfDoors {
		h.tries(d.name, d.shelfDoor, agent.RightOwn)
		if strings.HasPrefix(d.name, "delete") {
			h.document = h.noteOf(h.c, "again", fmt.Sprint("again ", i), "")
		}
		if strings.HasPrefix(d.name, "move") {
			h.c.says(http.MethodPatch, h.at(document), fields{"collectionId": h.collection}, 200)
		}
	}
}
