package loop

import (
	"sync"
	"time"

	"fusebox/agent"
)

// coalescer joins deltas before they get a sequence number: the first is
// written at once, later ones at most once a frame. Other events are written
// in their place between them. Its writes are synchronous, so a slow journal
// slows the stream instead of filling the memory.
type coalescer struct {
	clock agent.Clock
	frame time.Duration
	write func([]agent.EventData) error

	mu      sync.Mutex
	pending []agent.EventData
	last    time.Time
	timed   bool // a goroutine waits to flush
	err     error
	done    chan struct{}
}

func newCoalescer(clock agent.Clock, frame time.Duration, write func([]agent.EventData) error) *coalescer {
	return &coalescer{clock: clock, frame: frame, write: write, done: make(chan struct{})}
}

// coalescer writes the run's events, deltas at most once a frame.
func (r *rows) coalescer(frame time.Duration) *coalescer {
	return newCoalescer(r.clock, frame, func(data []agent.EventData) error {
		return r.commit(agent.Change{Events: events(data...)})
	})
}

// push adds an event; it returns the error of an earlier write.
func (c *coalescer) push(d agent.EventData) error {
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
func (c *coalescer) join(d agent.EventData) bool {
	if n := len(c.pending); n > 0 {
		if both, ok := joinDeltas(c.pending[n-1], d); ok {
			c.pending[n-1] = both
			return true
		}
	}
	c.pending = append(c.pending, d)
	return false
}

func isDelta(d agent.EventData) bool {
	switch d.(type) {
	case agent.TextDelta, agent.ReasoningDelta, agent.ToolCallDelta, agent.ToolResultDelta:
		return true
	}
	return false
}

func joinDeltas(a, b agent.EventData) (agent.EventData, bool) {
	switch a := a.(type) {
	case agent.TextDelta:
		if b, ok := b.(agent.TextDelta); ok && b.ID == a.ID {
			return agent.TextDelta{ID: a.ID, Delta: a.Delta + b.Delta}, true
		}
	case agent.ReasoningDelta:
		if b, ok := b.(agent.ReasoningDelta); ok && b.ID == a.ID {
			return agent.ReasoningDelta{ID: a.ID, Delta: a.Delta + b.Delta}, true
		}
	case agent.ToolCallDelta:
		if b, ok := b.(agent.ToolCallDelta); ok && b.ToolCallID == a.ToolCallID {
			return agent.ToolCallDelta{ToolCallID: a.ToolCallID, Delta: a.Delta + b.Delta}, true
		}
	case agent.ToolResultDelta:
		if b, ok := b.(agent.ToolResultDelta); ok && b.ToolCallID == a.ToolCallID {
			return agent.ToolResultDelta{ToolCallID: a.ToolCallID, Delta: a.Delta + b.Delta}, true
		}
	}
	return nil, false
}
