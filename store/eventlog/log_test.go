package eventlog

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"fusebox/store/sqlite"
)

// TestEventsOfARunAreFound: they are read by the indexes of runs and of conversations.
func TestEventsOfARunAreFound(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "f.db"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	steps, err := sqlite.List(t.Context(), db, func(r sqlite.Scanner) (string, error) {
		var id, parent, unused int
		var detail string
		err := r.Scan(&id, &parent, &unused, &detail)
		return detail, err
	}, `EXPLAIN QUERY PLAN SELECT 1 FROM events e WHERE `+ofRun, "r")
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(steps, "\n")
	for _, want := range []string{"(conversation_id=? AND seq>? AND seq<?)", "INDEX events_run (run_id=?)"} {
		if !strings.Contains(plan, want) {
			t.Errorf("it is done by\n%s\nwant %s", plan, want)
		}
	}
}
