package store_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/store"
	"fusebox/store/storetest"
)

// shelves is a store with people of groups, and a collection of ana's with one document.
type shelves struct {
	*testing.T
	s *store.Store
}

func newShelves(t *testing.T) shelves {
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agent.SystemClock{}, nil)
	check(t, s.CreateUser(t.Context(), agent.User{ID: "root", Email: "root@example.org", Role: agent.RoleAdmin}, ""))
	for who, group := range map[string]string{"ana": "sales", "ben": "support", "dan": ""} {
		check(t, s.CreateUser(t.Context(), agent.User{ID: who, Email: who + "@example.org", Role: agent.RoleUser, Group: group}, ""))
	}
	return shelves{t, s}
}

func (h shelves) share(id string, v agent.Visibility, access agent.Right, groups ...string) {
	h.Helper()
	c := agent.Collection{ID: id, OwnerID: "ana", Name: id, Visibility: v, Access: access, Groups: groups}
	if _, err := h.s.Collection(h.Context(), "ana", id); err == nil {
		check(h, h.s.UpdateCollection(h.Context(), "ana", c))
		return
	}
	check(h, h.s.CreateCollection(h.Context(), c))
}

func (h shelves) keep(by, collection, id, text string) {
	h.Helper()
	d, err := h.s.AddDocument(h.Context(), agent.Document{ID: id, AddedBy: by, CollectionID: collection, Name: id + ".txt", File: id, Hash: id, Bytes: 1, State: agent.DocumentReading, AddedAt: time.Unix(1, 0)})
	check(h, err)
	read(h.T, h.s, d, text)
}

// finds are the names of the documents in which a person finds an answer.
func (h shelves) finds(who, question string, in ...string) string {
	h.Helper()
	choice := agent.CollectionChoice(in)
	if len(in) == 0 {
		choice = agent.Everything()
	}
	found, err := h.s.FindPassages(h.Context(), agent.Search{UserID: who, In: choice, Query: question, Limit: 10})
	check(h, err)
	var names []string
	for _, f := range found {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

// TestWhoFindsWhat: a person finds what is open to them at that moment, in the collections that
// are named, and an empty choice is nothing.
func TestWhoFindsWhat(t *testing.T) {
	t.Parallel()
	h := newShelves(t)
	h.share("house", agent.VisiblePrivate, agent.RightRead)
	h.keep("ana", "house", "boiler", "The boiler is emptied in May.\n")
	h.keep("ana", "", "diary", "My boiler hums.\n")
	h.keep("ben", "", "notes", "The boiler of Ben is blue.\n")
	for _, step := range []struct {
		visibility agent.Visibility
		groups     []string
		ben, dan   string
	}{
		{agent.VisiblePrivate, nil, "notes.txt", ""},
		{agent.VisibleGroup, []string{"support"}, "boiler.txt notes.txt", ""},
		{agent.VisibleGroup, []string{"sales"}, "notes.txt", ""},
		{agent.VisibleEverybody, nil, "boiler.txt notes.txt", "boiler.txt"},
	} {
		h.share("house", step.visibility, agent.RightRead, step.groups...)
		names := strings.Fields(h.finds("ben", "boiler"))
		if len(names) == 2 && names[0] > names[1] {
			names[0], names[1] = names[1], names[0]
		}
		if got, dan := strings.Join(names, " "), h.finds("dan", "boiler"); got != step.ben || dan != step.dan {
			t.Errorf("%s %v: ben finds %q, want %q; dan %q, want %q", step.visibility, step.groups, got, step.ben, dan, step.dan)
		}
	}
	for in, want := range map[string]string{"house": "boiler.txt", "own": "notes.txt", "ana": "", "ben": "notes.txt", "diary": "", "unknown": ""} {
		if got := h.finds("ben", "boiler", in); got != want {
			t.Errorf("in %s ben finds %q, want %q", in, got, want)
		}
	}
	found, err := h.s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.CollectionChoice{}, Query: "boiler", Limit: 10})
	if err != nil || len(found) > 0 {
		t.Errorf("in no collection: %v, %v", found, err)
	}
	// A group that is left is left at once.
	h.share("house", agent.VisibleGroup, agent.RightRead, "support")
	check(t, h.s.PatchUser(t.Context(), "ben", agent.UserPatch{Group: new(string)}))
	if got := h.finds("ben", "boiler"); got != "notes.txt" {
		t.Errorf("who left the group finds %q", got)
	}
}

// TestRightsInCollections: readers change nothing, writers add and replace, and only the owner
// deletes and moves; whom a document is not open to gets what nobody has.
func TestRightsInCollections(t *testing.T) {
	t.Parallel()
	h := newShelves(t)
	h.share("house", agent.VisibleGroup, agent.RightRead, "support")
	h.keep("ana", "house", "boiler", "The boiler is emptied in May.\n")
	h.keep("ben", "", "notes", "Ben's notes.\n")
	for _, tc := range []struct {
		access                         agent.Right
		who                            string
		rename, replace, add, deleting agent.Code
	}{
		{agent.RightRead, "ben", agent.Forbidden, agent.Forbidden, agent.Forbidden, agent.Forbidden},
		{agent.RightRead, "dan", agent.NotFound, agent.NotFound, agent.NotFound, agent.NotFound},
		{agent.RightWrite, "ben", "", "", "", agent.Forbidden},
		{agent.RightWrite, "dan", agent.NotFound, agent.NotFound, agent.NotFound, agent.NotFound},
	} {
		h.share("house", agent.VisibleGroup, tc.access, "support")
		id := tc.who + tc.access.String()
		_, replaced := h.s.AddDocumentVersion(t.Context(), agent.Document{ID: "boiler", AddedBy: tc.who, File: id + "-2", Hash: id, State: agent.DocumentReading})
		_, added := h.s.AddDocument(t.Context(), agent.Document{ID: id, AddedBy: tc.who, CollectionID: "house", Name: id, File: id, Hash: id + "-1", State: agent.DocumentReading})
		for what, got := range map[string][2]agent.Code{
			"rename":  {agent.CodeOf(h.s.RenameDocument(t.Context(), tc.who, "boiler", "heater.txt")), tc.rename},
			"replace": {agent.CodeOf(replaced), tc.replace},
			"add":     {agent.CodeOf(added), tc.add},
			"delete":  {agent.CodeOf(h.s.DeleteDocument(t.Context(), tc.who, "boiler")), tc.deleting},
			"move":    {agent.CodeOf(h.s.MoveDocument(t.Context(), tc.who, "boiler", tc.who)), tc.deleting},
		} {
			if got[0] != got[1] {
				t.Errorf("%s with %s: %s answers %q, want %q", tc.who, tc.access, what, got[0], got[1])
			}
		}
	}
	if d, err := h.s.Document(t.Context(), "ana", "benwrite", 0); err != nil || d.UserID != "ana" || d.AddedBy != "ben" || d.Right != agent.RightOwn {
		t.Errorf("what a writer added: %+v, %v", d, err)
	}
	if err := h.s.MoveDocument(t.Context(), "ben", "notes", "house"); err != nil {
		t.Errorf("moving an own document to where one may write: %v", err)
	}
	h.share("house", agent.VisiblePrivate, agent.RightRead)
	if _, err := h.s.Document(t.Context(), "ben", "notes", 0); agent.CodeOf(err) != agent.NotFound {
		t.Errorf("a document that was given away: %v", err)
	}
}

// TestMovedDocuments: what is moved is found in its new collection alone, all of it after a while,
// and a deleted collection leaves its documents to its owner.
func TestMovedDocuments(t *testing.T) {
	t.Parallel()
	h := newShelves(t)
	h.share("house", agent.VisibleEverybody, agent.RightRead)
	h.keep("ana", "", "boiler", strings.Repeat("The boiler is emptied in May.\n", 20)+"The boiler has the number QV7.\n")
	check(t, h.s.MoveDocument(t.Context(), "ana", "boiler", "house"))
	if got := h.finds("dan", "boiler emptied"); got == "" {
		t.Error("the first passages of a moved document are not found at once")
	}
	if got := h.finds("ana", "QV7", "own"); got != "" {
		t.Errorf("found where it was: %q", got)
	}
	storetest.Tidy(t, h.s)
	if got := h.finds("dan", "QV7"); got != "boiler.txt" {
		t.Errorf("the last passage of a moved document: %q", got)
	}
	check(t, h.s.DeleteCollection(t.Context(), "ana", "house"))
	storetest.Tidy(t, h.s)
	if dan, ana := h.finds("dan", "QV7"), h.finds("ana", "QV7", "own"); dan != "" || ana != "boiler.txt" {
		t.Errorf("of a deleted collection dan finds %q, ana %q", dan, ana)
	}
	if s := h.s.Count(t, "passage_scopes"); s != 1 {
		t.Errorf("%d scopes are left", s)
	}
}
