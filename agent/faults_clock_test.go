package agent_test

import (
	"io"
	"net"
	"sync"
	"time"
)

// faultClock lets every wait between tries pass at once. The waits for a sign
// of life end when an endpoint says that it stalls.
type faultClock struct {
	mu      sync.Mutex
	now     time.Time
	waiters map[chan time.Time]time.Time
	tries   int  // waits between tries so far
	healthy bool // nothing stalls any more
}

// patience is the idle time of the provider under test; shorter waits are those
// between tries.
const patience = time.Hour

func newFaultClock() *faultClock {
	return &faultClock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), waiters: map[chan time.Time]time.Time{}}
}

func (c *faultClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *faultClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	if d < patience/2 {
		c.tries++
		c.now = c.now.Add(d)
		ch <- c.now
		return ch
	}
	c.waiters[ch] = c.now.Add(d)
	return ch
}

// stalled lets a long time pass, unless the client has gone on to the next try
// since: its patience must not be spent by the last one's endpoint.
func (c *faultClock) stalled(tries int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tries != tries || c.healthy {
		return false
	}
	c.now = c.now.Add(2 * patience)
	for ch, at := range c.waiters {
		if !at.After(c.now) {
			ch <- c.now
			delete(c.waiters, ch)
		}
	}
	return true
}

func (c *faultClock) triesSoFar() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tries
}

func (c *faultClock) heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.healthy = true
}

// stall lets time pass until the client has had enough.
func stall(m *faultyModel, conn net.Conn) {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, conn) // ends when the client leaves
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	tries := m.clock.triesSoFar()
	for m.clock.stalled(tries) {
		select {
		case <-gone:
			return
		case <-tick.C:
		}
	}
}

// reset drops the connection without a word.
func reset(_ *faultyModel, conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}
