package looptest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/loop"
	"fusebox/agent/service"
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

// TestClaimedAgain: a process that was held up so long that another one has claimed its run
// lets go of it, whatever it was about to do. With the other's fencing number it would do
// everything a second time.
func TestClaimedAgain(t *testing.T) {
	t.Parallel()
	t.Run("before it begins", func(t *testing.T) {
		t.Parallel()
		w, heldUp := heldUp(t)
		w.clock.Advance(2 * time.Minute)
		w.finishesFor(w.claimed(), heldUp)
	})
	t.Run("while it looks again", func(t *testing.T) {
		t.Parallel()
		w, heldUp := heldUp(t)
		var last *agent.Run
		w.runner.Loop.Journal = overtaken{w.store, func() {
			w.clock.Advance(2 * time.Minute)
			last = w.claimed()
		}}
		if err := w.runner.Loop.Advance(t.Context(), heldUp); !errors.Is(err, agent.ErrStale) {
			t.Fatalf("it goes on: %v", err)
		}
		w.runner.Loop.Journal = w.store
		w.finishesFor(last, heldUp)
	})
}

// heldUp is a run that was claimed by a process which is held up.
func heldUp(t *testing.T) (*world, *agent.Run) {
	t.Helper()
	w := newWorld(t, calling(1, "look", false)[0], agenttest.Turn{Text: "Done."})
	_, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go"})
	w.must(err)
	return w, w.claimed()
}

// finishesFor wants the run to end for the one who claimed it last, and for nobody else.
func (w *world) finishesFor(last, heldUp *agent.Run) {
	w.t.Helper()
	if err := w.runner.Loop.Advance(w.t.Context(), heldUp); !errors.Is(err, agent.ErrStale) || len(w.model.Requests()) > 0 {
		w.t.Fatalf("it goes on: %v, %d model calls", err, len(w.model.Requests()))
	}
	w.must(w.runner.Loop.Advance(w.t.Context(), last))
	run, err := w.store.Run(w.t.Context(), ana, last.ID)
	w.must(err)
	if n := w.tools.executed("look"); run.Status != agent.StatusFinished || n != 1 || len(w.model.Requests()) != 2 {
		w.t.Errorf("the run is %s after %d calls of its tool and %d of the model", run.Status, n, len(w.model.Requests()))
	}
}

// overtaken is a journal whose first entry comes too late: a person was faster, and then
// another process.
type overtaken struct {
	agent.Journal
	claim func()
}

func (j overtaken) Append(context.Context, agent.Change) (agent.Committed, error) {
	j.claim()
	return agent.Committed{}, agent.ErrDecided
}

// TestOwnRunsAreKept: a process that finds the leases of its runs run out, as after the machine
// was suspended, renews them. Claimed again, each would lose what it is in the middle of.
func TestOwnRunsAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, calling(1, "save", false)[0], agenttest.Turn{Text: "Saved."})
	begun, goOn := make(chan struct{}), make(chan struct{})
	w.tools.do["save"] = func(context.Context, agent.ToolInput) agent.ToolResult {
		close(begun)
		<-goOn
		return agent.ToolResult{Content: "saved"}
	}
	looks := &looked{Journal: w.store, at: make(chan struct{}), goOn: make(chan struct{})}
	w.runner.Loop.Journal = looks
	w.works()
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go"})
	w.must(err)
	w.rests(done.RunID)
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove})
	agenttest.Receive(t, "the call", begun)
	looks.held.Store(true)
	w.runner.Wake()
	agenttest.Receive(t, "a look for runs", looks.at)
	w.clock.Suspend(5 * time.Minute)
	w.runner.Wake()
	looks.goOn <- struct{}{}
	agenttest.Receive(t, "the next look", looks.at)
	looks.held.Store(false)
	looks.goOn <- struct{}{}
	close(goOn)
	if run := w.rests(done.RunID); run.Status != agent.StatusFinished || run.Epoch != 2 || w.tools.executed("save") != 1 {
		t.Errorf("the run is %s, claimed %d times, its call was made %d times", run.Status, run.Epoch, w.tools.executed("save"))
	}
}

// looked is a journal that can stop the runner at each look for a run to claim.
type looked struct {
	agent.Journal
	held     atomic.Bool
	at, goOn chan struct{}
}

func (j *looked) Claim(ctx context.Context, owner string, lease time.Duration) (*agent.Run, error) {
	run, err := j.Journal.Claim(ctx, owner, lease)
	if j.held.Load() {
		j.at <- struct{}{}
		<-j.goOn
	}
	return run, err
}

// TestStoppedRunIsKept: a process keeps the lease of a stopped run until it has ended, however long a call takes.
func TestStoppedRunIsKept(t *testing.T) {
	t.Parallel()
	w, _, end := stopped(t)
	run, err := w.store.ActiveRun(t.Context(), "c")
	w.must(err)
	for range 5 {
		w.clock.Outwait(t, 20*time.Second)
		agenttest.Eventually(t, "the lease", func() bool {
			now, err := w.store.Run(t.Context(), ada, run.ID)
			w.must(err)
			return now.LeaseUntil.After(w.clock.Now().Add(30 * time.Second))
		})
	}
	close(end)
	if run := w.rests(run.ID); run.Status != agent.StatusAborted || run.Epoch != 1 {
		t.Errorf("the run is %s, claimed %d times", run.Status, run.Epoch)
	}
}
