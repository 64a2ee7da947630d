package room

import (
	"testing"
	"time"
)

// TestWatchRests: a program that does nothing is looked at less and less often, and as
// often as at first again when it does something.
func TestWatchRests(t *testing.T) {
	t.Parallel()
	var p pace
	for i, look := range []struct {
		memory, tasks int64
		want          time.Duration
	}{
		{100, 1, 100 * time.Millisecond}, {100, 1, 200 * time.Millisecond}, {100, 1, 400 * time.Millisecond}, {100, 1, 500 * time.Millisecond},
		{100, 1, 500 * time.Millisecond}, {101, 1, 100 * time.Millisecond}, {101, 1, 200 * time.Millisecond}, {101, 2, 100 * time.Millisecond},
	} {
		if got := p.rest(look.memory, look.tasks); got != look.want {
			t.Errorf("look %d: rests %s, want %s", i, got, look.want)
		}
	}
}
