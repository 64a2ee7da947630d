package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"

	"fusebox/agent/agenttest"
)

// TestClosedAfterInterruptedReads: the write-ahead log is taken into the file, though the
// last queries of the readers were interrupted.
func TestClosedAfterInterruptedReads(t *testing.T) {
	t.Parallel()
	db := opened(t, nil, nil)
	for range 20 { // one may be given up before SQLite has begun with it
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			var n int
			ended <- db.QueryRowContext(ctx, `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n`).Scan(&n)
		}()
		agenttest.Eventually(t, "a query at work", func() bool { return db.read.Stats().InUse > 0 })
		cancel()
		if err := agenttest.Receive(t, "the end of a query", ended); err == nil {
			t.Fatal("a query without an end has ended")
		}
	}
	if err := db.Write(t.Context(), true, note("last", "")); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(db.path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log is left beside the file: %v", err)
	}
}
