package store_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
	"fusebox/store/storetest"
)

// open opens a database of its own.
func open(t testing.TB, path string, clock agent.Clock, onCommit func([]agent.Event)) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{
		Path: storetest.Migrated(t, path), Clock: clock, NewID: agenttest.IDs(), Logger: slog.New(slog.DiscardHandler), OnCommit: onCommit,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestJournal(t *testing.T) {
	t.Parallel()
	agenttest.TestJournal(t, func(t *testing.T, clock *agenttest.Clock) agenttest.Journal {
		return open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	})
}

// seed makes a user, a conversation and a run that is claimed.
func seed(t testing.TB, s *store.Store, clock agent.Clock) *agent.Run {
	t.Helper()
	ctx := t.Context()
	check(t, s.CreateUser(ctx, agent.User{ID: "u", Email: "Ana@Example.org ", Role: agent.RoleAdmin, CreatedAt: clock.Now()}, "hash"))
	check(t, s.CreateConversation(ctx, agent.Conversation{ID: "c", OwnerID: "u", ApprovalMode: agent.ModeDefault, CreatedAt: clock.Now(), UpdatedAt: clock.Now()}))
	_, err := s.Enqueue(ctx, agent.NewMessage{ConversationID: "c", UserID: "u", MessageID: "m1", RunID: "r1", Content: "q", Model: "demo"})
	check(t, err)
	run, err := s.Claim(ctx, "p", time.Minute)
	check(t, err)
	return run
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func delta(run *agent.Run, text string) agent.Change {
	return agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch,
		Events: []agent.Event{{RunID: run.ID, Data: agent.TextDelta{ID: "d", Delta: text}}}}
}

// BenchmarkAppend is one streamed delta, one run after the other.
func BenchmarkAppend(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "f.db"), agenttest.NewClock(), nil)
	run := seed(b, s, agenttest.NewClock())
	for b.Loop() {
		if _, err := s.Append(b.Context(), delta(run, "some text")); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}

// BenchmarkAppendDurable is what the Loop waits for between two steps: an
// entry with a row in it, which waits for the disk.
func BenchmarkAppendDurable(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "f.db"), agenttest.NewClock(), nil)
	run := seed(b, s, agenttest.NewClock())
	e := delta(run, "some text")
	e.Run = run
	for b.Loop() {
		if _, err := s.Append(b.Context(), e); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}

// BenchmarkAppendParallel is what the group commit is for: many runs at once.
func BenchmarkAppendParallel(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "f.db"), agenttest.NewClock(), nil)
	run := seed(b, s, agenttest.NewClock())
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.Append(b.Context(), delta(run, "some text")); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}
