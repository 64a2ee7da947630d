package agent

import "time"

// thinks notes that the model reasons.
func (d *draft) thinks(now time.Time) {
	if d.thinking.IsZero() {
		d.thinking = now
	}
}

// spoke notes the end of the reasoning.
func (d *draft) spoke(now time.Time) {
	if !d.thinking.IsZero() && d.thought.IsZero() {
		d.thought = now
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
