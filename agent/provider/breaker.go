package provider

import (
	"sync"
	"time"
)

// An endpoint that fails this often in a row within the span is left alone for
// the rest, as long as there is another model to ask.
const (
	breakerFailures = 5
	breakerSpan     = time.Minute
	breakerRest     = 30 * time.Second
)

// breaker is the fuse of one endpoint: closed, open, and half open once its
// rest is over, when one call at a time may try it.
type breaker struct {
	mu       sync.Mutex
	failures []time.Time // the newest ones in a row, at most breakerFailures
	until    time.Time   // open until then; zero while closed
	probing  bool
}

// allow reports whether the endpoint may be asked. Half open it says so to one
// caller, who has to report how it went.
func (b *breaker) allow(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.until.IsZero():
		return true
	case now.Before(b.until) || b.probing:
		return false
	}
	b.probing = true
	return true
}

func (b *breaker) open(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return now.Before(b.until)
}

// failed notes a failure; enough of them, or the failure of a probe, open the breaker.
func (b *breaker) failed(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.failures) == breakerFailures {
		b.failures = b.failures[1:]
	}
	b.failures = append(b.failures, now)
	if b.probing || len(b.failures) == breakerFailures && now.Sub(b.failures[0]) <= breakerSpan {
		b.rest(now)
	}
}

// trip opens the breaker at once: the endpoint said that asking again is vain.
func (b *breaker) trip(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rest(now)
}

func (b *breaker) rest(now time.Time) {
	b.failures, b.until, b.probing = nil, now.Add(breakerRest), false
}

func (b *breaker) succeeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.until, b.probing = nil, time.Time{}, false
}

// released ends a probe that came to no result: its caller was cancelled.
func (b *breaker) released() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}
