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

	mu    sync.Mutex
	left  time.Duration // while somebody is asked
	asked int           // how many questions are open
	until time.Time
	timer *time.Timer // nil while somebody is asked
}

func allot(ctx context.Context, timeout time.Duration) *allotted {
	a := &allotted{left: timeout}
	a.Context, a.cancel = context.WithCancelCause(ctx)
	a.run()
	return a
}

// run lets the time pass. The caller holds mu, or has the only reference.
func (a *allotted) run() {
	a.until = time.Now().Add(a.left)
	a.timer = time.AfterFunc(a.left, func() { a.cancel(errToolTime) })
}

// Deadline implements context.Context.
func (a *allotted) Deadline() (time.Time, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer == nil {
		return time.Time{}, false
	}
	return a.until, true
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
	if a.asked++; a.asked == 1 && a.timer.Stop() {
		a.left, a.timer = time.Until(a.until), nil
	}
}

func (a *allotted) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked--; a.asked == 0 && a.timer == nil {
		a.run()
	}
}

// end gives everything back.
func (a *allotted) end() {
	a.cancel(nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
	}
}
