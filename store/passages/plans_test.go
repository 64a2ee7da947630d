package passages

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"fusebox/store/sqlite"
)

// TestVectorsAreFound: those of a collection are read by an index, and no others.
func TestVectorsAreFound(t *testing.T) {
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
	}, `EXPLAIN QUERY PLAN `+vectorsOf, "[1]", 1)
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(steps, "\n")
	for _, want := range []string{"SEARCH p USING COVERING INDEX passages_vector_model (vector_model=? AND scope=?)", "SEARCH v USING INTEGER PRIMARY KEY (rowid=?)"} {
		if !strings.Contains(plan, want) {
			t.Errorf("it is done by\n%s\nwant %s", plan, want)
		}
	}
}
