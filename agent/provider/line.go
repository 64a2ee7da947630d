package provider

import (
	"context"
	"errors"
	"time"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/wire"
)

// longestLine is how long a try may be kept back. Then its call fails, with the refusal
// that keeps it.
const longestLine = 5 * time.Minute

// await waits until the endpoint's back-off lets the next try of a call begin; tries is
// how many it has made, and told until when it has said that it waits. The turn is nil
// where there was nothing to wait for.
func (p *Provider) await(ctx context.Context, q question, tries int, told time.Time, acc *answer.Accumulator) (*turn, error) {
	now := p.clock.Now()
	t := p.backoff.join(q.req.Model, now)
	if t == nil {
		return nil, nil
	}
	begun := false
	defer func() {
		if !begun {
			p.backoff.leave(t, p.clock.Now())
		}
	}()
	for t.told, t.ends = told, now.Add(longestLine); ; now = p.clock.Now() {
		d := p.backoff.start(t, now, p.retries.gap(p.rand()))
		if begun = d.why == nil; begun {
			return t, nil
		}
		if err := p.keptBack(ctx, q, t, tries, now, d, acc); err != nil {
			return nil, err
		}
	}
}

// keptBack waits until a delay may have changed. It tells the watcher of it first, unless
// it has been told; the breaker counts it as the refusal that it would have been.
func (p *Provider) keptBack(ctx context.Context, q question, t *turn, tries int, now time.Time, d delay, acc *answer.Accumulator) error {
	wait := d.until.Sub(now)
	long := wait >= p.retries.Base
	tell := t.told.IsZero() || long && !d.probing && !now.Before(t.told)
	if tell && long {
		p.breaker.failed(now)
	}
	if !now.Before(t.ends) || q.next && p.breaker.open(now) {
		return p.giveUp(d.why, tries)
	}
	if tell {
		t.told = d.until
		busy := wire.Failure{Status: d.why.Status, Said: "is busy and has refused another call"}
		p.log.InfoContext(ctx, "model call waits for a busy endpoint", "model", q.req.Model, "delay_ms", wait.Milliseconds(), "status", d.why.Status)
		if err := acc.Send(agent.Delta{Kind: agent.DeltaRetry, Retry: agent.RetryEvent{
			Attempt: tries, MaxAttempts: p.retries.Max, DelayMS: wait.Milliseconds(), Status: d.why.Status, Message: busy.Sentence(),
		}}); err != nil {
			return err
		}
	}
	next := t.ends
	wakes := []time.Time{d.until, t.told}
	if d.probing {
		wakes = []time.Time{d.proof}
	}
	for _, at := range wakes {
		if at.After(now) && at.Before(next) {
			next = at
		}
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.clock.After(next.Sub(now)):
	case <-d.changed:
	}
	return nil
}

// attempt makes the call once, as the n-th try, and says how long to wait after a
// failure. All calls of the endpoint wait for one that is busy.
func (p *Provider) attempt(ctx context.Context, q question, n int, t *turn, acc *answer.Accumulator) (pause time.Duration, err error) {
	if t != nil {
		defer func() { p.backoff.leave(t, p.clock.Now()) }()
	}
	if err = p.try(ctx, q, t, acc); err == nil {
		return 0, nil
	}
	if f, ok := errors.AsType[*wire.Failure](err); ok {
		pause = p.retries.wait(n, f.After, p.rand())
		if f.Busy() && f.After <= longestWait {
			now := p.clock.Now()
			p.backoff.refused(q.req.Model, f, now, now.Add(pause))
		}
	}
	return pause, err
}
