package looptest

import (
	"sync"
	"time"
)

// quickClock lets every wait between two tries of a provider pass at once.
// Longer ones, those for a sign of life, never end.
type quickClock struct {
	mu  sync.Mutex
	now time.Time
}

// patience is the idle time of the provider under test.
const patience = time.Hour

func newQuickClock() *quickClock {
	return &quickClock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
}

func (c *quickClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *quickClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	if d < patience/2 {
		c.now = c.now.Add(d)
		ch <- c.now
	}
	return ch
}
