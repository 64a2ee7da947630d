package provider

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/provider/streamtest"
	"fusebox/agent/provider/wire"
)

// routed makes a router of two endpoints, the first one without a name.
func routed(t *testing.T, first, second string, chain ...string) (*Router, *agenttest.Clock) {
	t.Helper()
	a, clk := newProvider(t, first)
	b, _ := newProvider(t, second, func(c *Config) {
		c.Name, c.APIKey, c.Clock = "other", "sk-other-0123456789abcdef", clk
	})
	r, err := NewRouter(Endpoints{Offered: []*Provider{a, b}}, chain)
	if err != nil {
		t.Fatal(err)
	}
	return r, clk
}

func (w *watcher) fallbacks() (list []agent.FallbackEvent) {
	for _, d := range w.deltas {
		if d.Kind == agent.DeltaFallback {
			list = append(list, d.Fallback)
		}
	}
	return list
}

// TestRouterKeepsKeysApart: each model is asked at its endpoint, by its own
// name there, with that endpoint's key and no other.
func TestRouterKeepsKeysApart(t *testing.T) {
	t.Parallel()
	one, two := serve(t, raw(streamtest.Good)), serve(t, raw(streamtest.Good))
	r, _ := routed(t, one.URL, two.URL)
	for id, srv := range map[string]*script{"m": one, "other/deep/m": two} {
		req := hello()
		req.Model = id
		comp, err := r.Complete(t.Context(), req, (&watcher{}).sink)
		if err != nil || comp.AnsweredBy != "" {
			t.Fatalf("%s: %v, answered by %q", id, err, comp.AnsweredBy)
		}
		want, model := "Bearer "+testKey, `"model":"m"`
		if srv == two {
			want, model = "Bearer sk-other-0123456789abcdef", `"model":"deep/m"`
		}
		if srv.auth[0] != want || !strings.Contains(srv.requests()[0], model) {
			t.Errorf("%s: key %q, body %s", id, srv.auth[0], srv.requests()[0])
		}
	}
	if len(one.requests()) != 1 || len(two.requests()) != 1 {
		t.Errorf("%d and %d requests", len(one.requests()), len(two.requests()))
	}
}

// TestBreakerMovesOn: after five failures within a minute the endpoint is left
// alone and the next model of the chain is asked, as an event; what was shown
// is void. Half a minute later one call tries the first endpoint again.
func TestBreakerMovesOn(t *testing.T) {
	t.Parallel()
	cut := raw(streamtest.SSE(streamtest.Delta(`"content":"Half"`)))
	one := serve(t, cut, cut, cut, cut, cut, status(503, ""), raw(streamtest.Good))
	two := serve(t, raw(streamtest.Good))
	r, clk := routed(t, one.URL, two.URL, "other/m2")
	ask := func() (*watcher, agent.Completion) {
		t.Helper()
		w := &watcher{clk: clk}
		comp, err := r.Complete(t.Context(), hello(), w.sink)
		if err != nil || comp.Content != "Good." || w.assembled().Content != "Good." {
			t.Fatalf("%v: %q, shown %q", err, comp.Content, w.assembled().Content)
		}
		return w, comp
	}
	w, comp := ask()
	if f := w.fallbacks(); len(f) != 1 || f[0] != (agent.FallbackEvent{Reason: ModelUnavailable, Attempt: 1, Model: "other/m2"}) || comp.AnsweredBy != "other/m2" || len(w.retries()) != 4 {
		t.Errorf("fallbacks %+v after %d waits, answered by %q", f, len(w.retries()), comp.AnsweredBy)
	}
	if w, _ := ask(); len(one.requests()) != 5 || len(w.fallbacks()) != 1 {
		t.Errorf("%d requests to an endpoint whose breaker is open", len(one.requests())-5)
	}
	clk.Advance(breakerRest)
	if ask(); len(one.requests()) != 6 {
		t.Errorf("%d probes, want one", len(one.requests())-5)
	}
	clk.Advance(breakerRest)
	if w, comp := ask(); comp.AnsweredBy != "" || len(w.fallbacks()) != 0 || len(one.requests()) != 7 {
		t.Errorf("after the probe went well %q answers", comp.AnsweredBy)
	}
	if w, _ := ask(); len(w.fallbacks()) != 0 {
		t.Error("the breaker did not close")
	}
}

// TestBreakerForgets failures that are too far apart.
func TestBreakerForgets(t *testing.T) {
	t.Parallel()
	var b breaker
	now := time.Now()
	for range 20 {
		now = now.Add(breakerSpan / 3)
		b.failed(now)
		if b.open(now) {
			t.Fatal("five failures in more than a minute opened it")
		}
	}
	for range breakerFailures {
		b.failed(now)
	}
	if !b.open(now) || b.allow(now) {
		t.Error("five at once did not")
	}
	now = now.Add(breakerRest)
	if !b.allow(now) || b.allow(now) {
		t.Error("half open it lets one probe pass, and no second one")
	}
	b.released()
	if !b.allow(now) {
		t.Error("a probe that was cancelled leaves room for the next")
	}
}

// TestWhatIsTriedElsewhere: an endpoint that is out of order or lets nobody in
// is not a reason to give up; a request that is wrong is wrong everywhere.
func TestWhatIsTriedElsewhere(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		moves  bool
	}{
		"401":      {status(401, ""), true},
		"402":      {status(402, ""), true},
		"404":      {status(404, ""), true},
		"billing":  {status(429, `{"error":{"code":"insufficient_quota","message":"pay"}}`), true},
		"400":      {status(400, `{"error":{"message":"bad"}}`), false},
		"422":      {status(422, `{"error":{"message":"bad"}}`), false},
		"too long": {status(400, `{"error":{"code":"context_length_exceeded","message":"long"}}`), false},
	} {
		one, two := serve(t, tc.answer), serve(t, raw(streamtest.Good))
		r, clk := routed(t, one.URL, two.URL, "other/m2")
		_, err := r.Complete(t.Context(), hello(), (&watcher{clk: clk}).sink)
		if moved := len(two.requests()) == 1; moved != tc.moves || moved != (err == nil) || len(one.requests()) != 1 {
			t.Errorf("%s: moved on %v, %v", name, moved, err)
		}
	}
}

// TestOneModelIsNotItsEndpoint: a model that is not there is not a reason to leave
// the other models of its endpoint alone; a key that is not accepted is.
func TestOneModelIsNotItsEndpoint(t *testing.T) {
	t.Parallel()
	for code, asked := range map[int]int{404: 2, 401: 1} {
		one, two := serve(t, status(code, ""), raw(streamtest.Good)), serve(t, raw(streamtest.Good))
		r, clk := routed(t, one.URL, two.URL, "other/m2")
		for _, model := range []string{"gone", "m"} {
			req := hello()
			req.Model = model
			if _, err := r.Complete(t.Context(), req, (&watcher{clk: clk}).sink); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(one.requests()); n != asked {
			t.Errorf("after a %d the endpoint was asked %d times, want %d", code, n, asked)
		}
	}
}

// TestWithoutAChain an open breaker changes nothing: all retries are made.
func TestWithoutAChain(t *testing.T) {
	t.Parallel()
	one := serve(t, status(503, ""))
	r, clk := routed(t, one.URL, one.URL)
	for range 2 {
		w := &watcher{clk: clk}
		if _, err := r.Complete(t.Context(), hello(), w.sink); err == nil || len(w.retries()) != 10 {
			t.Errorf("%d retries, %v", len(w.retries()), err)
		}
	}
}

// TestCatalog: models are those that are configured and those that are listed;
// an endpoint that is down keeps what it had and says so.
func TestCatalog(t *testing.T) {
	t.Parallel()
	one := serve(t, raw(`{"data":[{"id":"m","context_length":8192},{"id":"n"}]}`), status(500, `{"error":{"message":"no `+testKey+`"}}`))
	two := serve(t, raw(`{"data":[{"id":"x/y","max_model_len":4096}]}`))
	r, _ := routed(t, one.URL, two.URL)
	for range 2 {
		r.Refresh(t.Context())
		var ids []string
		for _, m := range r.Models() {
			ids = append(ids, m.ID)
		}
		if strings.Join(ids, " ") != "m n other/x/y" || r.Window("m") != 8192 || r.Window("other/x/y") != 4096 || r.Window("n") != 0 {
			t.Errorf("models %v, windows %d %d %d", ids, r.Window("m"), r.Window("other/x/y"), r.Window("n"))
		}
	}
	if e := r.Endpoints()[0]; !strings.Contains(e.Problem, "500") || strings.Contains(e.Problem, testKey) || e.Models != 2 {
		t.Errorf("endpoint %+v", e)
	}
}

// TestAzure: the path of a deployment, the version in the query, the key in a
// header of its own, and none of it in an error.
func TestAzure(t *testing.T) {
	t.Parallel()
	var got *http.Request
	srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		status(401, "no "+r.URL.String()+" "+r.Header.Get("Api-Key"))(w, r)
	})
	p, _ := newProvider(t, srv.URL, func(c *Config) {
		c.BaseURL, c.Family = srv.URL+"/openai/deployments/gpt/?api-version=2024-10-21&code=query-secret-1", Azure
		c.Headers = map[string]string{"X-Team": "header-secret-1"}
	})
	_, err := complete(t, p, &watcher{})
	if got.URL.Path != "/openai/deployments/gpt/chat/completions" || got.URL.Query().Get("api-version") != "2024-10-21" {
		t.Errorf("asked at %s", got.URL)
	}
	if got.Header.Get("Api-Key") != testKey || got.Header.Get("Authorization") != "" || got.Header.Get("X-Team") != "header-secret-1" {
		t.Errorf("headers %v", got.Header)
	}
	if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), testKey) {
		t.Errorf("the error is %v", err)
	}
	srv.Close()
	if _, err := complete(t, p, &watcher{stop: func(agent.Delta) error { return wire.ErrDone }}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error is %v", err)
	}
}

// TestRawLog: what goes over the wire is kept, without keys, for runs only.
func TestRawLog(t *testing.T) {
	t.Parallel()
	srv := serve(t, status(500, "no "+testKey), raw(streamtest.Good))
	var kept []agent.Exchange
	p, clk := newProvider(t, srv.URL, func(c *Config) {
		c.Raw = func(x agent.Exchange) { kept = append(kept, x) }
		c.Headers = map[string]string{"X-Key": `a&"b<secret`}
	})
	req := hello()
	req.Messages[0].Content = "my key is " + testKey + ` and a&"b<secret`
	for _, run := range []string{"", "run-1"} {
		req.RunID = run
		if _, err := p.Complete(t.Context(), req, (&watcher{clk: clk}).sink); err != nil {
			t.Fatal(err)
		}
	}
	if len(kept) != 1 || kept[0].RunID != "run-1" || kept[0].Status != 200 || kept[0].Response != streamtest.Good || !strings.Contains(kept[0].Request, `"content":"my key is [key] and [key]"`) {
		t.Errorf("kept %+v", kept)
	}
}

// TestRawLogIsCut: where a body is too long to be kept, no half of a key is left at its end.
func TestRawLogIsCut(t *testing.T) {
	t.Parallel()
	const most = 256 << 10
	srv := serve(t, raw(strings.Repeat(":\n", most/2-4)+testKey+strings.Repeat("\n", 8<<10)+streamtest.Good))
	var kept []agent.Exchange
	p, clk := newProvider(t, srv.URL, func(c *Config) { c.Raw = func(x agent.Exchange) { kept = append(kept, x) } })
	req := hello()
	req.RunID = "run-1"
	whole := len(`{"messages":[{"content":"`)
	req.Messages[0].Content = strings.Repeat("x", most-whole-8) + testKey + strings.Repeat("y", 8<<10)
	if _, err := p.Complete(t.Context(), req, (&watcher{clk: clk}).sink); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"request": kept[0].Request, "answer": kept[0].Response} {
		if !kept[0].Cut || len(text) < most-8<<10 || len(text) > most || strings.Contains(text, testKey[:6]) {
			t.Errorf("the %s has %d bytes and ends %q", what, len(text), text[len(text)-40:])
		}
	}
}
