package provider

import (
	"slices"
	"sync"
	"time"

	"fusebox/agent/provider/wire"
)

// backoff is what the calls of an endpoint know of its limits together. After a refusal
// no try starts before the time that it named. Then the first in line starts alone, and
// once the endpoint has let that one in, the others follow one by one, sooner and sooner.
//
// A refusal is about the model that its text names, and else about the whole endpoint.
// No header says which, and some endpoints have models that are always busy: the others
// need not wait for those.
type backoff struct {
	mu      sync.Mutex
	holds   map[string]*hold // by model; "" is the whole endpoint
	line    []*turn          // in the order they came
	changed chan struct{}    // closed when those in line had better look again; nil if none looks
}

// hold is a refusal that keeps tries back.
type hold struct {
	why    *wire.Failure
	until  time.Time
	probe  *turn // the try that has started alone, and has no answer yet
	probed time.Time
	proven bool // the endpoint has let one in since
	begun  int  // so many tries have started since
}

// turn is the place of a try in the line.
type turn struct {
	model   string
	started bool
	// The try's own: until when it has said that it waits, and when it gives up.
	told, ends time.Time
}

// delay is why a turn has not come, and about when it comes. Where that depends on a
// probe, nobody knows.
type delay struct {
	why     *wire.Failure
	until   time.Time
	probing bool
	proof   time.Time // when the probe counts as let in
	changed <-chan struct{}
}

// concerns reports whether a hold of this name keeps a model back.
func concerns(name, model string) bool { return name == "" || name == model }

// join gets a try in line, or returns nil if nothing keeps it back.
func (b *backoff) join(model string, now time.Time) *turn {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweep(now)
	if b.holds[""] == nil && b.holds[model] == nil {
		return nil
	}
	t := &turn{model: model}
	b.line = append(b.line, t)
	return t
}

// start starts all in line whose time has come, with a gap behind each. The delay is
// that of t, and zero once t has started.
func (b *backoff) start(t *turn, now time.Time, gap time.Duration) delay {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, h := range b.holds {
		if h.probe != nil && now.Sub(h.probed) >= proofTime {
			h.probe, h.proven = nil, true
		}
	}
	waiting := len(b.line)
	b.line = slices.DeleteFunc(b.line, func(w *turn) bool { return b.begin(w, now, gap) })
	if len(b.line) < waiting {
		b.change(now)
	}
	if t.started {
		return delay{}
	}
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	d, ahead := delay{changed: b.changed}, 0
	for _, w := range b.line[:slices.Index(b.line, t)] {
		if w.model == t.model || b.holds[w.model] == nil { // else it is another hold that w waits for
			ahead++
		}
	}
	for name, h := range b.holds {
		if !concerns(name, t.model) {
			continue
		}
		until := h.until.Add(time.Duration(ahead) * gap)
		if h.probe != nil {
			d.probing, d.proof = true, h.probed.Add(proofTime)
			until = until.Add(max(0, now.Sub(h.until)) + gap)
		}
		if until.After(d.until) {
			d.why, d.until = h.why, until
		}
	}
	return d
}

// begin starts a turn if no hold keeps it back.
func (b *backoff) begin(t *turn, now time.Time, gap time.Duration) bool {
	for name, h := range b.holds {
		if concerns(name, t.model) && (h.probe != nil || now.Before(h.until)) {
			return false
		}
	}
	for name, h := range b.holds {
		if concerns(name, t.model) {
			h.until = now.Add(narrowed(gap, h.begun))
			h.begun++
			if !h.proven {
				h.probe, h.probed = t, now
			}
		}
	}
	t.started = true
	return true
}

// proofTime is how long a try that has started alone may be without an answer until it counts as
// let in: refusals come at once, and some endpoints begin an answer only when they have a part of it.
const proofTime = 2 * time.Second

// After slowTries tries that the endpoint has let in, the gap behind each is halved for every
// halvedEvery further ones: an endpoint that keeps up is soon asked as before.
const (
	slowTries   = 8
	halvedEvery = 4
)

func narrowed(gap time.Duration, begun int) time.Duration {
	return gap >> min(max(begun-slowTries+halvedEvery, 0)/halvedEvery, 30)
}

// accepted notes that the endpoint has let a try in.
func (b *backoff) accepted(t *turn, now time.Time) { b.end(t, true, now) }

// leave gives up a turn: its try was not made, or is over.
func (b *backoff) leave(t *turn, now time.Time) { b.end(t, false, now) }

func (b *backoff) end(t *turn, proven bool, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.line = slices.DeleteFunc(b.line, func(w *turn) bool { return w == t })
	for _, h := range b.holds {
		if h.probe == t {
			h.probe, h.proven = nil, proven
		}
	}
	b.change(now)
}

// refused keeps all tries of a model, or of the whole endpoint, back until then.
func (b *backoff) refused(model string, why *wire.Failure, now, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := ""
	if why.Names(model) {
		name = model
	}
	h := b.holds[name]
	if h == nil {
		h = &hold{}
		if b.holds == nil {
			b.holds = make(map[string]*hold)
		}
		b.holds[name] = h
	}
	h.why, h.probe, h.proven, h.begun = why, nil, false, 0
	if until.After(h.until) {
		h.until = until
	}
	b.change(now)
}

// change has all in line look again, and forgets what keeps nobody back any more.
func (b *backoff) change(now time.Time) {
	b.sweep(now)
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

func (b *backoff) sweep(now time.Time) {
	for name, h := range b.holds {
		over := h.probe == nil && (h.proven || !now.Before(h.until))
		if over && !slices.ContainsFunc(b.line, func(t *turn) bool { return concerns(name, t.model) }) {
			delete(b.holds, name)
		}
	}
}
