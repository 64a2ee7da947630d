package provider

import (
	"context"
	"time"

	"fusebox/agent"
)

// How an answer that came in one piece is typed out: in at most typedPieces
// pieces, one a frame, so that it takes a second at most.
const (
	typedPieces = 50
	typedFrame  = 16 * time.Millisecond
)

// typed is a sink that types texts out, for models that are never asked to stream.
func (p *Provider) typed(ctx context.Context, sink func(agent.Delta) error) func(agent.Delta) error {
	return func(d agent.Delta) error {
		if d.Kind != agent.DeltaText {
			return sink(d)
		}
		runes := []rune(d.Text)
		size := max(1, (len(runes)+typedPieces-1)/typedPieces)
		for i := 0; i < len(runes); i += size {
			if i > 0 {
				select {
				case <-ctx.Done():
					return context.Cause(ctx)
				case <-p.clock.After(typedFrame):
				}
			}
			d.Text = string(runes[i:min(i+size, len(runes))])
			if err := sink(d); err != nil {
				return err
			}
		}
		return nil
	}
}
