package looptest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// refusing is a journal that takes no answer until enough of them were refused, and no failed end of a
// run while ends is set.
type refusing struct {
	agent.Journal
	because error
	enough  func() bool
	ends    atomic.Bool
}

func (j *refusing) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	failed := e.Run != nil && e.Run.Status == agent.StatusFailed
	answers := slices.ContainsFunc(e.Messages, func(m agent.Message) bool { return m.Role == agent.FromAssistant })
	if failed && j.ends.Load() || answers && !failed && !j.enough() {
		return agent.Committed{}, j.because
	}
	return j.Journal.Append(ctx, e)
}

// TestRunThatCannotBeKeptEnds: a run whose answers cannot be stored asks its model five times. Then it ends, as soon
// as that can be stored. A full disk ends no run, however often it is tried.
func TestRunThatCannotBeKeptEnds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		because error
		tries   int // with the last the run is over
		calls   int
		status  agent.Status
	}{
		"a lasting fault": {errors.New("a constraint failed"), 7, 5, agent.StatusFailed},
		"a full disk":     {agent.Errorf(agent.Full, "The disk with the database is full."), 7, 7, agent.StatusFinished},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var turns []agenttest.Turn
			for range tc.tries {
				turns = append(turns, agenttest.Turn{Text: "Done."})
			}
			w := newWorld(t, turns...)
			journal := &refusing{Journal: w.store, because: tc.because, enough: func() bool { return len(w.model.Requests()) == tc.tries }}
			journal.ends.Store(true)
			w.runner.Loop.Journal = journal
			done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go"})
			w.must(err)
			left := w.runner.Left(t.Context(), done.RunID)
			ctx, cancel := context.WithCancel(t.Context())
			stopped := make(chan struct{})
			go func() { defer close(stopped); w.runner.Run(ctx, time.Second) }()
			defer func() { cancel(); <-stopped }()
			agenttest.Receive(t, "the first try", left)
			for n := 2; n <= tc.tries; n++ {
				journal.ends.Store(n < tc.tries)
				left = w.runner.Left(t.Context(), done.RunID)
				_, err := w.store.RecoverLeases(t.Context())
				w.must(err)
				w.runner.Wake()
				agenttest.Receive(t, "the next try", left)
			}
			run, err := w.store.Run(t.Context(), ana, done.RunID)
			w.must(err)
			if n := len(w.model.Requests()); run.Status != tc.status || n != tc.calls {
				t.Errorf("the run is %s after %d calls of its model", run.Status, n)
			}
			ends := find[agent.Finish](w.events())
			if len(ends) != 1 || tc.status == agent.StatusFailed && !strings.HasPrefix(ends[0].Message, "An error in the server ended this run.") {
				t.Errorf("the run ends with %+v", ends)
			}
			w.soundHistory()
		})
	}
}
