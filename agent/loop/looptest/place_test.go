package looptest

import (
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/loop"
)

// placed is a runner at work, on a journal without runs.
func placed(t *testing.T, parallel int) *loop.Runner {
	t.Helper()
	w := newWorld(t)
	w.runner.Owner, w.runner.Parallel = "p", parallel
	w.works()
	return w.runner
}

// place waits until the runner gives a place.
func placeOf(t *testing.T, r *loop.Runner, run string) (p agent.Place) {
	t.Helper()
	agenttest.Eventually(t, "a place", func() bool {
		p = r.Place(run)
		return p != nil
	})
	return p
}

// TestPlacesAreBounded: a runner gives as many places as it has, and each again once it is free.
func TestPlacesAreBounded(t *testing.T) {
	t.Parallel()
	if (&loop.Runner{Clock: agenttest.NewClock()}).Place("r") != nil {
		t.Error("a runner that does not run gives a place")
	}
	r := placed(t, 2)
	first, second := placeOf(t, r, "r1"), placeOf(t, r, "r2")
	if r.Place("r3") != nil {
		t.Error("two places were given three times")
	}
	second.Free()
	placeOf(t, r, "r3").Free()
	if c := first.Claim(); c.Owner != "p" || c.Lease != time.Minute {
		t.Errorf("claims %+v", c)
	}
	first.Free()
}

// TestAbortRightBehindTheCommit: an abort that comes between the commit of a
// message and the start of its run ends the run before its model is asked, also where the
// run's stay before is only now over.
func TestAbortRightBehindTheCommit(t *testing.T) {
	t.Parallel()
	for name, stayed := range map[string]bool{"first stay": false, "next stay": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Turn{Text: "never"})
			w.works()
			var before agent.Place
			if stayed {
				before = placeOf(t, w.runner, "r")
			}
			p := placeOf(t, w.runner, "r")
			done, err := w.store.Enqueue(t.Context(), agent.NewMessage{
				ConversationID: "c", UserID: ana.UserID, MessageID: "m", RunID: "r", Content: "go", Model: "demo", Limits: w.limits, Claim: p.Claim(),
			})
			w.must(err)
			if stayed {
				before.Free()
			}
			w.must(w.store.RequestAbort(t.Context(), "r", ana.Email))
			w.runner.Abort("r", ana.Email)
			left := w.runner.Left(t.Context(), "r")
			p.Start(done.Started, done.Snapshot)
			<-left
			run, err := w.store.Run(t.Context(), ana, "r")
			w.must(err)
			if run.Status != agent.StatusAborted || len(w.model.Requests()) != 0 {
				t.Errorf("run %s (%s), %d model calls", run.Status, run.StopReason, len(w.model.Requests()))
			}
		})
	}
}
