// Package limits lets calls of tools wait until there is a place for them.
package limits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"
)

// MaxWait is how long a call waits for its place at most.
const MaxWait = time.Minute

// Limit bounds the calls to a tool, or to all tools of a source.
type Limit struct {
	// Name is a tool's, or a source's as in agent.ToolSpec, such as mcp:files.
	Name string
	// Parallel is how many calls may be at work at the same time, PerMinute how many may
	// begin in a minute, evenly spaced. 0 does not bound them.
	Parallel, PerMinute int
}

// String says what is allowed.
func (l Limit) String() string {
	switch {
	case l.PerMinute == 0:
		return fmt.Sprintf("at most %d of %s at a time", l.Parallel, l.Name)
	case l.Parallel == 0:
		return fmt.Sprintf("at most %d of %s a minute", l.PerMinute, l.Name)
	}
	return fmt.Sprintf("at most %d of %s at a time and %d a minute", l.Parallel, l.Name, l.PerMinute)
}

// FullError says that a call did not start because no place became free in time.
type FullError struct{ Limit Limit }

// Error implements error.
func (e *FullError) Error() string { return "no place became free: " + e.Limit.String() }

// Limits are the limits of all tools. A nil *Limits bounds nothing.
type Limits struct {
	gates map[string]*gate
	wait  time.Duration
}

// New makes limits.
func New(list []Limit) *Limits {
	if len(list) == 0 {
		return nil
	}
	l := &Limits{gates: map[string]*gate{}, wait: MaxWait}
	for _, limit := range list {
		l.gates[limit.Name] = newGate(limit)
	}
	return l
}

func free() {}

// Enter waits until a call may begin: of the tool, and of its source. Whoever came first gets
// the next place. waits is told of a limit that keeps the call waiting. leave gives the places
// back. A *FullError says that there was none in time, another one that ctx ended.
func (l *Limits) Enter(ctx context.Context, tool, source string, waits func(Limit)) (leave func(), err error) {
	if l == nil {
		return free, nil
	}
	own, shared := l.gates[tool], l.gates[source]
	if own == nil && shared == nil {
		return free, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, l.wait, errWaited)
	defer cancel()
	if err := own.enter(ctx, waits); err != nil {
		return nil, err
	}
	if err := shared.enter(ctx, waits); err != nil {
		own.leave()
		return nil, err
	}
	return func() { shared.leave(); own.leave() }, nil
}

// errWaited ends the wait for a place.
var errWaited = errors.New("waited for a place in vain")

// gate enforces one limit; a nil gate lets every call pass.
type gate struct {
	limit  Limit
	places chan struct{} // has one element for each call at work; nil does not bound them
	pace   *rate.Limiter
}

func newGate(l Limit) *gate {
	g := &gate{limit: l, pace: rate.NewLimiter(rate.Inf, 1)}
	if l.Parallel > 0 {
		g.places = make(chan struct{}, l.Parallel)
	}
	if l.PerMinute > 0 {
		g.pace.SetLimit(rate.Every(time.Minute / time.Duration(l.PerMinute)))
	}
	return g
}

func (g *gate) enter(ctx context.Context, waits func(Limit)) error {
	if g == nil {
		return nil
	}
	if err := g.take(ctx, waits); err != nil {
		return err
	}
	if err := g.pause(ctx, waits); err != nil {
		g.leave()
		return err
	}
	return nil
}

// take gets a place among the calls at work.
func (g *gate) take(ctx context.Context, waits func(Limit)) error {
	if g.places == nil {
		return nil
	}
	select {
	case g.places <- struct{}{}:
		return nil
	default:
	}
	waits(g.limit)
	select {
	case g.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return g.refusal(ctx)
	}
}

// pause waits for the call's turn within the minute, unless that would come too late.
func (g *gate) pause(ctx context.Context, waits func(Limit)) error {
	turn := g.pace.Reserve()
	delay := turn.Delay()
	if delay == 0 {
		return nil
	}
	if end, ok := ctx.Deadline(); ok && time.Now().Add(delay).After(end) {
		turn.Cancel()
		return &FullError{g.limit}
	}
	waits(g.limit)
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		turn.Cancel()
		return g.refusal(ctx)
	}
}

func (g *gate) refusal(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errWaited) {
		return &FullError{g.limit}
	}
	return ctx.Err()
}

func (g *gate) leave() {
	if g != nil && g.places != nil {
		<-g.places
	}
}
