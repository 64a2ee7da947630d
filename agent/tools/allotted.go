package tools

import (
	"context"
	"sync"
	"time"

	"fusebox/agent"
)

// allotted is the context of a call, which ends when the call's time is up. The time that a
// person takes to answer is not the call's.
type allotted struct {
	context.Context
	cancel context.CancelCauseFunc
	clock  agent.Clock

	mu    sync.Mutex
	left  time.Duration // when it was last held
	since time.Time     // it was last released
	stop  func()        // holds the time
	asked int           // how many questions are open
}

func allot(ctx context.Context, clock agent.Clock, timeout time.Duration) *allotted {
	a := &allotted{clock: clock, left: timeout}
	a.Context, a.cancel = context.WithCancelCause(ctx)
	a.run()
	return a
}

// run lets the time pass. The caller holds mu, or has the only reference.
func (a *allotted) run() {
	a.since = a.clock.Now()
	var running context.Context
	running, a.stop = context.WithCancel(a.Context)
	up := a.clock.After(a.left)
	go func() {
		select {
		case <-running.Done():
		case <-up:
			a.mu.Lock()
			defer a.mu.Unlock()
			if running.Err() == nil { // it is not held meanwhile
				a.cancel(errToolTime)
			}
		}
	}()
}

// asking stops the time while a person is asked.
func (a *allotted) asking(ask agent.AskPerson) agent.AskPerson {
	return func(ctx context.Context, q agent.ServerQuestion) agent.ServerAnswer {
		a.hold()
		defer a.release()
		return ask(ctx, q)
	}
}

func (a *allotted) hold() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked++; a.asked == 1 {
		a.stop()
		a.left -= a.clock.Now().Sub(a.since)
	}
}

func (a *allotted) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked--; a.asked == 0 {
		a.run()
	}
}
