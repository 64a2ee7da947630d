package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// These tests reach behind the door: what a full disk, a bug or a stop does to
// writes that share a commit cannot be arranged from outside.

func openFor(t *testing.T, onCommit func([]agent.Event)) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{
		Path: filepath.Join(t.TempDir(), "f.db"), Clock: agenttest.NewClock(), NewID: agenttest.IDs(), OnCommit: onCommit,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// note is a write whose trace can be looked for.
func note(id, detail string) func(*tx) error {
	return func(t *tx) error {
		t.events = append(t.events, agent.Event{Data: agent.Notice{Message: id}})
		return insertAudit(t, agent.AuditRow{ID: id, Actor: "a", Action: "b", Target: "c", Detail: detail})
	}
}

func (s *Store) noted(t *testing.T) string {
	t.Helper()
	ids, err := list(context.Background(), s.db, scanString, `SELECT id FROM audit ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(ids, " ")
}

// awaitQueued returns once n writes are waiting.
func (s *Store) awaitQueued(t *testing.T, n int) {
	t.Helper()
	agenttest.Eventually(t, fmt.Sprintf("%d writes in the queue", n), func() bool { return len(s.db.write.queue) >= n })
}

// together queues writes behind one that waits, so that they share a commit,
// and returns what each was answered.
func together(t *testing.T, s *Store, fns ...func(*tx) error) []error {
	t.Helper()
	running, release := make(chan struct{}), make(chan struct{})
	errs := make([]error, len(fns))
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.db.Write(context.Background(), false, func(*tx) error {
			close(running)
			<-release
			return nil
		})
	})
	<-running
	for i, fn := range fns {
		wg.Go(func() { errs[i] = s.db.Write(context.Background(), false, fn) })
		s.awaitQueued(t, i+1)
	}
	close(release)
	wg.Wait()
	return errs
}

func TestWritesOfOneCommitFailAlone(t *testing.T) {
	t.Parallel()
	var told []agent.Event
	s := openFor(t, func(events []agent.Event) { told = append(told, events...) })
	broken := errors.New("broken")
	errs := together(t, s,
		note("1", ""),
		func(t *tx) error { return errors.Join(note("2", "")(t), broken) },
		func(t *tx) error { _ = note("3", "")(t); panic("a bug") },
		note("4", ""),
	)
	if errs[0] != nil || !errors.Is(errs[1], broken) || errs[2] == nil || errs[3] != nil {
		t.Errorf("answers: %v", errs)
	}
	if got := s.noted(t); got != "1 4" || len(told) != 2 {
		t.Errorf("rows %q, %d events; want 1 and 4 alone", got, len(told))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestFullDisk: SQLite takes the whole transaction back in the middle. Nobody
// may be told that their write was committed, nor that a committed one was not.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	told := 0
	s := openFor(t, func(events []agent.Event) { told += len(events) })
	var pages int
	if err := s.db.Write(t.Context(), true, func(t *tx) error {
		if err := t.row(`PRAGMA page_count`).Scan(&pages); err != nil {
			return err
		}
		return t.row(fmt.Sprintf(`PRAGMA max_page_count = %d`, pages+3)).Scan(&pages)
	}); err != nil {
		t.Fatal(err)
	}
	large := func(t *tx) error { // into a table without triggers, with which only the statement would be taken back
		_, err := t.exec(`INSERT INTO guard_switches (detector, is_on) VALUES ($1, TRUE)`, strings.Repeat("x", 1<<20))
		return err
	}
	errs := together(t, s, note("1", ""), large, note("3", ""))
	for i, err := range errs {
		if err == nil {
			t.Errorf("write %d was acknowledged", i+1)
		}
	}
	if got := s.noted(t); got != "" || told != 0 {
		t.Errorf("rows %q, %d events; want none", got, told)
	}
	if err := s.db.Write(t.Context(), true, note("4", "")); err != nil {
		t.Errorf("a small write after it: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestListenerThatPanicsLosesNoAnswer(t *testing.T) {
	t.Parallel()
	s := openFor(t, func([]agent.Event) { panic("a bug in the hub") })
	for _, id := range []string{"1", "2"} {
		if err := s.db.Write(t.Context(), true, note(id, "")); err != nil {
			t.Errorf("write %s: %v", id, err)
		}
	}
	if got := s.noted(t); got != "1 2" {
		t.Errorf("rows %q", got)
	}
}

// TestCommittedIsAcknowledged: a caller that stops waiting after its write was queued
// still learns that it stands; who never got a place has written nothing.
func TestCommittedIsAcknowledged(t *testing.T) {
	t.Parallel()
	s := openFor(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.db.Write(ctx, true, func(t *tx) error {
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
	if got := s.noted(t); got != "1" {
		t.Errorf("rows %q", got)
	}
}

func TestCloseDrains(t *testing.T) {
	t.Parallel()
	s := openFor(t, nil)
	running, release := make(chan struct{}), make(chan struct{})
	errs := make(chan error, 3)
	go func() {
		errs <- s.db.Write(context.Background(), true, func(t *tx) error {
			close(running)
			<-release
			return note("1", "")(t)
		})
	}()
	<-running
	for _, id := range []string{"2", "3"} {
		go func() { errs <- s.db.Write(context.Background(), true, note(id, "")) }()
	}
	s.awaitQueued(t, 2)
	closed := make(chan error, 1)
	go func() { closed <- s.db.write.close() }()
	close(release)
	for range 3 {
		if err := <-errs; err != nil {
			t.Errorf("a queued write: %v", err)
		}
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := s.db.Write(t.Context(), true, note("4", "")); agent.CodeOf(err) != agent.Unavailable {
		t.Errorf("a write after the end: %v", err)
	}
	if got := s.noted(t); got != "1 2 3" {
		t.Errorf("rows %q", got)
	}
}

// TestOlderDatabaseIsBroughtUp: rows of the first schema are still there under the newest.
func TestOlderDatabaseIsBroughtUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	db, err := open(path, "_txlock=immediate", 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := provider(db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `INSERT INTO audit (id, at, actor, action, target, detail) VALUES ('old', 1, 'a', 'b', 'c', '')`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Options{Path: path, Clock: agenttest.NewClock(), NewID: agenttest.IDs()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	if got := s.noted(t); got != "old" {
		t.Errorf("rows %q", got)
	}
	if err := s.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
		t.Error(err)
	}
}
