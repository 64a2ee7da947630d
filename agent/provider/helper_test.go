package provider

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

const testKey = "sk-test-0123456789abcdef"

// script is a server that answers each request by the next handler, the last
// one again and again, and keeps the bodies it got.
type script struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	auth   []string
}

func serve(t testing.TB, handlers ...http.HandlerFunc) *script {
	t.Helper()
	s := &script{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		n := min(len(s.bodies), len(handlers)-1)
		s.bodies = append(s.bodies, string(body))
		s.auth = append(s.auth, r.Header.Get("Authorization"))
		s.mu.Unlock()
		handlers[n](w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *script) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies)
}

// raw answers 200 with exactly these bytes, and headers as "Name: value".
func raw(body string, headers ...string) http.HandlerFunc {
	return status(http.StatusOK, body, headers...)
}

func status(code int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func newProvider(t testing.TB, url string, change ...func(*Config)) (*Provider, *agenttest.Clock) {
	t.Helper()
	clk := agenttest.NewClock()
	c := Config{
		BaseURL: url + "/v1", APIKey: testKey, HTTPClient: &http.Client{Transport: &http.Transport{}},
		Retry: RetryConfig{Max: 10}, Clock: clk, Rand: func() float64 { return 0.5 },
	}
	for _, f := range change {
		f(&c)
	}
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p, clk
}

// watcher is a sink that keeps what it got and lets no retry wait.
type watcher struct {
	clk    *agenttest.Clock
	deltas []agent.Delta
	stop   func(agent.Delta) error
}

func (w *watcher) sink(d agent.Delta) error {
	w.deltas = append(w.deltas, d)
	if d.Kind == agent.DeltaRetry && w.clk != nil {
		hurry(w.clk, time.Duration(d.Retry.DelayMS)*time.Millisecond)
	}
	if w.stop != nil {
		return w.stop(d)
	}
	return nil
}

// hurry lets waits of so long be over at once, and others not.
func hurry(clk *agenttest.Clock, wait time.Duration) {
	clk.Hurry(func(d time.Duration) bool { return d == wait })
}

func (w *watcher) retries() (list []agent.RetryEvent) {
	for _, d := range w.deltas {
		if d.Kind == agent.DeltaRetry {
			list = append(list, d.Retry)
		}
	}
	return list
}

// assembled puts the deltas since the last reset together.
func (w *watcher) assembled() agent.Completion {
	var c agent.Completion
	for _, d := range w.deltas {
		switch d.Kind {
		case agent.DeltaReset:
			c = agent.Completion{}
		case agent.DeltaText:
			c.Content += d.Text
		case agent.DeltaReasoning:
			c.Reasoning += d.Text
		case agent.DeltaCallStart:
			c.Calls = append(c.Calls, agent.CallRequest{ID: d.CallID, Name: d.ToolName})
		case agent.DeltaCallArgs:
			for i := range c.Calls {
				if c.Calls[i].ID == d.CallID {
					c.Calls[i].Arguments += d.Text
				}
			}
		}
	}
	return c
}

func hello() agent.Request {
	return agent.Request{Model: "m", Messages: []agent.Message{{Role: agent.FromUser, Content: "hello"}}}
}

func complete(t testing.TB, p *Provider, w *watcher) (agent.Completion, error) {
	t.Helper()
	return p.Complete(agenttest.Context(t), hello(), w.sink)
}

// The bounds of what is read and shown, as a caller meets them.
const (
	mostCalls     = 256
	mostTokens    = 100_000_000
	mostText      = 500
	mostRequestID = 128
	uncounted     = 64 // bytes that may come beyond a limit before they are counted
	frame         = 16 * time.Millisecond
)

// count is how many deltas of a kind were seen.
func (w *watcher) count(kind agent.DeltaKind) (n int) {
	for _, d := range w.deltas {
		if d.Kind == kind {
			n++
		}
	}
	return n
}
