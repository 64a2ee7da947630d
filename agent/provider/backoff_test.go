package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

// inBubble makes an endpoint of a transport whose time is that of the bubble.
func inBubble(t *testing.T, via http.RoundTripper, change ...func(*Config)) *Provider {
	t.Helper()
	p, _ := newProvider(t, "http://model.invalid", append([]func(*Config){func(c *Config) {
		c.HTTPClient, c.Clock, c.Rand = &http.Client{Transport: via}, agent.SystemClock{}, nil
	}}, change...)...)
	return p
}

// nobodyLeft checks that an endpoint has forgotten who has waited.
func nobodyLeft(t *testing.T, p *Provider) {
	t.Helper()
	if p.backoff.sweep(time.Now()); len(p.backoff.holds)+len(p.backoff.line) > 0 {
		t.Errorf("left: %d holds, %d in line", len(p.backoff.holds), len(p.backoff.line))
	}
}

// TestWhoWaitsForOthers: what a refusal of one call means for the next one, a second later.
func TestWhoWaitsForOthers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status      int
		said, after string
		model       string
		waits       time.Duration
	}{
		"the same model":                   {429, "busy", "7", "m", 6 * time.Second},
		"another model":                    {429, "busy", "7", "n", 6 * time.Second},
		"the model that it names":          {429, "Rate limit reached for `m`: wait", "7", "m", 6 * time.Second},
		"another one than it names":        {429, "Rate limit reached for `m`: wait", "7", "n", 0},
		"a part of a longer name":          {429, "Rate limit reached for m-large", "7", "n", 6 * time.Second},
		"nowhere to go, and until when":    {503, "full", "7", "n", 6 * time.Second},
		"out of order":                     {503, "full", "", "n", 0},
		"an error":                         {500, "oops", "7", "n", 0},
		"credit":                           {429, "insufficient_quota", "7", "n", 0},
		"more than anybody waits for":      {429, "tomorrow", "3600", "n", 0},
		"the usual wait, which is over by": {429, "busy", "", "n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := &replies{list: []func(*http.Request) *http.Response{refusal(tc.status, tc.said, tc.after), good}}
				p := inBubble(t, srv, func(c *Config) { c.Retry.Max = 0 })
				if _, err := complete(t, p, &watcher{}); err == nil {
					t.Fatal("the first call was not refused")
				}
				time.Sleep(time.Second)
				req, w, begun := hello(), &watcher{}, time.Now()
				req.Model = tc.model
				if _, err := p.Complete(t.Context(), req, w.sink); err != nil || time.Since(begun) != tc.waits {
					t.Errorf("%v after %s, want %s", err, time.Since(begun), tc.waits)
				}
				var want []agent.RetryEvent
				if tc.waits > 0 {
					want = []agent.RetryEvent{{
						DelayMS: tc.waits.Milliseconds(), Status: tc.status,
						Message: fmt.Sprintf("The model server is busy and has refused another call (%d).", tc.status),
					}}
				}
				if diff := cmp.Diff(want, w.retries()); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
				time.Sleep(time.Minute)
				nobodyLeft(t, p)
			})
		})
	}
}

// TestAbortEndsTheLine: at once, of a call that has its turn before it, and of one behind.
func TestAbortEndsTheLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := &replies{list: []func(*http.Request) *http.Response{refusal(429, "busy", "60"), good}}
		p := inBubble(t, srv)
		ctx, abort := context.WithCancelCause(t.Context())
		begun := time.Now()
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if _, err := p.Complete(ctx, hello(), (&watcher{}).sink); !errors.Is(err, errAbort) || time.Since(begun) != 5*time.Second {
					t.Errorf("%v after %s", err, time.Since(begun))
				}
			})
			time.Sleep(time.Second)
		}
		time.Sleep(2 * time.Second)
		abort(errAbort)
		all.Wait()
		if srv.count() != 1 {
			t.Errorf("%d requests", srv.count())
		}
		if _, err := p.Complete(t.Context(), hello(), (&watcher{}).sink); err != nil || time.Since(begun) != time.Minute {
			t.Errorf("the next call: %v after %s", err, time.Since(begun))
		}
		nobodyLeft(t, p)
	})
}

// TestTheLineHasAnEnd: who is kept back for too long fails with what keeps it.
func TestTheLineHasAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy := refusal(429, "busy today", "120")
		srv := &replies{list: []func(*http.Request) *http.Response{busy, busy, busy, good}}
		p := inBubble(t, srv, func(c *Config) { c.Retry.Max = 0 })
		if _, err := complete(t, p, &watcher{}); err == nil {
			t.Fatal("the first call was not refused")
		}
		var before sync.WaitGroup
		for range 2 {
			before.Go(func() {
				if _, err := p.Complete(t.Context(), hello(), (&watcher{}).sink); err == nil {
					t.Error("a call in front was not refused")
				}
			})
		}
		synctest.Wait()
		w, begun := &watcher{}, time.Now()
		_, err := p.Complete(t.Context(), hello(), w.sink)
		var failed *agent.ProviderError
		if !errors.As(err, &failed) || !failed.Retryable || failed.Status != 429 || failed.Attempts != 0 || !strings.Contains(failed.Message, "busy today") {
			t.Errorf("%+v", err)
		}
		if took := time.Since(begun); took != longestLine || len(w.retries()) == 0 || srv.count() != 3 {
			t.Errorf("after %s, %d events, %d requests", took, len(w.retries()), srv.count())
		}
		before.Wait()
		time.Sleep(longestLine)
		nobodyLeft(t, p)
	})
}

// TestStalledTryLetsOthersPass: an endpoint that does not refuse a try for some time has let it in,
// though it has not begun to answer.
func TestStalledTryLetsOthersPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stalled := make(chan struct{})
		srv := &replies{list: []func(*http.Request) *http.Response{refusal(429, "busy", "1"), func(req *http.Request) *http.Response {
			<-stalled
			return good(req)
		}, good}}
		p := inBubble(t, srv, func(c *Config) { c.IdleTimeout = time.Hour })
		var first sync.WaitGroup
		first.Go(func() {
			if _, err := p.Complete(t.Context(), hello(), (&watcher{}).sink); err != nil {
				t.Errorf("the first call: %v", err)
			}
		})
		synctest.Wait()
		begun := time.Now()
		var others sync.WaitGroup
		for range 2 {
			others.Go(func() {
				if _, err := p.Complete(t.Context(), hello(), (&watcher{}).sink); err != nil {
					t.Errorf("a call behind a stalled one: %v", err)
				}
			})
		}
		others.Wait()
		if took := time.Since(begun); took < proofTime || took > 2*proofTime {
			t.Errorf("they passed after %s", took)
		}
		close(stalled)
		first.Wait()
		nobodyLeft(t, p)
	})
}

// TestBusyMovesOn: where there is another model, calls go there as soon as five refusals say
// so, whether they were asked for or only waited for.
func TestBusyMovesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy := &replies{list: []func(*http.Request) *http.Response{refusal(429, "busy", "30")}}
		free := &replies{list: []func(*http.Request) *http.Response{good}}
		r, err := NewRouter(Endpoints{Offered: []*Provider{inBubble(t, busy), inBubble(t, free, func(c *Config) { c.Name = "other" })}}, []string{"other/m2"})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				got, err := r.Complete(t.Context(), hello(), (&watcher{}).sink)
				if err != nil || got.AnsweredBy != "other/m2" {
					t.Errorf("%v, answered by %q", err, got.AnsweredBy)
				}
				if took := time.Since(begun); i >= 4 && took > 6*time.Second {
					t.Errorf("call %d waited %s", i, took)
				}
			})
			time.Sleep(time.Second)
		}
		all.Wait()
		if took := time.Since(begun); took > time.Minute || busy.count() > 3 {
			t.Errorf("took %s, with %d requests to the busy endpoint", took, busy.count())
		}
	})
}

// TestTheLineWidens: an endpoint that keeps up is soon asked as before, however many wait.
func TestTheLineWidens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := &replies{list: []func(*http.Request) *http.Response{refusal(429, "busy", "2"), good}}
		p := inBubble(t, srv)
		var calls sync.WaitGroup
		begun := time.Now()
		for range 200 {
			calls.Go(func() {
				if _, err := p.Complete(t.Context(), hello(), (&watcher{}).sink); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		calls.Wait()
		if took := time.Since(begun); took < 2*time.Second || took > 6*time.Second {
			t.Errorf("200 calls were answered within %s", took)
		}
		nobodyLeft(t, p)
	})
}
