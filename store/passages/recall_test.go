package passages_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/store"
	"fusebox/store/storetest"
)

// asked is a question, and the documents that answer it.
type asked struct {
	ID, Lang, Kind, Q string
	Expect            []string
}

// recall counts how questions of a kind are answered.
type recall struct {
	questions, among3 int
	ranks             float64
}

func (r recall) String() string {
	return fmt.Sprintf("recall@3 %d of %d, MRR %.2f", r.among3, r.questions, r.ranks/float64(r.questions))
}

// TestRecall: of short documents in two languages, the ones that answer are among the first
// three; where none does, nothing is found. The questions of the second set say most things
// in other words than the documents, or in the other language.
func TestRecall(t *testing.T) {
	t.Parallel()
	for set, floor := range map[string]int{"passages": 29, "words": 50} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			s := searched(t)
			for _, d := range readLines[struct{ ID, Name, Text string }](t, set, "documents.jsonl") {
				addText(t, s, d.ID, d.Name, d.Text)
			}
			sums := map[string]recall{}
			for _, q := range readLines[asked](t, set, "questions.jsonl") {
				found, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: q.Q, Limit: 10})
				check(t, err)
				rank := slices.IndexFunc(found, func(f agent.Found) bool { return slices.Contains(q.Expect, f.DocumentID) })
				right := rank >= 0 && rank < 3 || len(q.Expect) == 0 && len(found) == 0
				for _, kind := range []string{"all", q.Lang, q.Lang + " " + q.Kind} {
					r := sums[kind]
					r.questions++
					if right {
						r.among3++
						r.ranks += 1 / float64(max(rank, 0)+1)
					}
					sums[kind] = r
				}
				if !right {
					t.Logf("%s %q: want %v, got %v", q.ID, q.Q, q.Expect, documentsOf(found))
				}
			}
			for _, kind := range slices.Sorted(maps.Keys(sums)) {
				t.Logf("%-20s %s", kind, sums[kind])
			}
			if all := sums["all"]; all.among3 < floor {
				t.Errorf("%d questions of %d are answered, want at least %d", all.among3, all.questions, floor)
			}
		})
	}
}

// TestWordForms: forms of a word find each other, also those whose stems differ.
func TestWordForms(t *testing.T) {
	t.Parallel()
	s, made := searched(t), newMadeUp()
	forms := [][]string{{"use", "uses", "used", "using"}, {"agree", "agreed"}, {"free", "freed"}, {"status", "statuses"}, {"analysis", "analyses"}, {"plan", "planned", "planning", "plans"}}
	for _, of := range forms {
		for i, form := range of {
			addText(t, s, form, "note", form+" "+made.text(i))
		}
	}
	for _, of := range forms {
		for _, form := range of {
			found, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: form, Limit: 10})
			check(t, err)
			got := documentsOf(found)
			slices.Sort(got)
			if diff := cmp.Diff(slices.Sorted(slices.Values(of)), got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", form, diff)
			}
		}
	}
}

// TestUnknownIDs: a question about an id finds the id, however it is written, and nothing where
// no passage has it; short ones are words like others.
func TestUnknownIDs(t *testing.T) {
	t.Parallel()
	s := searched(t)
	addText(t, s, "pump", "pump.md", "Error E17 of the heat pump: the filter is blocked. Order part BL-4410 by phone.")
	addText(t, s, "sales", "sales.md", "In the third quarter the heat pump was sold 400 times.")
	for question, want := range map[string][]string{
		"What does error E17 of the heat pump mean?":       {"pump"},
		"error E-17 heat pump":                             {"pump"},
		"Order part BL4410 of the heat pump":               {"pump"},
		"Is it E17 or E99 of the heat pump?":               {"pump"},
		"What does error E97 of the heat pump mean?":       nil,
		"Which part of the heat pump is BL-9909?":          nil,
		"How often was the heat pump sold in Q3?":          {"sales"},
		"In which quarter of 2031 was the heat pump sold?": {"sales"},
	} {
		found, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: question, Limit: 1})
		check(t, err)
		if diff := cmp.Diff(want, documentsOf(found)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
	}
}

// open opens a database, which is closed after the test.
func open(t testing.TB, path string) *store.Store {
	t.Helper()
	s := openFile(t, storetest.Migrated(t, path))
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// searched is a store with the accounts ana and eve.
func searched(t testing.TB) *store.Store {
	t.Helper()
	s := open(t, filepath.Join(t.TempDir(), "f.db"))
	for _, id := range []string{"ana", "eve"} {
		check(t, s.CreateUser(t.Context(), agent.User{ID: id, Email: id + "@example.org", Role: agent.RoleAdmin}, "h"))
	}
	return s
}

// addText adds a document of ana's that is one passage.
func addText(t testing.TB, s *store.Store, id, name, text string) {
	t.Helper()
	check(t, s.IndexDocument(agent.Document{ID: id, UserID: "ana", Name: name, Version: 1}, text, []agent.Passage{{End: len(text)}}))
}

func documentsOf(found []agent.Found) (ids []string) {
	for _, f := range found {
		ids = append(ids, f.DocumentID)
	}
	return ids
}

// readLines reads a file of JSON lines, one of a set.
func readLines[T any](t *testing.T, set, name string) (all []T) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", set, name))
	check(t, err)
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		var v T
		check(t, json.Unmarshal(lines.Bytes(), &v))
		all = append(all, v)
	}
	return all
}
