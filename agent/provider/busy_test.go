package provider

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fusebox/agent/provider/streamtest"
)

// crowd is an endpoint that refuses all at first, and then whom it has no place for.
type crowd struct {
	opens   time.Time
	places  int
	streams bool // it answers at once, and its text takes time

	mu     sync.Mutex
	inside int
	starts []time.Time // of requests once it is open
	early  int         // requests before
}

const served = 100 * time.Millisecond

// RoundTrip implements http.RoundTripper.
func (c *crowd) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if now.Before(c.opens) {
		c.early++
		c.mu.Unlock()
		time.Sleep(served / 10) // so that all six are under way
		c.mu.Lock()
		return reply(req, http.StatusTooManyRequests, strings.NewReader(errorBody("slow down")), "2"), nil
	}
	c.starts = append(c.starts, now)
	if c.inside == c.places {
		return reply(req, http.StatusTooManyRequests, strings.NewReader(errorBody("no place")), "2"), nil
	}
	c.inside++
	if c.streams {
		return reply(req, http.StatusOK, &slowly{Reader: strings.NewReader(streamtest.Good), wait: sync.OnceFunc(c.serve)}, ""), nil
	}
	c.mu.Unlock()
	c.serve()
	c.mu.Lock()
	return reply(req, http.StatusOK, strings.NewReader(streamtest.Good), ""), nil
}

func (c *crowd) serve() {
	time.Sleep(served)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inside--
}

// slowly is a body whose first byte takes time.
type slowly struct {
	io.Reader
	wait func()
}

func (s *slowly) Read(p []byte) (int, error) {
	s.wait()
	return s.Reader.Read(p)
}

func reply(req *http.Request, status int, body io.Reader, after string) *http.Response {
	h := http.Header{"Content-Type": {"text/event-stream"}}
	if after != "" {
		h.Set("Retry-After", after)
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body), Request: req}
}

// replies is a transport that answers each request by the next of its replies, the last one again.
type replies struct {
	mu    sync.Mutex
	list  []func(*http.Request) *http.Response
	asked int
}

// RoundTrip implements http.RoundTripper.
func (r *replies) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	r.mu.Lock()
	next := r.list[min(r.asked, len(r.list)-1)]
	r.asked++
	r.mu.Unlock()
	return next(req), nil
}

func (r *replies) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

func refusal(status int, said, after string) func(*http.Request) *http.Response {
	return func(req *http.Request) *http.Response {
		return reply(req, status, strings.NewReader(errorBody(said)), after)
	}
}

func good(req *http.Request) *http.Response {
	return reply(req, http.StatusOK, strings.NewReader(streamtest.Good), "")
}

// TestCallsComeBackOneByOne: six calls of one second are refused; none fails, and all are
// served in about the time that it takes.
func TestCallsComeBackOneByOne(t *testing.T) {
	t.Parallel()
	for name, streams := range map[string]bool{"whole": false, "in a stream": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const calls = 6
				begun := time.Now()
				srv := &crowd{opens: begun.Add(time.Second), places: 2, streams: streams}
				p := inBubble(t, srv)
				watchers := make([]watcher, calls)
				var all sync.WaitGroup
				for i := range calls {
					all.Go(func() {
						if got, err := complete(t, p, &watchers[i]); err != nil || got.Content != "Good." {
							t.Errorf("call %d: %q, %v", i, got.Content, err)
						}
					})
				}
				all.Wait()
				ideal := 2*time.Second + calls/2*served
				if took := time.Since(begun); took > ideal*3/2 {
					t.Errorf("took %s, %s would do", took, ideal)
				}
				if srv.early != calls || len(srv.starts) != calls {
					t.Errorf("%d requests while it was closed, %d once it was open", srv.early, len(srv.starts))
				}
				for i := 1; i < len(srv.starts); i++ {
					if apart := srv.starts[i].Sub(srv.starts[i-1]); apart < served/2 {
						t.Errorf("two came back within %s", apart)
					}
				}
				nobodyLeft(t, p)
			})
		})
	}
}
