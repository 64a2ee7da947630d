package bench

import (
	"context"
	"fmt"
)

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
