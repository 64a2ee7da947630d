package bench

import (
	"context"
	"fmt"
	"time"
)

// settle is how long the server is left alone before its idle memory is read.
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

// restart ends the server, if there is one, and starts it.
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

// memoryEvery is how often memory is read while streams go on.
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
