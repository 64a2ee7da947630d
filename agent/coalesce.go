package agent

import (
	"sync"
	"time"
)

// coalescer joins deltas before they get a sequence number: the first is
// written at once, later ones at most once a frame. Other events are written
// in their place between them. Its writes are synchronous, so a slow journal
// slows the stream instead of filling the memory.
type coalescer struct {
	clock Clock
	frame time.Duration
	write func([]EventData) error

	mu      sync.Mutex
	pending []EventData
	last    time.Time
	timed   bool // a goroutine waits to flush
	err     error
	done    chan struct{}
}

func newCoalescer(clock Clock, frame time.Duration, write func([]EventData) error) *coalescer {
	return &coalescer{clock: clock, frame: frame, write: write, done: make(chan struct{})}
}

// push adds an event; it returns the error of an earlier write.
func (c *coalescer) push(d EventData) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	joined := c.join(d)
	wait := c.frame - c.clock.Now().Sub(c.last)
	switch {
	case !joined && !isDelta(d), wait <= 0:
		c.flush()
	case !c.timed:
		c.timed = true
		go c.flushAfter(c.clock.After(wait))
	}
	return c.err
}

func (c *coalescer) flushAfter(up <-chan time.Time) {
	select {
	case <-up:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timed = false
		c.flush()
	case <-c.done:
	}
}

// close writes what is left.
func (c *coalescer) close() error {
	close(c.done)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flush()
	return c.err
}

func (c *coalescer) flush() {
	if len(c.pending) == 0 || c.err != nil {
		return
	}
	c.err = c.write(c.pending)
	c.pending = nil
	c.last = c.clock.Now()
}

// join appends d to the pending event where both are pieces of the same thing.
func (c *coalescer) join(d EventData) bool {
	if n := len(c.pending); n > 0 {
		if both, ok := joinDeltas(c.pending[n-1], d); ok {
			c.pending[n-1] = both
			return true
		}
	}
	c.pending = append(c.pending, d)
	return false
}

func isDelta(d EventData) bool {
	switch d.(type) {
	case TextDelta, ReasoningDelta, ToolCallDelta, ToolResultDelta:
		return true
	}
	return false
}

func joinDeltas(a, b EventData) (EventData, bool) {
	switch a := a.(type) {
	case TextDelta:
		if b, ok := b.(TextDelta); ok && b.ID == a.ID {
			return TextDelta{ID: a.ID, Delta: a.Delta + b.Delta}, true
		}
	case ReasoningDelta:
		if b, ok := b.(ReasoningDelta); ok && b.ID == a.ID {
			return ReasoningDelta{ID: a.ID, Delta: a.Delta + b.Delta}, true
		}
	case ToolCallDelta:
		if b, ok := b.(ToolCallDelta); ok && b.ToolCallID == a.ToolCallID {
			return ToolCallDelta{ToolCallID: a.ToolCallID, Delta: a.Delta + b.Delta}, true
		}
	case ToolResultDelta:
		if b, ok := b.(ToolResultDelta); ok && b.ToolCallID == a.ToolCallID {
			return ToolResultDelta{ToolCallID: a.ToolCallID, Delta: a.Delta + b.Delta}, true
		}
	}
	return nil, false
}
