package passages_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
	"fusebox/store/storetest"
)

// TestDamagedIndexIsRebuilt: whatever the index has lost, a search says that it is being
// rebuilt, and never that there is nothing; a restart in the middle goes on where it was, and
// in the end all is found that was there, and came meanwhile.
func TestDamagedIndexIsRebuilt(t *testing.T) {
	t.Parallel()
	whole := indexed(t)
	for name, damage := range map[string]string{
		"no segments":       `DROP TABLE passage_index_segments`,
		"no segdir":         `DROP TABLE passage_index_segdir`,
		"no content":        `DROP TABLE passage_index_content`,
		"no stat":           `DROP TABLE passage_index_stat`,
		"empty segments":    `DELETE FROM passage_index_segments`,
		"empty segdir":      `DELETE FROM passage_index_segdir`,
		"empty content":     `DELETE FROM passage_index_content`,
		"damaged segments":  `UPDATE passage_index_segments SET block = zeroblob(length(block))`,
		"damaged segdir":    `UPDATE passage_index_segdir SET root = X'ffffffffff'`,
		"cut segments":      `UPDATE passage_index_segments SET block = substr(block, 1, 20)`,
		"one segment":       `UPDATE passage_index_segments SET block = zeroblob(length(block)) WHERE blockid = (SELECT blockid FROM passage_index_segments LIMIT 1 OFFSET 2)`,
		"one passage":       `DELETE FROM passage_index_content WHERE docid = (SELECT MAX(docid) / 2 FROM passage_index_content)`,
		"text, not numbers": `UPDATE passage_index_segdir SET start_block = 'x'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "f.db")
			check(t, os.WriteFile(path, whole, 0o600))
			change(t, path, damage)

			s := openFile(t, path)
			if !isRebuilt(t, s, "0 of 120") {
				faults, err := s.QuickCheck(t.Context())
				if check(t, err); len(faults) > 0 || !isRebuilt(t, s, "0 of 120") {
					t.Fatalf("the check finds %v, and the index is not rebuilt", faults)
				}
			}
			addText(t, s, "new", "new", "A note on WR-777 that came meanwhile.")
			for range 6 {
				_, err := s.Tidy(t.Context())
				check(t, err)
			}
			check(t, s.Close())
			s = openFile(t, path)
			if !isRebuilt(t, s, " of 121") {
				t.Fatal("the rebuild did not survive a restart")
			}
			check(t, s.RemoveDocument("d7"))
			storetest.Tidy(t, s)
			for question, want := range map[string]string{"WR-000": "d0", "WR-119": "d119", "WR-777": "new"} {
				if got := ask(t, s, question); len(got) == 0 || got[0] != want {
					t.Errorf("%q finds %v, want %s", question, got, want)
				}
			}
			if got := ask(t, s, "keeper 55433"); len(got) > 0 && got[0] == "d7" {
				t.Error("what was deleted meanwhile is found")
			}
			check(t, s.Exec(`INSERT INTO passage_index (passage_index) VALUES ('integrity-check')`))
			check(t, s.Close())
		})
	}
}

// TestSoundIndexStays: a search that is given up, or that finds no word, rebuilds nothing, also
// where somebody has signs alone.
func TestSoundIndexStays(t *testing.T) {
	t.Parallel()
	s := searched(t)
	addText(t, s, "lock", "lock", "The lock of WR-007 is closed.")
	check(t, s.IndexDocument(agent.Document{ID: "signs", UserID: "eve", Name: "!!!", Version: 1}, "--- !!!", []agent.Passage{{End: 7}}))
	given, giveUp := context.WithCancel(t.Context())
	giveUp()
	if _, err := s.FindPassages(given, agent.Search{UserID: "ana", In: agent.Everything(), Query: "WR-007", Limit: 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that is given up: %v", err)
	}
	if got := ask(t, s, "quinces"); len(got) > 0 {
		t.Errorf("found %v", got)
	}
	if isRebuilt(t, s, "") {
		t.Error("a sound index is rebuilt")
	}
}

// indexed is a database with 120 documents.
func indexed(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.db")
	s := openFile(t, storetest.Migrated(t, path))
	check(t, s.CreateUser(t.Context(), agent.User{ID: "ana", Email: "ana@example.org", Role: agent.RoleAdmin}, "h"))
	made := newMadeUp()
	for i := range 120 {
		addText(t, s, fmt.Sprint("d", i), fmt.Sprint("d", i), fmt.Sprintf("Lock %d of the weir WR-%03d is closed by keeper %d. 水闸。", i, i, i*7919)+made.text(i))
	}
	check(t, s.Close())
	whole, err := os.ReadFile(path)
	check(t, err)
	return whole
}

// openFile opens a database that the test closes.
func openFile(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: path, Clock: agenttest.NewClock(), NewID: agenttest.IDs(), Logger: slog.New(slog.DiscardHandler)})
	check(t, err)
	return s
}

// isRebuilt reports whether a search says that the index is being rebuilt, and how far it is.
func isRebuilt(t *testing.T, s *store.Store, far string) bool {
	t.Helper()
	found, err := s.FindPassages(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "WR-007", Limit: 3})
	if err == nil {
		t.Logf("found %v", documentsOf(found))
		return false
	}
	if agent.CodeOf(err) != agent.Unavailable || !strings.Contains(err.Error(), far) {
		t.Fatalf("a search fails: %v", err)
	}
	return true
}

// change changes a database that is not open.
func change(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	check(t, err)
	defer func() { check(t, db.Close()) }()
	done, err := db.ExecContext(t.Context(), statement)
	check(t, err)
	if n, err := done.RowsAffected(); err != nil || n == 0 && !strings.HasPrefix(statement, "DROP") {
		t.Fatalf("%s changes %d rows: %v", statement, n, err)
	}
}
