package agenttest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"fusebox/agent"
)

// Clock is an agent.Clock that moves only when it is told to.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []timer
}

type timer struct {
	at time.Time
	c  chan time.Time
}

// NewClock starts at a fixed instant.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
}

// Now implements agent.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After implements agent.Clock.
func (c *Clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := timer{at: c.now.Add(d), c: make(chan time.Time, 1)}
	if d <= 0 {
		t.c <- c.now
		return t.c
	}
	c.timers = append(c.timers, t)
	return t.c
}

// Advance moves the clock and fires what has come due.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	var waiting []timer
	for _, t := range c.timers {
		if t.at.After(c.now) {
			waiting = append(waiting, t)
			continue
		}
		t.c <- c.now
	}
	c.timers = waiting
}

// IDs makes ids that sort in the order they were made.
func IDs() agent.NewID {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("id%08d", n.Add(1)) }
}
