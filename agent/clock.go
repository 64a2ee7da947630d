package agent

import (
	"context"
	"time"
)

// Clock is the only source of time in the loop and the guards, so that every
// behaviour can be replayed.
type Clock interface {
	Now() time.Time
	// After fires once after d, like time.After.
	After(d time.Duration) <-chan time.Time
}

// SystemClock is the machine's.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// After implements Clock.
func (SystemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// WithTimeout is a context that a clock ends after d, with the cause.
func WithTimeout(ctx context.Context, c Clock, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	up := c.After(d)
	go func() {
		select {
		case <-ctx.Done():
		case <-up:
			cancel(cause)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Stamp is the clock's time as stored in rows and events: UTC, to the millisecond,
// so that live events and stored ones are the same text.
func Stamp(c Clock) time.Time { return c.Now().UTC().Truncate(time.Millisecond) }

// NewID makes an opaque, unique id that sorts by time.
type NewID func() string

// StampOrZero is a time in UTC; zero stays zero.
func StampOrZero(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC()
}
