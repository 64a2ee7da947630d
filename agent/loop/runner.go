package loop

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"fusebox/agent"
)

// Runner owns the goroutines of all runs of this process: it claims runs that
// are ready, advances each in one goroutine, keeps its lease alive and lets go
// of it when it waits, ends, or another process has taken it over.
type Runner struct {
	Loop  *Loop
	Clock agent.Clock
	Log   *slog.Logger
	// Owner is this process; Lease is how long a claim is valid without a sign of life.
	Owner string
	Lease time.Duration
	// Parallel bounds the runs that are advanced at the same time.
	Parallel int

	once    sync.Once
	wake    chan struct{}
	slots   chan struct{}
	mu      sync.Mutex
	runs    context.Context   // of the runs that are advanced; nil while none may start
	behind  bool              // runs may be waiting for a slot: no new one may overtake them
	places  map[string]*place // by run
	tries   map[string]int    // by run: how often in a row it was advanced, and failed
	waiters map[string][]chan struct{}
	group   sync.WaitGroup
}

// pollEvery is how often a runner looks for runs that it was not woken for:
// those whose owner died, and those whose time has come.
const pollEvery = time.Second

func (r *Runner) init() {
	r.once.Do(func() {
		r.wake = make(chan struct{}, 1)
		r.slots = make(chan struct{}, max(r.Parallel, 1))
		r.places = map[string]*place{}
		r.tries = map[string]int{}
		r.waiters = map[string][]chan struct{}{}
		if r.Loop != nil {
			r.Loop.wake, r.Loop.stopRun = r.Wake, r.Abort
		}
	})
}

// Wake tells the runner that a run may be ready. It never blocks.
func (r *Runner) Wake() {
	r.init()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Abort cancels a run that is being advanced here; for others the mark in the
// store is enough, whoever claims them sees it.
func (r *Runner) Abort(runID, by string) { r.stop(runID, &AbortCause{By: by}) }

// TakeOver is Abort with a person's answer.
func (r *Runner) TakeOver(runID, by, answer string) {
	r.stop(runID, &AbortCause{By: by, Answer: answer})
}

func (r *Runner) stop(runID string, cause *AbortCause) {
	r.init()
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.places[runID]; p != nil {
		p.cancel(cause)
	}
}

// Left returns a channel that is closed when this process next lets go of the run.
// It is forgotten once ctx ends.
func (r *Runner) Left(ctx context.Context, runID string) <-chan struct{} {
	r.init()
	done := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiters[runID] = append(r.waiters[runID], done)
	context.AfterFunc(ctx, func() { r.forget(runID, done) })
	return done
}

func (r *Runner) forget(runID string, done chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	others := slices.DeleteFunc(r.waiters[runID], func(w chan struct{}) bool { return w == done })
	if r.waiters[runID] = others; len(others) == 0 {
		delete(r.waiters, runID)
	}
}

// Run claims and advances runs until ctx ends. Then it claims no more, gives
// those under way grace to come to a rest, and lets go of the others: they
// stay as they are for the next process.
func (r *Runner) Run(ctx context.Context, grace time.Duration) {
	r.init()
	runs, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	r.mu.Lock()
	r.runs = runs
	r.mu.Unlock()
	for ctx.Err() == nil {
		r.claimAll(ctx, runs)
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-r.Clock.After(pollEvery):
		}
	}
	r.mu.Lock()
	r.runs = nil
	r.mu.Unlock()
	rested := make(chan struct{})
	go func() {
		r.group.Wait()
		close(rested)
	}()
	select {
	case <-rested:
	case <-r.Clock.After(grace):
	}
	stop(ErrShutdown)
	<-rested
}

// claimAll starts every run that is ready, as far as there are free slots.
func (r *Runner) claimAll(ctx, runs context.Context) {
	for ctx.Err() == nil {
		if !r.takeSlot() {
			return // a run that ends wakes us
		}
		r.renewLate()
		run, err := r.Loop.Journal.Claim(ctx, r.Owner, r.Lease)
		if err != nil {
			<-r.slots
			r.mu.Lock()
			r.behind = false // no run waits for a slot any more
			r.mu.Unlock()
			if agent.CodeOf(err) != agent.NotFound && ctx.Err() == nil {
				r.Log.Error("claiming a run failed", "error", err)
			}
			return
		}
		r.mu.Lock()
		p := r.enter(runs, run.ID)
		r.mu.Unlock()
		r.launch(p, run, nil)
	}
}

// takeSlot takes a slot for a run that waits, if there is one. If not, new runs
// have to wait behind it.
func (r *Runner) takeSlot() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case r.slots <- struct{}{}:
		return true
	default:
		r.behind = true
		return false
	}
}

// launch advances a run in its place; its snapshot is loaded where it is nil.
func (r *Runner) launch(p *place, run *agent.Run, snap *agent.Snapshot) {
	r.mu.Lock()
	p.run, p.leased = run, run.LeaseUntil
	r.mu.Unlock()
	r.group.Go(func() {
		defer p.leave()
		r.group.Go(func() { r.keepLease(p) })
		r.advance(p.ctx, run, snap)
	})
}

// keepLease renews the lease of a run at a third of its length until this process lets go of the run: also
// while a stopped run is still ending.
func (r *Runner) keepLease(p *place) {
	for {
		select {
		case <-p.left:
			return
		case <-r.Clock.After(r.Lease / 3):
			r.renew(p)
		}
	}
}

// renewLate renews the leases of this process's runs that have run out or soon will, as after the
// machine was suspended. Otherwise it would claim its own runs.
func (r *Runner) renewLate() {
	soon := r.Clock.Now().Add(r.Lease / 2)
	var late []*place
	r.mu.Lock()
	for _, p := range r.places {
		if p.run != nil && p.leased.Before(soon) {
			late = append(late, p)
		}
	}
	r.mu.Unlock()
	for _, p := range late {
		r.renew(p)
	}
}

// renew renews a lease, and gives the run up once another process owns it.
func (r *Runner) renew(p *place) {
	ctx, cancel := commitContext()
	defer cancel()
	until := agent.Stamp(r.Clock).Add(r.Lease)
	err := r.Loop.Journal.Renew(ctx, p.run.ID, p.run.Epoch, r.Lease)
	switch {
	case err == nil:
		r.mu.Lock()
		p.leased = until
		r.mu.Unlock()
	case errors.Is(err, agent.ErrStale):
		p.cancel(agent.ErrStale)
	default:
		r.Log.Warn("renewing a lease failed", "run_id", p.run.ID, "error", err)
	}
}
