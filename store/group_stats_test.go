package store

import (
	"errors"
	"testing"
)

// TestGroupStats: each commit tells how many writes shared it; one that is taken
// back is no commit.
func TestGroupStats(t *testing.T) {
	t.Parallel()
	s := openFor(t, nil)
	var told []GroupStats
	s.db.write.onGroup = func(g GroupStats) { told = append(told, g) }
	together(t, s, note("1", ""), note("2", ""), note("3", ""))
	broken := errors.New("broken")
	if err := s.db.Write(t.Context(), true, func(*tx) error { return broken }); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	if len(told) != 2 {
		t.Fatalf("%d commits: %+v", len(told), told)
	}
	if told[0].Writes != 1 || told[0].Waiting != 3 || told[1].Writes != 3 || told[1].Waiting != 0 || told[0].Took <= 0 {
		t.Errorf("commits: %+v", told)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
