package looptest

import (
	"context"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/provider"
)

// longestRetry bounds the waits before a retry. All other waits of a provider,
// those for an answer, are longer: so its clock tells them apart.
const longestRetry = 4 * time.Second

// faultClock is the clock of a provider. Waits before a retry are over at
// once; the others end only in outwait, when a server falls silent on purpose.
type faultClock struct {
	mu    sync.Mutex
	moved *sync.Cond
	now   time.Time
	waits []faultWait
	try   int  // tries of the provider so far, over all its calls
	seen  int  // pieces of an answer that this try has brought to the loop
	over  bool // nobody waits for anything any more
}

type faultWait struct {
	at time.Time
	c  chan time.Time
}

// newFaultClock makes a clock that fails the test where it hangs.
func newFaultClock(t *testing.T) *faultClock {
	c := &faultClock{now: agenttest.NewClock().Now()}
	c.moved = sync.NewCond(&c.mu)
	guard := time.AfterFunc(agenttest.Hang, func() {
		t.Error("the server or the provider waits for what does not come")
		c.close()
	})
	t.Cleanup(func() { guard.Stop() })
	return c
}

// Now implements agent.Clock.
func (c *faultClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After implements agent.Clock.
func (c *faultClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := faultWait{at: c.now.Add(d), c: make(chan time.Time, 1)}
	if d <= longestRetry {
		c.now = w.at
		w.c <- c.now
		return w.c
	}
	c.waits = append(c.waits, w)
	c.moved.Broadcast()
	return w.c
}

// current is the number of the try under way.
func (c *faultClock) current() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.try
}

// await returns once a try has brought so many pieces to the loop, or is over.
func (c *faultClock) await(try, pieces int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.try == try && c.seen < pieces && !c.over {
		c.moved.Wait()
	}
}

// outwait lets time pass, wait by wait, until the try has given up.
func (c *faultClock) outwait(try int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.try == try && !c.over {
		if len(c.waits) == 0 {
			c.moved.Wait()
			continue
		}
		for _, w := range c.waits {
			if w.at.After(c.now) {
				c.now = w.at
			}
		}
		for _, w := range c.waits {
			w.c <- c.now
		}
		c.waits = nil
	}
}

// saw notes what has reached the loop.
func (c *faultClock) saw(d agent.Delta) {
	switch d.Kind {
	case agent.DeltaRetry, agent.DeltaFallback:
		c.next()
	case agent.DeltaText, agent.DeltaCallStart, agent.DeltaCallArgs:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.seen++
		c.moved.Broadcast()
	}
}

// next ends a try and all its waits.
func (c *faultClock) next() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.try++
	c.seen, c.waits = 0, nil
	c.moved.Broadcast()
}

func (c *faultClock) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.moved.Broadcast()
}

// watchedProvider is the real provider; its clock learns what passes through.
type watchedProvider struct {
	*provider.Provider
	clock *faultClock
}

// Complete implements agent.Provider.
func (p watchedProvider) Complete(ctx context.Context, req agent.Request, sink func(agent.Delta) error) (agent.Completion, error) {
	defer p.clock.next()
	return p.Provider.Complete(ctx, req, func(d agent.Delta) error {
		defer p.clock.saw(d)
		return sink(d)
	})
}
