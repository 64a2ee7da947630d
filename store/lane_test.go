package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

// streaming makes n runs, each in a conversation of its own, that have begun.
func streaming(t testing.TB, s *store.Store, n int) []*agent.Run {
	t.Helper()
	check(t, s.CreateUser(t.Context(), agent.User{ID: "u", Email: "ana@example.org", Role: agent.RoleAdmin}, "hash"))
	runs := make([]*agent.Run, n)
	for i := range runs {
		c := fmt.Sprintf("c%03d", i)
		check(t, s.CreateConversation(t.Context(), agent.Conversation{ID: c, OwnerID: "u", ApprovalMode: agent.ModeDefault}))
		_, err := s.Enqueue(t.Context(), agent.NewMessage{ConversationID: c, UserID: "u", MessageID: "m" + c, RunID: "r" + c, Content: "q", Model: "demo"})
		check(t, err)
		runs[i], err = s.Claim(t.Context(), "p", time.Minute)
		check(t, err)
	}
	return runs
}

func piece(run *agent.Run, text string) agent.Change {
	c := delta(run, text)
	c.ConversationID = run.ConversationID
	return c
}

// TestStreamsShareWrites: runs that stream at once, one of them twice at a time, get
// their own numbers in order, live and in the log; one that has lost its run is
// refused alone.
func TestStreamsShareWrites(t *testing.T) {
	t.Parallel()
	const streams, pieces = 40, 30
	var mu sync.Mutex
	live := map[string][]agent.Event{}
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), func(events []agent.Event) {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range events {
			live[e.ConversationID] = append(live[e.ConversationID], e)
		}
	})
	runs := streaming(t, s, streams)
	lost := *runs[1]
	lost.Epoch++
	foreign := *runs[2]
	foreign.ConversationID = runs[3].ConversationID
	var all sync.WaitGroup
	for i, run := range append(runs, runs[0], &lost, &foreign) {
		all.Go(func() {
			last := int64(0)
			for n := range pieces {
				done, err := s.Append(t.Context(), piece(run, fmt.Sprintf("%d-%d ", i, n)))
				switch {
				case run == &lost && !errors.Is(err, agent.ErrStale), run == &foreign && agent.CodeOf(err) != agent.NotFound:
					t.Errorf("run %d of another epoch or conversation: %v", i, err)
				case run == &lost, run == &foreign:
				case err != nil:
					t.Error(err)
				case done.Events[0].Seq <= last:
					t.Errorf("number %d comes behind %d", done.Events[0].Seq, last)
				default:
					last = done.Events[0].Seq
				}
			}
		})
	}
	all.Wait()
	for i, run := range runs {
		stored, err := s.Events(t.Context(), run.ConversationID, 0, 1000)
		check(t, err)
		want := pieces
		if i == 0 {
			want *= 2
		}
		if n := len(deltasOf(stored)); n != want {
			t.Errorf("conversation %d has %d deltas, want %d", i, n, want)
		}
		for k, e := range stored {
			if e.Seq != int64(k+1) || live[run.ConversationID][k].Seq != e.Seq || string(live[run.ConversationID][k].Encoded) != string(e.Encoded) {
				t.Fatalf("conversation %d: event %d is %v, live %v", i, k, e, live[run.ConversationID][k])
			}
		}
	}
}

func deltasOf(events []agent.Event) (deltas []agent.Event) {
	for _, e := range events {
		if _, ok := e.Data.(agent.TextDelta); ok {
			deltas = append(deltas, e)
		}
	}
	return deltas
}

// BenchmarkDeltaStreams is one delta of 100 runs that stream at once, with the
// processor time of all that is done for it.
func BenchmarkDeltaStreams(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "f.db"), agenttest.NewClock(), nil)
	runs := streaming(b, s, 100)
	b.ReportAllocs()
	before := cpuTime(b)
	b.ResetTimer()
	var all sync.WaitGroup
	for i, run := range runs {
		all.Go(func() {
			for n := i; n < b.N; n += len(runs) {
				if _, err := s.Append(b.Context(), piece(run, " some words")); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
}

// cpuTime is what the process has used so far.
func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	check(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
