package loop

import (
	"context"
	"time"

	"fusebox/agent"
)

// Place takes a slot for a run that is about to be stored, so that it starts
// without being looked for; nil where there is none, or where others wait for it.
// From here on an abort of the run reaches it: it may come right after the commit.
func (r *Runner) Place(runID string) agent.Place {
	r.init()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs == nil || r.behind {
		return nil
	}
	select {
	case r.slots <- struct{}{}:
	default:
		return nil
	}
	r.group.Add(1) // a shutdown waits until the place is used
	return r.enter(r.runs, runID)
}

// place is a slot of one run, from before it is advanced until this process lets go of it.
type place struct {
	runner *Runner
	runID  string
	ctx    context.Context
	cancel context.CancelCauseFunc

	left chan struct{} // closed once it is left

	// run and leased are set once the run is advanced. leased is when the lease ends; the runner's lock guards it.
	run    *agent.Run
	leased time.Time
}

// enter makes the place of a run for which a slot was taken. The caller holds the lock.
func (r *Runner) enter(parent context.Context, runID string) *place {
	p := &place{runner: r, runID: runID, left: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancelCause(parent)
	r.places[runID] = p
	return p
}

// leave gives the slot back. A run that was claimed again meanwhile has its next place by
// then, which stays.
func (p *place) leave() {
	r := p.runner
	p.cancel(nil)
	close(p.left)
	r.mu.Lock()
	if r.places[p.runID] == p {
		delete(r.places, p.runID)
	}
	for _, w := range r.waiters[p.runID] {
		close(w)
	}
	delete(r.waiters, p.runID)
	r.mu.Unlock()
	<-r.slots
	r.Wake() // a run that waits may have found no slot meanwhile
}

func (p *place) Claim() *agent.Claim {
	return &agent.Claim{Owner: p.runner.Owner, Lease: p.runner.Lease}
}

func (p *place) Start(run *agent.Run, snap *agent.Snapshot) {
	defer p.runner.group.Done()
	p.runner.launch(p, run, snap)
}

func (p *place) Free() {
	defer p.runner.group.Done()
	p.leave()
}
