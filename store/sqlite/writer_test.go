package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// These tests reach behind the door: what a full disk, a bug or a stop does to
// writes that share a commit cannot be arranged from outside.

func opened(t *testing.T, onCommit func([]agent.Event), onGroup func(GroupStats)) *DB {
	t.Helper()
	db, err := Open(t.Context(), Options{
		Path: filepath.Join(t.TempDir(), "f.db"), Clock: agenttest.NewClock(), NewID: agenttest.IDs(), Log: slog.New(slog.DiscardHandler),
		OnCommit: onCommit, OnGroup: onGroup,
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// note is a write whose trace can be looked for.
func note(id, detail string) func(*Tx) error {
	return func(t *Tx) error {
		t.Events = append(t.Events, agent.Event{Data: agent.Notice{Message: id}})
		_, err := t.Exec(`INSERT INTO settings (key, value) VALUES ($1, $2)`, id, detail)
		return err
	}
}

func (db *DB) noted(t *testing.T) string {
	t.Helper()
	ids, err := List(context.Background(), db, ScanString, `SELECT key FROM settings ORDER BY key`)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(ids, " ")
}

// awaitQueued returns once n writes are waiting.
func (db *DB) awaitQueued(t *testing.T, n int) {
	t.Helper()
	agenttest.Eventually(t, fmt.Sprintf("%d writes in the queue", n), func() bool { return len(db.write.queue) >= n })
}

// together queues writes behind one that waits, so that they share a commit,
// and returns what each was answered.
func together(t *testing.T, db *DB, fns ...func(*Tx) error) []error {
	t.Helper()
	running, release := make(chan struct{}), make(chan struct{})
	errs := make([]error, len(fns))
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = db.Write(context.Background(), false, func(*Tx) error {
			close(running)
			<-release
			return nil
		})
	})
	<-running
	for i, fn := range fns {
		wg.Go(func() { errs[i] = db.Write(context.Background(), false, fn) })
		db.awaitQueued(t, i+1)
	}
	close(release)
	wg.Wait()
	return errs
}

func TestWritesOfOneCommitFailAlone(t *testing.T) {
	t.Parallel()
	var told []agent.Event
	db := opened(t, func(events []agent.Event) { told = append(told, events...) }, nil)
	broken := errors.New("broken")
	errs := together(t, db,
		note("1", ""),
		func(t *Tx) error { return errors.Join(note("2", "")(t), broken) },
		func(t *Tx) error { _ = note("3", "")(t); panic("a bug") },
		note("4", ""),
	)
	if errs[0] != nil || !errors.Is(errs[1], broken) || errs[2] == nil || errs[3] != nil {
		t.Errorf("answers: %v", errs)
	}
	if got := db.noted(t); got != "1 4" || len(told) != 2 {
		t.Errorf("rows %q, %d events; want 1 and 4 alone", got, len(told))
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// TestFullDisk: SQLite takes the whole transaction back in the middle. Nobody
// may be told that their write was committed, nor that a committed one was not.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	told := 0
	db := opened(t, func(events []agent.Event) { told += len(events) }, nil)
	var pages int
	if err := db.Write(t.Context(), true, func(t *Tx) error {
		if err := t.Row(`PRAGMA page_count`).Scan(&pages); err != nil {
			return err
		}
		return t.Row(fmt.Sprintf(`PRAGMA max_page_count = %d`, pages+3)).Scan(&pages)
	}); err != nil {
		t.Fatal(err)
	}
	large := func(t *Tx) error { // into a table without triggers, with which only the statement would be taken back
		_, err := t.Exec(`INSERT INTO guard_switches (detector, is_on) VALUES ($1, TRUE)`, strings.Repeat("x", 1<<20))
		return err
	}
	errs := together(t, db, note("1", ""), large, note("3", ""))
	for i, err := range errs {
		if err == nil {
			t.Errorf("write %d was acknowledged", i+1)
		}
	}
	if got := db.noted(t); got != "" || told != 0 {
		t.Errorf("rows %q, %d events; want none", got, told)
	}
	if err := db.Write(t.Context(), true, note("4", "")); err != nil {
		t.Errorf("a small write after it: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func TestListenerThatPanicsLosesNoAnswer(t *testing.T) {
	t.Parallel()
	db := opened(t, func([]agent.Event) { panic("a bug in the hub") }, nil)
	for _, id := range []string{"1", "2"} {
		if err := db.Write(t.Context(), true, note(id, "")); err != nil {
			t.Errorf("write %s: %v", id, err)
		}
	}
	if got := db.noted(t); got != "1 2" {
		t.Errorf("rows %q", got)
	}
}

// TestCommittedIsAcknowledged: a caller that stops waiting after its write was queued
// still learns that it stands; who never got a place has written nothing.
func TestCommittedIsAcknowledged(t *testing.T) {
	t.Parallel()
	db := opened(t, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Write(ctx, true, func(t *Tx) error {
		cancel()
		return note("1", "")(t)
	})
	if err != nil {
		t.Errorf("committed, but answered %v", err)
	}
	full := &writer{queue: make(chan *write), quit: make(chan struct{}), done: make(chan struct{})}
	if err := full.do(ctx, true, note("2", "")); !errors.Is(err, context.Canceled) {
		t.Errorf("no place in the queue: %v", err)
	}
	if got := db.noted(t); got != "1" {
		t.Errorf("rows %q", got)
	}
}

func TestCloseDrains(t *testing.T) {
	t.Parallel()
	db := opened(t, nil, nil)
	running, release := make(chan struct{}), make(chan struct{})
	errs := make(chan error, 3)
	go func() {
		errs <- db.Write(context.Background(), true, func(t *Tx) error {
			close(running)
			<-release
			return note("1", "")(t)
		})
	}()
	<-running
	for _, id := range []string{"2", "3"} {
		go func() { errs <- db.Write(context.Background(), true, note(id, "")) }()
	}
	db.awaitQueued(t, 2)
	closed := make(chan error, 1)
	go func() { closed <- db.write.close() }()
	close(release)
	for range 3 {
		if err := <-errs; err != nil {
			t.Errorf("a queued write: %v", err)
		}
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := db.Write(t.Context(), true, note("4", "")); agent.CodeOf(err) != agent.Unavailable {
		t.Errorf("a write after the end: %v", err)
	}
	if got := db.noted(t); got != "1 2 3" {
		t.Errorf("rows %q", got)
	}
}

// TestGroupStats: each commit tells how many writes shared it; a
// transaction that is rolled back counts for nothing.
func TestGroupStats(t *testing.T) {
	t.Parallel()
	var told []GroupStats
	db := opened(t, nil, func(g GroupStats) { told = append(told, g) })
	together(t, db, note("1", ""), note("2", ""), note("3", ""))
	broken := errors.New("broken")
	if err := db.Write(t.Context(), true, func(*Tx) error { return broken }); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	if len(told) != 2 {
		t.Fatalf("%d commits: %+v", len(told), told)
	}
	if told[0].Writes != 1 || told[0].Waiting != 3 || told[1].Writes != 3 || told[1].Waiting != 0 || told[0].Took <= 0 {
		t.Errorf("commits: %+v", told)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
