package bench

import (
	"context"
	"time"
)

// firstDeltas is how long the answers are whose first delta is waited for.
const firstDeltas = 3

// What runs are asked. The built-in endpoint answers by its model.
const (
	hello = "Hello."
	brief = "Answer with the single word: ready."
)

// short is what is asked for a short answer.
func (b *bench) short() asked {
	if b.given() {
		return asked{b.Target.Model, brief}
	}
	return asked{modelOf(flushModel, firstDeltas), hello}
}

// measureFirst waits for first deltas, in turn from the endpoint itself and through
// the server: what the server adds is what it takes beyond the endpoint's median.
func (b *bench) measureFirst(ctx context.Context) error {
	a := b.short()
	for range b.Plan.Warm {
		if _, err := b.together(ctx, 1, a, 0); err != nil {
			return err
		}
	}
	var direct, through samples
	for range b.Plan.First {
		alone, err := b.Target.firstDelta(ctx, b.direct, a.model, a.content)
		if err != nil {
			return err
		}
		g, err := b.together(ctx, 1, a, 0)
		if err != nil {
			return err
		}
		o := g.outcomes[0]
		direct, through = append(direct, milliseconds(alone)), append(through, milliseconds(o.first.Sub(o.start)))
	}
	beyond := make(samples, len(through))
	for i, t := range through {
		beyond[i] = t - direct.median()
	}
	b.add(direct.line("first_direct", "First delta, endpoint alone", "ms"))
	b.add(through.line("first", "First delta, through the server", "ms"))
	b.add(beyond.line("first_beyond", "First delta, beyond the endpoint", "ms"))
	return nil
}

// sinceStart are the times from the message to the first delta.
func (g group) sinceStart() (all samples) {
	for _, o := range g.outcomes {
		all = append(all, milliseconds(o.first.Sub(o.start)))
	}
	return all
}

// each is an amount of time for each of n things, in microseconds.
func each(d time.Duration, n int) float64 { return microseconds(d) / float64(max(n, 1)) }
