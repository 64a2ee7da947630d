package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/passages"
	"fusebox/store"
	"fusebox/store/storetest"
)

// added stores a document, or a further version of one, that waits to be read.
func added(t *testing.T, s *store.Store, userID, id string, version int) agent.Document {
	t.Helper()
	d := agent.Document{ID: id, AddedBy: userID, Name: id + ".txt", File: fmt.Sprintf("%s-%d", id, version), Hash: fmt.Sprintf("%s-%d", id, version), Bytes: 1, State: agent.DocumentReading}
	var err error
	if version == 1 {
		d, err = s.AddDocument(t.Context(), d)
	} else {
		d, err = s.AddDocumentVersion(t.Context(), d)
	}
	check(t, err)
	return d
}

// read keeps a text as what was read of a document, each line a passage.
func read(t *testing.T, s *store.Store, d agent.Document, text string) {
	t.Helper()
	d.State, d.Reading = agent.DocumentReady, agent.Reading{Text: text, Sections: []agent.Section{{End: len(text)}}}
	var cut []agent.Passage
	at := 0
	for line := range strings.Lines(text) {
		cut = append(cut, agent.Passage{Start: at, End: at + len(line)})
		at += len(line)
	}
	check(t, s.FinishReading(t.Context(), d, cut))
}

func people(t *testing.T, path string) *store.Store {
	t.Helper()
	s := open(t, path, agenttest.NewClock(), nil)
	for _, name := range []string{"root", "ana", "ben"} {
		check(t, s.CreateUser(t.Context(), agent.User{ID: name, Email: name + "@example.org", Role: agent.RoleAdmin}, "h"))
	}
	return s
}

// TestQueueIsFair: nobody waits for another one's many files, nothing is begun twice, and a file
// that was stopped waits behind those that were not tried.
func TestQueueIsFair(t *testing.T) {
	t.Parallel()
	s := people(t, filepath.Join(t.TempDir(), "f.db"))
	for _, id := range []string{"a1", "a2", "a3"} {
		added(t, s, "ana", id, 1)
	}
	added(t, s, "ben", "b1", 1)
	var busy, order []string
	for range 4 {
		d, err := s.BeginReading(t.Context(), busy)
		check(t, err)
		busy, order = append(busy, d.ID), append(order, d.ID)
	}
	if got := strings.Join(order, " "); got != "a1 b1 a2 a3" {
		t.Errorf("begun in the order %s", got)
	}
	if _, err := s.BeginReading(t.Context(), busy); agent.CodeOf(err) != agent.NotFound {
		t.Errorf("a fifth: %v", err)
	}
	added(t, s, "ana", "a4", 1)
	if d, err := s.BeginReading(t.Context(), nil); err != nil || d.ID != "a4" || d.Tries != 1 {
		t.Errorf("after a stop: %+v, %v", d, err)
	}
	check(t, s.UncountTry(t.Context(), agent.Document{ID: "a4", Version: 1}))
	if d, err := s.BeginReading(t.Context(), nil); err != nil || d.ID != "a4" || d.Tries != 1 {
		t.Errorf("a try that was taken back: %+v, %v", d, err)
	}
}

// TestOldVersionAnswers: while a new version is indexed, and after it has failed, the old one is
// found as before, though the new one says nearly the same in many passages.
func TestOldVersionAnswers(t *testing.T) {
	t.Parallel()
	s := people(t, filepath.Join(t.TempDir(), "f.db"))
	text := strings.Repeat("The boiler key hangs beside the lantern.\n", 60)
	read(t, s, added(t, s, "ana", "a", 1), text)
	before, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "boiler key", Limit: 3})
	check(t, err)
	d := added(t, s, "ana", "a", 2)
	var cut []agent.Passage
	for i := range 60 {
		cut = append(cut, agent.Passage{Start: 41 * i, End: 41 * (i + 1)})
	}
	d.Reading.Text = text
	check(t, s.AddPassages(t.Context(), d, cut)) // and no more: the process has ended
	same := func(when string) {
		after, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "boiler key", Limit: 3})
		check(t, err)
		if len(before) == 0 || len(after) != len(before) || after[0].Version != 1 {
			t.Errorf("%s: %d passages are found, %d before", when, len(after), len(before))
		}
	}
	same("while it is indexed")
	d.State, d.Reading = agent.DocumentFailed, agent.Reading{Problem: agent.ProblemStopped}
	check(t, s.FinishReading(t.Context(), d, nil))
	same("after it has failed")
	storetest.Tidy(t, s)
	same("after tidying")
	if n := s.Count(t, "passages"); n != 60 {
		t.Errorf("%d passages are left", n)
	}
}

// TestRemovedPersonLeavesNothing: no byte of the documents of an account that was removed is left.
func TestRemovedPersonLeavesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	s := people(t, path)
	const marker = "quixotrybdenum"
	read(t, s, added(t, s, "ana", "a", 1), "The marker is "+marker+" here.\n")
	read(t, s, added(t, s, "ana", "a", 2), "The marker is "+marker+" again.\n")
	var words strings.Builder
	for i := range 400 {
		fmt.Fprintf(&words, "Ben has other words: %d, %d, and %d.\n", i*7919, i*104729, i*1299709)
	}
	read(t, s, added(t, s, "ana", "c", 1), words.String())
	read(t, s, added(t, s, "ben", "b", 1), words.String())
	check(t, s.RemoveUser(t.Context(), "ana", agent.UserData{}))
	storetest.Tidy(t, s)
	if done, err := s.Erase(t.Context()); !done || err != nil {
		t.Fatalf("erased: %t, %v", done, err)
	}
	if n := storetest.CountIn(t, path, marker); n > 0 {
		t.Errorf("the marker is %d times in the files", n)
	}
	files, err := s.DocumentLeftovers(t.Context(), "", 10)
	check(t, err)
	if strings.Join(files, " ") != "a-1 a-2 c-1" || s.Count(t, "passages") != 400 || s.Count(t, "passage_scopes") != 1 {
		t.Errorf("files %v, %d passages, %d scopes", files, s.Count(t, "passages"), s.Count(t, "passage_scopes"))
	}
	if found, err := s.FindPassages(t.Context(), agent.Search{UserID: "ben", In: agent.Everything(), Query: "1299709 104729", Limit: 1}); err != nil || len(found) != 1 {
		t.Errorf("ben finds %v, %v", found, err)
	}
	if faults, err := s.QuickCheck(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("the check finds %v, %v", faults, err)
	}
}

// TestDuplicateOfWhatIsDeleted: what waited as a duplicate is read once the other one is gone.
func TestDuplicateOfWhatIsDeleted(t *testing.T) {
	t.Parallel()
	s := people(t, filepath.Join(t.TempDir(), "f.db"))
	first := added(t, s, "ana", "a", 1)
	second, err := s.AddDocument(t.Context(), agent.Document{ID: "b", AddedBy: "ana", Name: "b", File: "b", Hash: first.Hash, State: agent.DocumentReading})
	check(t, err)
	if second.DuplicateOf != "a" || second.State != agent.DocumentFailed {
		t.Fatalf("%+v", second)
	}
	check(t, s.DeleteDocument(t.Context(), "ana", "a"))
	if d, err := s.Document(t.Context(), "ana", "b", 0); err != nil || d.State != agent.DocumentReading || d.DuplicateOf != "" || d.Reading.Problem != "" {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestDocumentsAreBounded: how much a person may keep, and how many versions of a document.
func TestDocumentsAreBounded(t *testing.T) {
	t.Parallel()
	s := people(t, filepath.Join(t.TempDir(), "f.db"))
	_, err := s.AddDocument(t.Context(), agent.Document{ID: "big", AddedBy: "ana", File: "big", Hash: "big", Bytes: agent.MaxDocumentSpace, State: agent.DocumentReading})
	check(t, err)
	if _, err := s.AddDocument(t.Context(), agent.Document{ID: "more", AddedBy: "ana", File: "more", Hash: "more", Bytes: 1}); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a byte too many: %v", err)
	}
	added(t, s, "ben", "b", 1)
	for version := 2; version <= agent.MaxDocumentVersions; version++ {
		added(t, s, "ben", "b", version)
	}
	if _, err := s.AddDocumentVersion(t.Context(), agent.Document{ID: "b", AddedBy: "ben", File: "x", Hash: "x"}); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a version too many: %v", err)
	}
}

// TestFullDiskKeepsNothingOfAReading: where the database has no room for the text of a document,
// it waits, and nothing of it is found; it is kept once there is room.
func TestFullDiskKeepsNothingOfAReading(t *testing.T) {
	t.Parallel()
	s := people(t, filepath.Join(t.TempDir(), "f.db"))
	found := func() int {
		found, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "weir", Limit: 10})
		check(t, err)
		return len(found)
	}
	text := strings.Repeat("The weir of the upper lock. ", 40_000)
	added, err := s.AddDocument(t.Context(), agent.Document{ID: "d", AddedBy: "ana", Name: "weir.txt", Hash: "h", File: "f", Bytes: 1, State: agent.DocumentReading})
	check(t, err)
	d, err := s.BeginReading(t.Context(), nil)
	if check(t, err); d.ID != added.ID {
		t.Fatalf("%+v is to be read", d)
	}
	d.State, d.Reading = agent.DocumentReady, agent.Reading{Type: agent.TypeText, Text: text, Sections: []agent.Section{{End: len(text)}}}
	cut := passages.Cut(&d.Reading)
	check(t, s.LimitPages(20))
	if err := s.FinishReading(t.Context(), d, cut); agent.CodeOf(err) != agent.Full {
		t.Errorf("without room: %v", err)
	}
	if n := found(); n > 0 {
		t.Errorf("%d passages are found", n)
	}
	check(t, s.UncountTry(t.Context(), d))
	check(t, s.LimitPages(1<<20))
	check(t, s.FinishReading(t.Context(), d, cut))
	if found() == 0 {
		t.Error("nothing is found once there is room")
	}
}

// TestReadDocumentIsNoneBeingRead: what has just been read is not said to be read still, while its
// reader is on its way out.
func TestReadDocumentIsNoneBeingRead(t *testing.T) {
	t.Parallel()
	s := people(t, filepath.Join(t.TempDir(), "f.db"))
	done, waits := added(t, s, "ana", "a", 1), added(t, s, "ana", "b", 1)
	read(t, s, done, "Pump 7 leaks.")
	now := time.Now()
	st, err := s.DocumentsState(t.Context(), "ana", map[string]time.Time{done.ID: now, waits.ID: now})
	check(t, err)
	if len(st.Reading) != 1 || st.Reading[0].ID != waits.ID || st.Waiting != 1 {
		t.Errorf("%d wait, of which are being read %v", st.Waiting, st.Reading)
	}
}
