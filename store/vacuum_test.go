package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store/storetest"
)

// TestSpaceIsReturned: what pruning frees makes the file smaller, but for a share that
// is left for what comes next.
func TestSpaceIsReturned(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	clock := agenttest.NewClock()
	s := open2(t, path)
	run := seed(t, s, clock)
	deltas := make([]agent.Event, 500)
	for i := range deltas {
		deltas[i] = agent.Event{RunID: run.ID, Data: agent.TextDelta{ID: "a", Delta: strings.Repeat("x", 1000)}}
	}
	change := agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch}
	for range 20 {
		change.Events = deltas
		_, err := s.Append(t.Context(), change)
		check(t, err)
	}
	end := *run
	end.Status, end.EndedAt = agent.StatusFinished, clock.Now()
	change.Events, change.Run = []agent.Event{{RunID: run.ID, Data: agent.MessageEvent{Message: agent.Message{ID: "a", Content: "x"}}}}, &end
	_, err := s.Append(t.Context(), change)
	check(t, err)
	if n, err := s.ReturnSpace(t.Context()); n != 0 || err != nil {
		t.Errorf("%d pages were returned before anything was pruned: %v", n, err)
	}
	clock.Advance(2 * time.Hour)
	n, err := s.PruneDeltas(t.Context(), clock.Now().Add(-time.Hour), 1_000_000)
	check(t, err)
	if n != 10_000 {
		t.Fatalf("%d deltas were pruned", n)
	}
	before := storetest.Pages(t, path)
	one, err := s.ReturnSpace(t.Context())
	check(t, err)
	var rest int64
	for n := one; n > 0; rest += n {
		n, err = s.ReturnSpace(t.Context())
		check(t, err)
	}
	check(t, s.Close())
	after := storetest.Pages(t, path)
	if one != 64 || before-after != one+rest || after > before/4 {
		t.Errorf("of %d pages %d were left; one step returned %d, the others %d", before, after, one, rest)
	}
	file, err := os.Stat(path)
	check(t, err)
	if file.Size() != after*4096 {
		t.Errorf("the file has %d bytes, want %d pages of 4096", file.Size(), after)
	}
}

// TestBackupReturnsSpace: an older database, which does not return space, has a copy
// that does.
func TestBackupReturnsSpace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, restored := filepath.Join(dir, "old.db"), filepath.Join(dir, "new.db")
	_, err := raw(t, old).ExecContext(t.Context(), `CREATE TABLE older (n BIGINT)`)
	check(t, err)
	copyOf(t, old, restored)
	for path, want := range map[string]int{old: 0, restored: 2} {
		var mode int
		check(t, raw(t, path).QueryRowContext(t.Context(), `PRAGMA auto_vacuum`).Scan(&mode))
		if mode != want {
			t.Errorf("%s has mode %d, want %d", filepath.Base(path), mode, want)
		}
	}
}
