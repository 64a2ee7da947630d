package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// fields are what a call sends.
type fields = map[string]any

// told is what a call that was expected to be answered so has answered.
type told struct {
	testing.TB
	body string
}

// says makes a call and looks at how it is answered.
func (c client) says(method, path string, in fields, status int) told {
	c.s.t.Helper()
	var body []byte
	if in != nil {
		var err error
		body, err = json.Marshal(in)
		c.s.ok(err)
	}
	got := c.call(method, path, string(body))
	if got.status != status {
		c.s.t.Errorf("%s %s %s: %d, want %d: %s", method, path, body, got.status, status, got.body)
	}
	return told{c.s.t, got.body}
}

func (a told) id() string {
	a.Helper()
	var v struct{ ID string }
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		a.Fatal(err)
	}
	return v.ID
}

func (a told) has(texts ...string) told {
	a.Helper()
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			a.Errorf("no %s in %s", text, a.body)
		}
	}
	return a
}

func (a told) hasNot(text string) {
	a.Helper()
	if strings.Contains(a.body, text) {
		a.Errorf("%s in %s", text, a.body)
	}
}

// TestCollectionsOverTheAPI: people share what they choose with whom they choose, others find it
// from then on and no longer, and what is wrong is said of its field.
func TestCollectionsOverTheAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.reading()
	group := func(email, name string) client {
		u := s.user(email, agent.RoleUser)
		s.ok(s.db.PatchUser(t.Context(), u.ID, agent.UserPatch{Group: &name}))
		return s.client(u)
	}
	s.user("root@example.org", agent.RoleAdmin)
	ana, ben, dan := group("ana@example.org", "support"), group("ben@example.org", "support"), group("dan@example.org", "")
	house := ana.says(http.MethodPost, "/api/v1/collections", fields{"name": "House", "visibility": "group"}, 201).id()
	note := ana.says(http.MethodPost, "/api/v1/documents", fields{"name": "boiler", "text": "The boiler is emptied in May.", "collectionId": house}, 201).id()
	agenttest.Eventually(t, "the note", func() bool {
		return strings.Contains(ana.call(http.MethodGet, "/api/v1/documents/"+note, "").body, `"ready"`)
	})
	ben.says(http.MethodGet, "/api/v1/collections", nil, 200).has(`"name":"House"`, `"right":"read"`, `"owner":"ana@example.org"`, `"documents":1`)
	ben.says(http.MethodGet, "/api/v1/search?q=boiler", nil, 200).has(note)
	ben.says(http.MethodGet, "/api/v1/search?q=boiler&collectionId=own", nil, 200).hasNot(note)
	ben.says(http.MethodGet, "/api/v1/documents?collectionId="+house, nil, 200).has(note, `"collectionId":"`+house+`"`, `"right":"read"`)
	dan.says(http.MethodGet, "/api/v1/documents", nil, 200).hasNot(note)
	dan.says(http.MethodGet, "/api/v1/collections/"+house, nil, 404)
	ben.says(http.MethodPatch, "/api/v1/collections/"+house, fields{"name": "Mine"}, 403)
	ben.says(http.MethodDelete, "/api/v1/documents/"+note, nil, 403)
	ben.says(http.MethodPost, "/api/v1/documents", fields{"name": "n", "text": "n", "collectionId": house}, 403)
	ana.says(http.MethodPatch, "/api/v1/collections/"+house, fields{"access": "write", "groups": []string{"support", "sales"}}, 200).has(`"groups":["sales","support"]`)
	own := ben.says(http.MethodPost, "/api/v1/documents", fields{"name": "valve", "text": "The valve is brass."}, 201).id()
	ben.says(http.MethodPatch, "/api/v1/documents/"+own, fields{"collectionId": house}, 200).has(`"right":"write"`, `"collectionId":"`+house+`"`)
	ana.says(http.MethodPatch, "/api/v1/documents/"+own, fields{"collectionId": "own", "name": "valve of ben.md"}, 200).has(`"right":"own"`, `"name":"valve of ben.md"`).hasNot("collectionId")
	ben.says(http.MethodGet, "/api/v1/documents/"+own, nil, 404)
	ana.says(http.MethodPatch, "/api/v1/collections/"+house, fields{"visibility": "everybody", "access": "read"}, 200)
	dan.says(http.MethodGet, "/api/v1/collections/"+house, nil, 200).has(`"visibility":"everybody"`, `"access":"read"`)
	for field, in := range map[string]fields{
		"name":       {"name": " "},
		"visibility": {"name": "x", "visibility": "all"},
		"groups":     {"name": "x", "visibility": "group"}, // dan is in none
		"access":     {"name": "x", "access": "delete"},
	} {
		dan.says(http.MethodPost, "/api/v1/collections", in, 422).has(`"field":"` + field + `"`)
	}
	ana.says(http.MethodPost, "/api/v1/collections", fields{"name": "house", "visibility": "private"}, 409)
	ben.says(http.MethodDelete, "/api/v1/collections/"+house, nil, 403)
	ana.says(http.MethodDelete, "/api/v1/collections/"+house, nil, 204)
	ana.says(http.MethodGet, "/api/v1/documents/"+note, nil, 200).hasNot("collectionId")
	ben.says(http.MethodGet, "/api/v1/documents/"+note, nil, 404)
}

// TestChosenCollections: a chat and an agent search what they name, and nothing where they name nothing.
func TestChosenCollections(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.client(s.user("root@example.org", agent.RoleAdmin))
	id := admin.conversation()
	path := "/api/v1/conversations/" + id
	admin.says(http.MethodGet, path, nil, 200).has(`"collections":["all"]`)
	admin.says(http.MethodPatch, path, fields{"collections": []string{"own"}}, 200).has(`"collections":["own"]`)
	admin.says(http.MethodPatch, path, fields{"collections": []string{}}, 200).has(`"collections":[]`)
	admin.says(http.MethodPatch, path, fields{"title": "x"}, 200).has(`"collections":[]`)
	admin.says(http.MethodPatch, path, fields{"collections": []string{"all", "own"}}, 422).has(`"field":"collections"`)
	admin.says(http.MethodPatch, path, fields{"collections": []string{"own", "own"}}, 422)
	admin.says(http.MethodPatch, path, fields{"collections": []string{strings.Repeat("x", 65)}}, 422)
	admin.says(http.MethodPost, "/api/v1/agents", fields{"name": "clerk", "purpose": "Looks.", "instructions": "Look.", "knowledge": []string{"own"}}, 201).has(`"knowledge":["own"]`)
	admin.says(http.MethodPut, "/api/v1/agents/clerk", fields{"purpose": "Looks.", "instructions": "Look.", "knowledge": []string{}, "version": 1}, 200).has(`"knowledge":[]`)
	admin.says(http.MethodPut, "/api/v1/agents/clerk", fields{"purpose": "Looks.", "instructions": "Look.", "version": 2}, 200).hasNot("knowledge")
	admin.says(http.MethodPost, "/api/v1/agents", fields{"name": "bad", "purpose": "p", "instructions": "i", "knowledge": []string{""}}, 422).has(`"field":"knowledge"`)
}

// TestCollectionPages: people make, share, fill, and delete collections on pages, readers are offered
// nothing that they may not do, and are told why where they try.
func TestCollectionPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.reading()
	s.user("root@example.org", agent.RoleAdmin)
	support := "support"
	var people []*browser
	for _, email := range []string{"ana@example.org", "ben@example.org", "dan@example.org"} {
		u := s.user(email, agent.RoleUser)
		if email != "dan@example.org" {
			s.ok(s.db.PatchUser(t.Context(), u.ID, agent.UserPatch{Group: &support}))
		}
		people = append(people, s.as(u))
	}
	ana, ben, dan := people[0], people[1], people[2]
	dan.get("/collections/new").check(t, want{status: 200, has: []string{"You are in no group."}, hasNot: []string{`name="groups"`}})
	ana.post("/collections", url.Values{"name": {" "}, "visibility": {"group"}, "access": {"read"}}).check(t, want{status: 422, has: []string{`id="name-error"`}})
	made := ana.post("/collections", url.Values{"name": {"House <1>"}, "visibility": {"group"}, "groups": {"support"}, "access": {"read"}})
	path := made.header.Get("Location")
	if made.status != http.StatusSeeOther || !strings.HasPrefix(path, "/documents?collection=") {
		t.Fatalf("%d, to %s", made.status, path)
	}
	id := strings.TrimPrefix(path, "/documents?collection=")
	ana.get(path).check(t, want{status: 200, has: []string{"House &lt;1&gt;", "support", `href="/collections/` + id + `"`}})
	ana.post("/documents/notes?collection="+id, url.Values{"name": {"boiler"}, "text": {"The boiler is emptied in May."}}).check(t, want{status: 303, location: path})
	var listed struct{ Items []shownDocument }
	s.ok(json.Unmarshal([]byte(ana.get("/api/v1/documents?collectionId="+id).body), &listed))
	note := listed.Items[0].ID
	ana.awaitDocument(note, "ready")
	ben.get(path).check(t, want{status: 200, has: []string{"boiler.md", "ana@example.org"}, hasNot: []string{`type="file"`, `href="/collections/` + id + `"`}})
	ben.get("/documents/"+note).check(t, want{status: 200, has: []string{"emptied in May", "House &lt;1&gt;"}, hasNot: []string{"/documents/" + note + "/delete", "/documents/" + note + "/move"}})
	ben.post("/documents/"+note+"/name", url.Values{"name": {"mine"}}).check(t, want{status: 403, has: []string{"You can read this document, and not change it."}})
	ben.post("/documents/"+note+"/delete", nil).check(t, want{status: 403, has: []string{"Only the owner"}})
	ben.post("/collections/"+id, url.Values{"name": {"mine"}, "visibility": {"private"}, "access": {"read"}}).check(t, want{status: 403, has: []string{"Only its owner can change this collection."}})
	for _, absent := range []string{path, "/collections/" + id, "/documents/" + note} {
		closed, unknown := dan.get(absent), dan.get(strings.NewReplacer(id, "unknown", note, "unknown").Replace(absent))
		if closed.status != 404 || unknown.status != 404 {
			t.Errorf("%s: %d, and %d for what there is not", absent, closed.status, unknown.status)
		}
	}
	ana.post("/documents/"+note+"/move", url.Values{"collection": {"own"}}).check(t, want{status: 303, location: "/documents/" + note})
	ben.get("/documents/"+note).check(t, want{status: 404})
	ana.post("/collections/"+id+"/delete", nil).check(t, want{status: 303, location: "/documents?collection=own"})
	ana.get("/documents/"+note).check(t, want{status: 200, has: []string{"emptied in May"}})
}
