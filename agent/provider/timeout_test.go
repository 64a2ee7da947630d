package provider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
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

// sinceRead is how long after a byte that was read at the beginning nothing may come: what
// was read at that very moment counts as read a nanosecond later.
const sinceRead = 1

// TestSilenceIsTriedAgain: a try in which nothing moves for too long is given up, and
// the next one succeeds.
func TestSilenceIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		first  http.HandlerFunc
		change func(*Config)
		reads  bool // something before it is silent
		waits  []time.Duration
	}{
		"no headers":           {stalls(), func(*Config) {}, false, []time.Duration{defaultIdle}},
		"no first byte":        {stalls(""), func(*Config) {}, false, []time.Duration{defaultIdle}},
		"silent after text":    {stalls(streamtest.SSE(streamtest.Delta(`"content":"a"`))), func(*Config) {}, true, []time.Duration{defaultIdle, sinceRead}},
		"comments, no token":   {stalls(": a\n\n"), func(c *Config) { c.FirstByteTimeout = time.Second }, true, []time.Duration{time.Second}},
		"silent after comment": {stalls(": a\n\n"), func(*Config) {}, true, []time.Duration{defaultIdle, sinceRead}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, row.first, raw(streamtest.Good))
			line := &watchedLine{again: make(chan struct{})}
			p, clk := newProvider(t, srv.URL, row.change, func(c *Config) { c.HTTPClient.Transport = line })
			w := &watcher{clk: clk}
			asked := asking(t, p, w)
			agenttest.Eventually(t, "a request", func() bool { return len(srv.requests()) == 1 })
			if row.reads {
				agenttest.Receive(t, "what is read", line.again)
			}
			for _, wait := range row.waits {
				clk.Outwait(t, wait)
			}
			if got := agenttest.Receive(t, "the answer", asked); got.Content != "Good." {
				t.Errorf("%+v", got)
			}
			if r := w.retries(); len(r) != 1 || !strings.Contains(r[0].Message, "in time") {
				t.Errorf("retries %+v", r)
			}
		})
	}
}

// watchedLine tells when more is wanted of an answer than what has come.
type watchedLine struct {
	http.Transport
	again chan struct{} // closed then
	once  sync.Once
}

func (l *watchedLine) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.Transport.RoundTrip(r)
	if err == nil {
		res.Body = &watchedAnswer{ReadCloser: res.Body, line: l}
	}
	return res, err
}

type watchedAnswer struct {
	io.ReadCloser
	line *watchedLine
	some bool
}

func (a *watchedAnswer) Read(p []byte) (int, error) {
	if a.some {
		a.line.once.Do(func() { close(a.line.again) })
	}
	n, err := a.ReadCloser.Read(p)
	a.some = a.some || n > 0
	return n, err
}

// asking asks while the test goes on.
func asking(t *testing.T, p *Provider, w *watcher) <-chan agent.Completion {
	t.Helper()
	answer := make(chan agent.Completion, 1)
	go func() {
		got, err := complete(t, p, w)
		if err != nil {
			t.Error(err)
		}
		answer <- got
	}()
	return answer
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
		clk := agenttest.NewClock()
		w := &watchdog{clock: clk, idle: idle, first: row.first, sent: clk.Now()}
		clk.Advance(row.now)
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
	asked := asking(t, p, w)
	clk.Outwait(t, afterFinish+sinceRead)
	if got := agenttest.Receive(t, "the answer", asked); got.Content != "Good." || len(w.retries()) > 0 {
		t.Errorf("%+v, %+v", got, w.retries())
	}
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
