package provider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// stalls writes the pieces and then keeps the line open until the client leaves.
func stalls(pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, p := range pieces {
			_, _ = io.WriteString(w, p)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}
}

// hasten moves the clock on until the call is over, in steps that no timeout
// under test is shorter than.
func hasten(t *testing.T, clk *clock, step time.Duration, call func()) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		call()
	}()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		select {
		case <-over:
			return
		case <-time.After(time.Millisecond):
			clk.advance(step)
		}
	}
	t.Fatal("the call never ended")
}

func TestSilenceIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		first  http.HandlerFunc
		change func(*Config)
		cause  error
	}{
		"no headers":           {stalls(), func(*Config) {}, errNoFirstByte},
		"no first byte":        {stalls(""), func(*Config) {}, errNoFirstByte},
		"silent after text":    {stalls(streamtest.SSE(streamtest.Delta(`"content":"a"`))), func(*Config) {}, errIdle},
		"comments, no token":   {stalls(": a\n\n"), func(c *Config) { c.FirstByteTimeout = time.Second }, errNoFirstByte},
		"silent after comment": {stalls(": a\n\n"), func(*Config) {}, errIdle},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, row.first, raw(streamtest.Good))
			p, clk := newProvider(t, srv.URL, row.change)
			w := &watcher{}
			hasten(t, clk, 300*time.Millisecond, func() {
				if got, err := complete(t, p, w); err != nil || got.Content != "Good." {
					t.Errorf("%+v, %v", got, err)
				}
			})
			if r := w.retries(); len(r) < 1 || !strings.Contains(r[0].Message, "in time") {
				t.Errorf("retries %+v", r)
			}
		})
	}
}

// TestWatchdogCounts checks the arithmetic of the waits on a clock that stands still.
func TestWatchdogCounts(t *testing.T) {
	t.Parallel()
	const idle = time.Minute
	rows := []struct {
		name                           string
		first, now, lastByte, lastData time.Duration
		finished                       bool
		want                           time.Duration
	}{
		{name: "the idle time counts to the first byte", now: 10 * time.Second, want: 50 * time.Second},
		{name: "unless there is a first-byte time", first: 5 * time.Minute, now: 2 * time.Minute, want: 3 * time.Minute},
		{name: "which comments do not satisfy", first: 5 * time.Minute, now: 4 * time.Minute, lastByte: 239 * time.Second, want: time.Minute},
		{name: "a comment resets the idle time", now: 70 * time.Second, lastByte: 70 * time.Second, want: idle},
		{name: "but not for ever", now: 290 * time.Second, lastByte: 290 * time.Second, want: 10 * time.Second},
		{name: "slow and steady", now: time.Hour, lastByte: time.Hour, lastData: time.Hour, want: idle},
		{name: "after the finish reason it is short", now: 10 * time.Second, lastByte: 8 * time.Second, lastData: 8 * time.Second, finished: true, want: 3 * time.Second},
	}
	for _, row := range rows {
		clk := newClock()
		w := &watchdog{clock: clk, idle: idle, first: row.first, sent: clk.Now()}
		clk.advance(row.now)
		w.lastByte.Store(int64(row.lastByte))
		w.lastData.Store(int64(row.lastData))
		w.finished.Store(row.finished)
		if got, _ := w.left(); got != row.want {
			t.Errorf("%s: %v left, want %v", row.name, got, row.want)
		}
	}
}

func TestAFinishedAnswerDoesNotWaitForTheEnd(t *testing.T) {
	t.Parallel()
	srv := serve(t, stalls(streamtest.SSE(streamtest.Delta(`"content":"Good."`), streamtest.Finish("stop"))))
	p, clk := newProvider(t, srv.URL)
	w := &watcher{}
	hasten(t, clk, 300*time.Millisecond, func() {
		if got, err := complete(t, p, w); err != nil || got.Content != "Good." || len(w.retries()) > 0 {
			t.Errorf("%+v, %v, %+v", got, err, w.retries())
		}
	})
}

var errAbort = errors.New("aborted by ana@example.com")

func TestCancellationReturnsItsCause(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		when   agent.DeltaKind // 0 cancels when the request arrives
		text   string
	}{
		"before the headers": {stalls(), 0, ""},
		"in the stream":      {stalls(streamtest.SSE(streamtest.Delta(`"content":"Half"`))), agent.DeltaText, "Half"},
		"while waiting":      {status(500, ""), agent.DeltaRetry, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if row.when == 0 {
					cancel(errAbort)
				}
				row.answer(w, r)
			})
			p, _ := newProvider(t, srv.URL)
			w := &watcher{stop: func(d agent.Delta) error {
				if d.Kind == row.when {
					cancel(errAbort)
				}
				return nil
			}}
			got, err := p.Complete(ctx, hello(), w.sink)
			if !errors.Is(err, errAbort) || got.Content != row.text {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
