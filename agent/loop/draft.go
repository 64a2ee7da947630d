package loop

import (
	"time"

	"fusebox/agent"
)

// heard notes when the model begins to reason, and when it begins to speak:
// as it comes, whenever it is shown.
func (d *draft) heard(delta agent.Delta, now time.Time) {
	switch delta.Kind {
	case agent.DeltaReasoning:
		if d.thinking.IsZero() {
			d.thinking = now
		}
	case agent.DeltaText, agent.DeltaCallStart:
		if !d.thinking.IsZero() && d.thought.IsZero() {
			d.thought = now
		}
	}
}

// thoughtFor is how long the model has reasoned, in milliseconds.
func (d *draft) thoughtFor(now time.Time) int64 {
	if d.thinking.IsZero() {
		return 0
	}
	end := d.thought
	if end.IsZero() {
		end = now
	}
	return end.Sub(d.thinking).Milliseconds()
}
