package loop

import (
	"context"

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
	p := &place{runner: r, runID: runID}
	p.ctx, p.cancel = context.WithCancelCause(r.runs)
	r.cancels[runID] = p.cancel
	return p
}

// place is a slot that was taken before its run was claimed.
type place struct {
	runner *Runner
	runID  string
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (p *place) Claim() *agent.Claim {
	return &agent.Claim{Owner: p.runner.Owner, Lease: p.runner.Lease}
}

func (p *place) Start(run *agent.Run, snap *agent.Snapshot) {
	defer p.runner.group.Done()
	p.runner.launch(p.ctx, p.cancel, run, snap)
}

func (p *place) Free() {
	r := p.runner
	defer r.group.Done()
	p.cancel(nil)
	r.mu.Lock()
	delete(r.cancels, p.runID)
	r.mu.Unlock()
	<-r.slots
	r.Wake() // a run that waits may have found no slot meanwhile
}
