package provider

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// leave is one question for leave to continue.
type leave struct {
	Model  string
	Output int64 // spent so far
	Input  bool  // whether any was
}

// purse answers such questions: with a limit each, and with an error once
// there is none left.
type purse struct {
	limits []int64
	asked  []leave
	spent  agent.Usage
}

var errEmptyPurse = errors.New("the purse is empty")

func (p *purse) again(_ context.Context, model string, tries agent.Spent) (int64, error) {
	spent := tries.Total()
	p.asked = append(p.asked, leave{Model: model, Output: spent.OutputTokens, Input: spent.InputTokens > 0})
	p.spent = spent
	if len(p.limits) == 0 {
		return 0, errEmptyPurse
	}
	limit := p.limits[0]
	p.limits = p.limits[1:]
	return limit, nil
}

func withPurse(req agent.Request, p *purse) agent.Request {
	req.MaxTokens, req.ReserveRetry = 500, p.again
	return req
}

// limitsSent are the limits of the requests that a server got, in turn.
func limitsSent(t *testing.T, s *script) (list []any) {
	t.Helper()
	for _, body := range s.requests() {
		raw := read(t, body).raw
		if raw["max_tokens"] == nil {
			list = append(list, raw["max_completion_tokens"])
			continue
		}
		list = append(list, raw["max_tokens"])
	}
	return list
}

func wantLimits(t *testing.T, s *script, want ...any) {
	t.Helper()
	if diff := cmp.Diff(want, limitsSent(t, s)); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
}

var cutStream = raw(streamtest.SSE(streamtest.Delta(`"content":"one two three four"`)))

const toldChunk = `{"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":5}}`

// TestVoidAnswersAreBilled: a stream that breaks is paid for, prompt and all;
// a try of which nothing came is not, and needs no leave.
func TestVoidAnswersAreBilled(t *testing.T) {
	t.Parallel()
	answer := raw(streamtest.SSE(streamtest.Delta(`"content":"Good."`), streamtest.Finish("stop"), toldChunk, streamtest.Done))
	for _, tc := range []struct {
		name  string
		first http.HandlerFunc
		asked int
		input int64 // what comes on top of the answer's own
		exact bool
	}{
		{"a hang-up", hangUp, 0, 0, true},
		{"too many requests", status(429, errorBody("wait")), 0, 0, true},
		{"out of order", status(503, ""), 0, 0, true},
		{"an empty body", raw(""), 0, 0, true},
		{"an error at once", raw(errorBody("engine down")), 0, 0, true},
		{"a refusal that is cured", status(400, errorBody("Unknown parameter: 'stream_options'.")), 0, 0, true},
		{"a cut", cutStream, 1, 8, false},
		{"an error behind a part", raw(streamtest.SSE(streamtest.Delta(`"content":"one two three four"`), errorBody("upstream"))), 1, 8, false},
		{"a cut behind a count", raw(streamtest.SSE(`{"choices":[{"index":0,"delta":{"content":"one"}}],"usage":{"prompt_tokens":30,"completion_tokens":2}}`)), 1, 30, true},
		{"half a completion", raw(`{"id":"c","choices":[{"index":0,"message":{"content":"one two three`), 1, 8, false},
		{"half a chunk", raw(`data: {"choices":[{"index":0,"delta":{"con`), 1, 8, false},
		{"no answer at all", raw("data: oops\n\n"), 0, 0, true},
		{"no call, for a price", raw(streamtest.SSE(streamtest.Delta(`"content":""`), streamtest.Finish("tool_calls"), `{"choices":[],"usage":{"prompt_tokens":30,"completion_tokens":1}}`, streamtest.Done)), 1, 30, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, tc.first, answer)
			p, clk := newProvider(t, srv.URL)
			purse := &purse{limits: []int64{77}}
			got, err := p.Complete(t.Context(), withPurse(hello(), purse), (&watcher{clk: clk}).sink)
			if err != nil || got.Content != "Good." {
				t.Fatalf("%q, %v", got.Content, err)
			}
			if len(purse.asked) != tc.asked || tc.asked == 1 && (purse.asked[0].Model != "m" || !purse.asked[0].Input || purse.asked[0].Output == 0) {
				t.Errorf("asked %+v", purse.asked)
			}
			if got.Usage.InputTokens != 20+tc.input || got.Usage.Estimated == tc.exact || (got.Usage.OutputTokens > 5) != (tc.asked == 1) {
				t.Errorf("usage %+v", got.Usage)
			}
			if want := []any{500.0, 500.0}; tc.asked == 0 {
				wantLimits(t, srv, want...)
			} else {
				wantLimits(t, srv, 500.0, 77.0)
			}
		})
	}
}

// TestNoLeaveEndsTheCall: with the error as it is, what was shown, and the bill.
func TestNoLeaveEndsTheCall(t *testing.T) {
	t.Parallel()
	srv := serve(t, cutStream)
	p, clk := newProvider(t, srv.URL)
	purse := &purse{limits: []int64{300}}
	w := &watcher{clk: clk}
	got, err := p.Complete(t.Context(), withPurse(hello(), purse), w.sink)
	if err != errEmptyPurse { //nolint:errorlint // it is returned as it is
		t.Fatalf("err = %v", err)
	}
	if n := len(srv.requests()); n != 2 || len(purse.asked) != 2 {
		t.Errorf("%d requests, asked %+v", n, purse.asked)
	}
	if got.Usage != purse.spent || got.Usage.InputTokens != 16 || !got.Usage.Estimated {
		t.Errorf("usage %+v, told as spent %+v", got.Usage, purse.spent)
	}
	if got.Content != w.assembled().Content || got.Content == "" {
		t.Errorf("the completion says %q, the page %q", got.Content, w.assembled().Content)
	}
}

// TestFailedCallsAreBilled: all tries that broke, once each.
func TestFailedCallsAreBilled(t *testing.T) {
	t.Parallel()
	srv := serve(t, cutStream, status(503, ""), cutStream)
	p, clk := newProvider(t, srv.URL, func(c *Config) { c.Retry.Max = 2 })
	got, err := p.Complete(t.Context(), hello(), (&watcher{clk: clk}).sink)
	var failed *agent.ProviderError
	if !errors.As(err, &failed) || got.Usage.InputTokens != 16 || got.Usage.OutputTokens != 2*p.CountText("one two three four") {
		t.Errorf("%v, usage %+v", err, got.Usage)
	}
	none := serve(t, status(401, ""))
	p, _ = newProvider(t, none.URL)
	if got, err := p.Complete(t.Context(), hello(), (&watcher{}).sink); err == nil || got.Usage != (agent.Usage{}) {
		t.Errorf("%v, usage %+v of a call that never began", err, got.Usage)
	}
}

// TestMendingNeedsLeave: each further way of asking for a broken chain is asked
// for, with what the ones before took; and it gets what it is given.
func TestMendingNeedsLeave(t *testing.T) {
	t.Parallel()
	srv := serve(t, broken("Let me lo"), wholeAnswerOf(wholeCall))
	p, _ := newProvider(t, srv.URL)
	purse := &purse{limits: []int64{60}}
	got, err := p.Complete(t.Context(), withPurse(asksOnce, purse), (&watcher{}).sink)
	if err != nil || len(got.Calls) != 1 || got.Usage != (agent.Usage{Tokens: agent.Tokens{InputTokens: 30, OutputTokens: 12}}) {
		t.Errorf("%v, %+v", err, got)
	}
	if diff := cmp.Diff([]leave{{"m", 5, true}}, purse.asked); diff != "" {
		t.Error(diff)
	}
	wantLimits(t, srv, 500.0, 60.0)

	srv = serve(t, broken("Let me lo"))
	p, _ = newProvider(t, srv.URL)
	purse.limits, purse.asked = []int64{60, 50}, nil
	w := &watcher{}
	got, err = p.Complete(t.Context(), withPurse(asksOnce, purse), w.sink)
	if err != errEmptyPurse || got.Usage != (agent.Usage{Tokens: agent.Tokens{InputTokens: 30, OutputTokens: 15}}) || len(got.Calls) != 0 { //nolint:errorlint // as it is
		t.Errorf("%v, usage %+v, calls %+v", err, got.Usage, got.Calls)
	}
	if len(purse.asked) != 3 || len(w.fallbacks()) != 2 {
		t.Errorf("asked %+v, %d fallbacks told", purse.asked, len(w.fallbacks()))
	}
	wantLimits(t, srv, 500.0, 60.0, 50.0)
}

// TestAChainThatIsGivenUpIsBilled: all four answers.
func TestAChainThatIsGivenUpIsBilled(t *testing.T) {
	t.Parallel()
	p, _ := newProvider(t, serve(t, broken("Let me")).URL)
	got, err := p.Complete(t.Context(), asksOnce, (&watcher{}).sink)
	if err == nil || got.Usage != (agent.Usage{Tokens: agent.Tokens{InputTokens: 40, OutputTokens: 20}}) {
		t.Errorf("%v, usage %+v", err, got.Usage)
	}
}

// TestMendingThatBreaksIsBilled: a cut in the middle of mending, and its retry.
func TestMendingThatBreaksIsBilled(t *testing.T) {
	t.Parallel()
	srv := serve(t, broken("Let me"), cutStream, wholeAnswerOf(wholeCall))
	p, clk := newProvider(t, srv.URL)
	purse := &purse{limits: []int64{60, 40}}
	got, err := p.Complete(t.Context(), withPurse(asksOnce, purse), (&watcher{clk: clk}).sink)
	if err != nil || len(purse.asked) != 2 || purse.asked[1].Output <= purse.asked[0].Output {
		t.Errorf("%v, asked %+v", err, purse.asked)
	}
	if got.Usage.OutputTokens != 12+p.CountText("one two three four") || got.Usage.InputTokens <= 30 || !got.Usage.Estimated {
		t.Errorf("usage %+v", got.Usage)
	}
	wantLimits(t, srv, 500.0, 60.0, 40.0)
}

// TestOtherModelsNeedLeave: by the name that people know, with what the first
// took; a model that is not asked at all costs nothing, and the next needs
// leave all the same, as its price is another.
func TestOtherModelsNeedLeave(t *testing.T) {
	t.Parallel()
	one, two := serve(t, cutStream), serve(t, raw(streamtest.SSE(streamtest.Delta(`"content":"Good."`), streamtest.Finish("stop"), toldChunk, streamtest.Done)))
	r, clk := routed(t, one.URL, two.URL, "other/m2")
	for i, want := range []struct {
		questions int
		last      leave
	}{{5, leave{"other/m2", 20, true}}, {1, leave{"other/m2", 0, false}}} {
		purse := &purse{limits: []int64{90, 80, 70, 60, 50}}
		got, err := r.Complete(t.Context(), withPurse(hello(), purse), (&watcher{clk: clk}).sink)
		if err != nil || got.AnsweredBy != "other/m2" || got.Provider != "other" {
			t.Fatalf("%v, answered by %q of %q", err, got.AnsweredBy, got.Provider)
		}
		if len(purse.asked) != want.questions || purse.asked[len(purse.asked)-1] != want.last {
			t.Errorf("asked %+v", purse.asked)
		}
		if got.Usage.OutputTokens != 5+want.last.Output || (got.Usage.InputTokens == 20) != (i == 1) {
			t.Errorf("usage %+v", got.Usage)
		}
	}
	wantLimits(t, one, 500.0, 90.0, 80.0, 70.0, 60.0)
	wantLimits(t, two, 50.0, 90.0)
}

// TestNoLeaveForOtherModels, and the bill of a chain of which all models fail.
func TestNoLeaveForOtherModels(t *testing.T) {
	t.Parallel()
	one, two := serve(t, cutStream), serve(t, cutStream)
	once := func(c *Config) { c.Retry.Max = 0 }
	a, clk := newProvider(t, one.URL, once)
	b, _ := newProvider(t, two.URL, once, func(c *Config) { c.Name = "other" })
	r, err := NewRouter(Endpoints{Offered: []*Provider{a, b}}, []string{"other/m2"})
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{clk: clk}
	got, err := r.Complete(t.Context(), withPurse(hello(), &purse{}), w.sink)
	if err != errEmptyPurse || len(two.requests()) != 0 || got.Usage.InputTokens != 8 || len(w.fallbacks()) != 0 { //nolint:errorlint // as it is
		t.Errorf("%v, %d requests, usage %+v", err, len(two.requests()), got.Usage)
	}
	clk.Advance(breakerRest)
	got, err = r.Complete(t.Context(), hello(), w.sink)
	var failed *agent.ProviderError
	if !errors.As(err, &failed) || got.Usage.InputTokens != 16 || got.Usage.OutputTokens != 2*a.CountText("one two three four") {
		t.Errorf("%v, usage %+v", err, got.Usage)
	}
	if !strings.Contains(got.Content, "one") {
		t.Errorf("what was shown is %q", got.Content)
	}
}
