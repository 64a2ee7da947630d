package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"
)

// TestClosedAfterInterruptedReads: the write-ahead log is taken into the file, though the
// last queries of the readers were interrupted.
func TestClosedAfterInterruptedReads(t *testing.T) {
	t.Parallel()
	db := opened(t, nil, nil)
	for range 20 {
		// Perhaps it is over before the query has begun, but hardly each time.
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
		var n int
		err := db.QueryRowContext(ctx, `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n`).Scan(&n)
		cancel()
		if err == nil {
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
