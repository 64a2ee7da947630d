package agent

import "time"

// Clock is the only source of time in the loop and the guards, so that every
// behaviour can be replayed.
type Clock interface {
	Now() time.Time
	// After fires once after d, like time.After.
	After(d time.Duration) <-chan time.Time
}

// NewID makes an opaque, unique id that sorts by time.
type NewID func() string
