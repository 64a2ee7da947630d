package loop

import (
	"sync"
	"time"

	"fusebox/agent"
)

// coalescer joins deltas before they get a sequence number: the first is
// written at once, later ones at most once a frame. Other events are written
// in their place between them. A call is not read as it comes, so it waits for the
// end of a frame: mostly it is whole by then, and written with the answer. Its
// writes are synchronous, so a slow journal slows the stream instead of filling the
// memory.
type coalescer struct {
	clock agent.Clock
	frame time.Duration
	write func([]agent.EventData) error

	mu      sync.Mutex
	pending []agent.EventData
	more    []byte // text that belongs to the last of pending
	last    time.Time
	timed   bool               // a flush is due
	due     chan time.Duration // how long until then; nil where no flush was ever late
	err     error
	done    chan struct{}
}

func newCoalescer(clock agent.Clock, frame time.Duration, write func([]agent.EventData) error) *coalescer {
	return &coalescer{clock: clock, frame: frame, write: write, done: make(chan struct{})}
}

// push adds an event; it returns the error of an earlier write.
func (c *coalescer) push(d agent.EventData) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	joined := c.join(d)
	wait := c.frame - c.clock.Now().Sub(c.last)
	switch {
	case isCall(d):
		c.flushIn(c.frame)
	case !joined && !isDelta(d), wait <= 0:
		c.flush()
	default:
		c.flushIn(wait)
	}
	return c.err
}

// flushIn has the pending events written when the frame is over, where nothing else
// writes them before. One goroutine serves all frames of a stream.
func (c *coalescer) flushIn(wait time.Duration) {
	if c.timed {
		return
	}
	if c.due == nil {
		c.due = make(chan time.Duration, 1)
		go c.flushWhenDue()
	}
	c.timed = true
	c.due <- wait // never blocks: there is one at a time
}

func (c *coalescer) flushWhenDue() {
	for {
		select {
		case wait := <-c.due:
			select {
			case <-c.clock.After(wait):
				c.flushDue()
			case <-c.done:
				return
			}
		case <-c.done:
			return
		}
	}
}

func (c *coalescer) flushDue() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timed = false
	c.flush()
}

// close returns what is left to write. A flush that is due by now finds nothing.
func (c *coalescer) close() ([]agent.EventData, error) {
	close(c.done)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seal()
	rest := c.pending
	c.pending = nil
	return rest, c.err
}

func (c *coalescer) flush() {
	if len(c.pending) == 0 || c.err != nil {
		return
	}
	c.seal()
	c.err = c.write(c.pending)
	c.pending = c.pending[:0]
	c.last = c.clock.Now()
}

// join adds d to the pending event where both are pieces of the same thing.
func (c *coalescer) join(d agent.EventData) bool {
	if n := len(c.pending); n > 0 {
		if text, ok := continues(c.pending[n-1], d); ok {
			c.more = append(c.more, text...)
			return true
		}
	}
	c.seal()
	c.pending = append(c.pending, d)
	return false
}

// seal completes the last pending event with the text that was joined to it.
func (c *coalescer) seal() {
	if len(c.more) == 0 {
		return
	}
	last := &c.pending[len(c.pending)-1]
	*last = extended(*last, string(c.more))
	c.more = c.more[:0]
}

// isCall reports whether an event is a piece of a call that the model asks for.
func isCall(d agent.EventData) bool {
	switch d.(type) {
	case agent.ToolCallStart, agent.ToolCallDelta:
		return true
	}
	return false
}

func isDelta(d agent.EventData) bool {
	switch d.(type) {
	case agent.TextDelta, agent.ReasoningDelta, agent.ToolCallDelta, agent.ToolResultDelta:
		return true
	}
	return false
}

// continues returns the text of a delta that goes on where another one ends.
func continues(a, b agent.EventData) (text string, ok bool) {
	switch b := b.(type) {
	case agent.TextDelta:
		a, same := a.(agent.TextDelta)
		return b.Delta, same && a.ID == b.ID
	case agent.ReasoningDelta:
		a, same := a.(agent.ReasoningDelta)
		return b.Delta, same && a.ID == b.ID
	case agent.ToolCallDelta:
		a, same := a.(agent.ToolCallDelta)
		return b.Delta, same && a.ToolCallID == b.ToolCallID
	case agent.ToolResultDelta:
		a, same := a.(agent.ToolResultDelta)
		return b.Delta, same && a.ToolCallID == b.ToolCallID
	}
	return "", false
}

// extended is a delta with more text at its end.
func extended(d agent.EventData, more string) agent.EventData {
	switch d := d.(type) {
	case agent.TextDelta:
		d.Delta += more
		return d
	case agent.ReasoningDelta:
		d.Delta += more
		return d
	case agent.ToolCallDelta:
		d.Delta += more
		return d
	case agent.ToolResultDelta:
		d.Delta += more
		return d
	}
	return d
}
