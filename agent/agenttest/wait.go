package agenttest

import (
	"context"
	"testing"
	"time"
)

// Hang is how long a test waits for what has to come. Nothing takes so long, on however
// busy a machine: it only ends a test that hangs.
const Hang = 3 * time.Minute

// Context is the test's own. It ends a call that hangs.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Hang)
	t.Cleanup(cancel)
	return ctx
}

// Receive is what comes next out of a channel: the zero value where it is closed.
func Receive[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	hang := time.NewTimer(Hang)
	defer hang.Stop()
	select {
	case v := <-from:
		return v
	case <-hang.C:
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

// longestPause bounds how late Eventually notices something.
const longestPause = 100 * time.Millisecond

// Eventually returns once something is so that others bring about. It looks less and
// less often: to look takes processor time that they need.
func Eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	end := time.Now().Add(Hang)
	for pause := time.Millisecond; !so(); pause = min(2*pause, longestPause) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(pause)
	}
}
