package bench

import (
	"context"
	"fmt"
)

// measureSockets reads the memory of a new server with many websockets on which
// nothing happens, each on a conversation of its own.
func (b *bench) measureSockets(ctx context.Context) error {
	if !seesProcesses || b.given() {
		return nil
	}
	if err := b.restart(ctx); err != nil {
		return err
	}
	open, err := b.client.openAll(ctx, "", b.Plan.Sockets)
	if err != nil {
		return err
	}
	defer closeAll(open)
	if !wait(ctx, settle) {
		return ctx.Err()
	}
	now, peak, err := memory(b.server.cmd.Process.Pid)
	if err != nil {
		return err
	}
	id, name := fmt.Sprintf("sockets_%d", len(open)), fmt.Sprintf("Memory, %s idle websockets", number(float64(len(open))))
	b.add(samples{now}.line(id, name, "MB"))
	b.add(samples{peak}.line(id+"_peak", name+", peak", "MB"))
	return nil
}
