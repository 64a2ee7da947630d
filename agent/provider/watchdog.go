package provider

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"fusebox/agent"
)

var (
	errNoFirstByte = errors.New("no first byte in time")
	errIdle        = errors.New("nothing arrived for too long")
)

// The watchdog's own bounds: how many idle times may pass between two pieces of
// data while comments keep the line alive, and how long to wait for a usage
// chunk after the finish reason.
const (
	commentPatience = 5
	afterFinish     = 5 * time.Second
	// wholePatience is how many times longer an answer that comes in one piece
	// may take to its first byte: all of it is made before that.
	wholePatience = 5
)

// watchdog cancels a try in which nothing moves. A slow and steady stream may
// last as long as it likes. Bytes of any kind, comments too, reset the idle
// time; only data satisfies the wait for the first token.
type watchdog struct {
	clock    agent.Clock
	first    time.Duration // 0 takes idle
	idle     time.Duration
	sent     time.Time
	lastByte atomic.Int64 // nanoseconds after sent; 0 while there was none
	lastData atomic.Int64
	finished atomic.Bool
	wake     chan struct{}
}

// watch starts a watchdog that ends with ctx, at the latest by cancelling it.
func (p *Provider) watch(ctx context.Context, cancel context.CancelCauseFunc, as form) *watchdog {
	w := &watchdog{clock: p.clock, first: p.firstByte, idle: p.idle, sent: p.clock.Now(), wake: make(chan struct{}, 1)}
	if as == inOnePiece {
		w.first = wholePatience * max(p.firstByte, p.idle)
	}
	go func() {
		for {
			left, cause := w.left()
			if left <= 0 {
				cancel(cause)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-w.wake:
			case <-w.clock.After(left):
			}
		}
	}()
	return w
}

// left is how much longer the line may stay silent, and the error if it does.
func (w *watchdog) left() (time.Duration, error) {
	now := w.clock.Now().Sub(w.sent)
	lastByte, lastData := time.Duration(w.lastByte.Load()), time.Duration(w.lastData.Load())
	switch {
	case w.finished.Load():
		return max(lastByte, lastData) + min(w.idle, afterFinish) - now, errIdle
	case lastData == 0 && w.first > 0:
		return w.first - now, errNoFirstByte
	case lastByte == 0:
		return w.idle - now, errNoFirstByte
	default:
		return min(lastByte+w.idle, lastData+commentPatience*w.idle) - now, errIdle
	}
}

// since is never 0, so that 0 can mean never.
func (w *watchdog) since() int64 { return max(1, int64(w.clock.Now().Sub(w.sent))) }

func (w *watchdog) sawData() { w.lastData.Store(w.since()) }

// sawFinish shortens the wait: only a usage chunk may still come.
func (w *watchdog) sawFinish() {
	if w.finished.CompareAndSwap(false, true) {
		w.wake <- struct{}{} // never blocks: there is room for the one
	}
}

type watchedBody struct {
	io.Reader
	dog *watchdog
}

func (b watchedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if n > 0 {
		b.dog.lastByte.Store(b.dog.since())
	}
	return n, err
}
