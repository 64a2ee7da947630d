package bench

import (
	"context"
	"fmt"
	"time"
)

// spread is the time within which runs at once begin, so that their deltas do not
// come at the same moments.
const spread = 200 * time.Millisecond

// measureMany plays many runs at once on a new server, each with a delta every pace,
// or a given model's answers as they come.
func (b *bench) measureMany(ctx context.Context) error {
	if err := b.restart(ctx); err != nil {
		return err
	}
	n, ask := b.Plan.Runs, asked{modelOf(pacedModel, b.Plan.Paced), hello}
	if b.given() {
		ask = b.long()
		b.note("The latency of deltas is measured with the built-in endpoint only: it sends the time.")
	}
	var g group
	err := b.withMemory(ctx, fmt.Sprintf("runs_%d_memory", n), b.many(n, "memory"), func(ctx context.Context) (err error) {
		g, err = b.together(ctx, n, ask, spread)
		return err
	})
	if err != nil {
		return err
	}
	b.addMany(g)
	return nil
}

// many names a line about runs at once.
func (b *bench) many(n int, what string) string {
	if b.given() {
		return fmt.Sprintf("%s: %s", runs(n), what)
	}
	return fmt.Sprintf("%s × %d deltas/s: %s", runs(n), time.Second/pace, what)
}

func (b *bench) addMany(g group) {
	n := len(g.outcomes)
	name := func(what string) string { return b.many(n, what) }
	id := func(what string) string { return fmt.Sprintf("runs_%d_%s", n, what) }
	b.addMore(samples{float64(g.atOnce())}.line(id("served"), name("served at once"), "runs"))
	b.add(g.sinceStart().line(id("first"), name("first delta"), "ms"))
	if seesProcesses {
		b.add(samples{each(g.cpu, b.deltas(g))}.line(id("cpu"), name("server CPU a "+b.delta()), "µs"))
	}
	var late samples
	for _, o := range g.outcomes {
		late = append(late, o.late...)
	}
	if len(late) > 0 {
		b.add(late.line(id("late"), name("delta latency"), "ms"))
	}
}
