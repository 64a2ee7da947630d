package agenttest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fusebox/agent"
)

// Clock is an agent.Clock that moves only when it is told to.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []timer
	hurry  func(time.Duration) bool // nil for no wait
}

type timer struct {
	at      time.Time
	d       time.Duration
	c       chan time.Time
	awaited bool
}

// NewClock starts at a fixed instant.
func NewClock() *Clock { return ClockAt(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)) }

// ClockAt starts at some instant.
func ClockAt(now time.Time) *Clock { return &Clock{now: now} }

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
	t := timer{at: c.now.Add(d), d: d, c: make(chan time.Time, 1)}
	c.timers = append(c.timers, t)
	switch {
	case d <= 0:
		c.advance(0)
	case c.hurry != nil && c.hurry(d):
		c.advance(d)
	}
	return t.c
}

// Hurry lets the waits that are begun from now on, and for which over reports true, be
// over at once: the clock moves by them.
func (c *Clock) Hurry(over func(time.Duration) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hurry = over
}

// Await returns once somebody waits for exactly d; each wait is awaited once. So a test
// moves the clock for the wait that it means, and not before that has begun.
func (c *Clock) Await(t testing.TB, d time.Duration) {
	t.Helper()
	Eventually(t, fmt.Sprintf("a wait of %s", d), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := slices.IndexFunc(c.timers, func(w timer) bool { return w.d == d && !w.awaited })
		if i >= 0 {
			c.timers[i].awaited = true
		}
		return i >= 0
	})
}

// Outwait lets a wait of d pass once it has begun.
func (c *Clock) Outwait(t testing.TB, d time.Duration) {
	t.Helper()
	c.Await(t, d)
	c.Advance(d)
}

// Advance moves the clock and fires what has come due.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(d)
}

// Suspend moves the clock as for a machine that was suspended: what waits has to wait as long
// as before.
func (c *Clock) Suspend(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for i := range c.timers {
		c.timers[i].at = c.timers[i].at.Add(d)
	}
}

func (c *Clock) advance(d time.Duration) {
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
