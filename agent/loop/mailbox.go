package loop

import "errors"

// mailbox is how the goroutines of calls reach the run's own one: rows have one owner,
// which alone stages and commits. It is served while calls are executed.
type mailbox struct {
	work chan func()
	left chan struct{} // closed once nobody serves any more
}

// errLeft is what a call hears that asks something of a run that has gone on without it.
var errLeft = errors.New("the run does not wait for this call any more")

func newMailbox() mailbox {
	return mailbox{work: make(chan func()), left: make(chan struct{})}
}

// do has the run's own goroutine do something, and waits for it.
func (m mailbox) do(f func() error) error {
	done := make(chan error, 1)
	select {
	case m.work <- func() { done <- f() }:
	case <-m.left:
		return errLeft
	}
	select {
	case err := <-done:
		return err
	case <-m.left: // f panicked
		return errLeft
	}
}
