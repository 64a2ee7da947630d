package bench

import (
	"context"
	"fmt"
	"time"
)

// settle is the pause before the idle memory of the server is read.
const settle = 300 * time.Millisecond

// measureStart starts the server several times on a database that is there. The
// last one stays.
func (b *bench) measureStart(ctx context.Context) error {
	var took samples
	for range b.Plan.Starts {
		if err := b.restart(ctx); err != nil {
			return err
		}
		took = append(took, milliseconds(b.server.started))
	}
	b.add(took.line("start", "Start to listening", "ms"))
	return nil
}

func (b *bench) restart(ctx context.Context) (err error) {
	if b.server != nil {
		if err := b.server.stop(); err != nil {
			return err
		}
	}
	if b.server, err = start(ctx, b.Program, b.env); err != nil {
		b.server = nil
		return err
	}
	b.client.url = b.server.url
	return nil
}

// resident is the memory of a process that is in RAM, in MB: now, at its highest, and
// now without the pages of files, of which the kernel maps as many as it likes.
type resident struct{ now, peak, own float64 }

// measureMemory reads the server's memory before anything was asked, and with
// streams.
func (b *bench) measureMemory(ctx context.Context) error {
	if !seesProcesses {
		return nil
	}
	if !wait(ctx, settle) {
		return ctx.Err()
	}
	idle, err := memory(b.server.cmd.Process.Pid)
	if err != nil {
		return err
	}
	b.add(samples{idle.now}.line("memory_idle", "Memory, idle", "MB"))
	b.add(samples{idle.own}.line("memory_idle_own", "Memory, idle, without files", "MB"))
	if b.given() {
		return nil // it is read with the runs at once: each run costs money
	}
	return b.withMemory(ctx, fmt.Sprintf("memory_%d", b.Plan.Streams), fmt.Sprintf("Memory, %d streams", b.Plan.Streams), func(ctx context.Context) error {
		_, err := b.together(ctx, b.Plan.Streams, asked{modelOf(pacedModel, b.Plan.Paced), hello}, 0)
		return err
	})
}

const memoryEvery = 50 * time.Millisecond

// withMemory adds the server's memory while something goes on, and at its highest
// since the server was started.
func (b *bench) withMemory(ctx context.Context, id, name string, goesOn func(context.Context) error) error {
	if !seesProcesses {
		return goesOn(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	var seen samples
	done := make(chan struct{})
	go func() {
		defer close(done)
		for wait(ctx, memoryEvery) {
			if m, err := memory(b.server.cmd.Process.Pid); err == nil {
				seen = append(seen, m.now)
			}
		}
	}()
	err := goesOn(ctx)
	cancel()
	<-done
	if err != nil {
		return err
	}
	last, err := memory(b.server.cmd.Process.Pid)
	if err != nil {
		return err
	}
	b.add(append(seen, last.now).line(id, name, "MB"))
	b.add(samples{last.peak}.line(id+"_peak", name+", peak", "MB"))
	return nil
}

// measureSockets reads the memory of a new server with many websockets on which
// nothing happens, each on a conversation of its own.
func (b *bench) measureSockets(ctx context.Context) error {
	if !seesProcesses {
		return nil
	}
	if err := b.restart(ctx); err != nil {
		return err
	}
	n := b.Plan.Sockets
	open, err := b.client.openAll(ctx, "", n)
	if err != nil {
		return err
	}
	defer closeAll(open)
	return b.withMemory(ctx, fmt.Sprintf("sockets_%d", n), fmt.Sprintf("Memory, %s idle websockets", number(float64(n))), func(ctx context.Context) error {
		if !wait(ctx, settle) {
			return ctx.Err()
		}
		return nil
	})
}

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
	id := func(what string) string { return fmt.Sprintf("runs_%d_%s", n, what) }
	var first, late samples
	for _, o := range g.outcomes {
		first, late = append(first, milliseconds(o.first.Sub(o.start))), append(late, o.late...)
	}
	b.addMore(samples{float64(g.atOnce())}.line(id("served"), b.many(n, "served at once"), "runs"))
	b.add(first.line(id("first"), b.many(n, "first delta"), "ms"))
	if seesProcesses {
		b.add(samples{each(g.cpu, b.deltas(g))}.line(id("cpu"), b.many(n, "server CPU a "+b.delta()), "µs"))
	}
	if len(late) > 0 {
		b.add(late.line(id("late"), b.many(n, "delta latency"), "ms"))
	}
	return nil
}

func (b *bench) many(n int, what string) string {
	if b.given() {
		return fmt.Sprintf("%s: %s", runs(n), what)
	}
	return fmt.Sprintf("%s × %d deltas/s: %s", runs(n), time.Second/pace, what)
}
