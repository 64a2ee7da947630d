package provider

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/provider/streamtest"
)

// inPiecesOr answers a request by whether it asks for a stream.
func inPiecesOr(stream, whole http.HandlerFunc) func(*script) http.HandlerFunc {
	return func(s *script) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			list := s.requests()
			if strings.Contains(list[len(list)-1], `"stream":true`) {
				stream(w, r)
			} else {
				whole(w, r)
			}
		}
	}
}

func serveEither(t *testing.T, stream, whole http.HandlerFunc) *script {
	t.Helper()
	var s *script
	s = serve(t, func(w http.ResponseWriter, r *http.Request) { inPiecesOr(stream, whole)(s)(w, r) })
	return s
}

// snapped is a stream whose connection ends inside a tool call.
func snapped(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, streamtest.SSE(streamtest.Delta(`"content":"Let me lo"`), streamtest.Delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"x\":"}}]`)))
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// typing lets the frames of a typed text come at once.
func typing(clk *agenttest.Clock) func(agent.Delta) error {
	return func(d agent.Delta) error {
		if d.Kind == agent.DeltaText {
			hurry(clk, frame)
		}
		return nil
	}
}

func streamed(s *script) (pieces []bool) {
	for _, body := range s.requests() {
		pieces = append(pieces, strings.Contains(body, `"stream":true`))
	}
	return pieces
}

func same(a []bool, b ...bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestStreamsThatBreakInsideCalls: after the second one the answer is asked for
// in one piece. That is remembered for the model, and tried again after a while.
func TestStreamsThatBreakInsideCalls(t *testing.T) {
	t.Parallel()
	srv := serveEither(t, snapped, wholeAnswerOf(wholeCall))
	p, clk := newProvider(t, srv.URL)
	w := &watcher{clk: clk}
	c, err := p.Complete(t.Context(), asksOnce, w.sink)
	if err != nil || len(c.Calls) != 1 || c.Calls[0].Arguments != `{"x":1}` {
		t.Fatalf("%+v, %v", c, err)
	}
	text, calls, n := seen(w.deltas)
	if text != "Let me look." || len(calls) != 1 || n != 1 || len(w.retries()) != 1 {
		t.Errorf("the page shows %q and %v after %d fallbacks and %d waits", text, calls, n, len(w.retries()))
	}
	if got := streamed(srv); !same(got, true, true, false) {
		t.Errorf("requests were streamed: %v", got)
	}
	if c.Tries != 3 || c.Usage.InputTokens <= 20 {
		t.Errorf("%d tries with %+v were billed", c.Tries, c.Usage)
	}
	w.stop = typing(clk)
	if _, err := p.Complete(t.Context(), asksOnce, w.sink); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Complete(t.Context(), hello(), w.sink); err != nil { // without tools
		t.Fatal(err)
	}
	if got := streamed(srv)[3:]; len(got) < 2 || got[0] || !got[1] {
		t.Errorf("later requests were streamed: %v", got)
	}
	before := len(srv.requests())
	clk.Advance(recheckStreams)
	w.stop = nil
	if _, err := p.Complete(t.Context(), asksOnce, w.sink); err != nil || !streamed(srv)[before] {
		t.Errorf("streams are not tried again: %v, %v", streamed(srv)[before:], err)
	}
}

// TestStreamsOnlyAndBroken: where an endpoint only streams, and breaks every
// stream inside a call, there is an end to it.
func TestStreamsOnlyAndBroken(t *testing.T) {
	t.Parallel()
	srv := serveEither(t, snapped, status(http.StatusBadRequest, `{"error":{"message":"`+departures["only-streams"].refusal+`"}}`))
	p, clk := newProvider(t, srv.URL)
	_, err := p.Complete(t.Context(), asksOnce, (&watcher{clk: clk}).sink)
	if err == nil || !strings.Contains(err.Error(), "broke its tool calls off") || len(srv.requests()) != 9 {
		t.Errorf("%d requests, %v", len(srv.requests()), err)
	}
}

// TestArgumentsThatEndInTheMiddle: truncated arguments of a stream are blamed on the stream,
// whatever the finish reason; those of an unstreamed answer, on the model.
func TestArgumentsThatEndInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`{"x":`, `{"x":"1`, `{"x":1`, "```json\n{\"x\":", `"{\"x\":`, `{"x":[1,2`} {
		for _, reason := range []string{"tool_calls", "stop", "function_call", "length"} {
			half := raw(streamtest.SSE(streamtest.Delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":`+streamtest.Quoted(args)+`}}]`), streamtest.Finish(reason), streamtest.Done))
			srv := serveEither(t, half, wholeAnswerOf(wholeCall))
			p, _ := newProvider(t, srv.URL)
			w := &watcher{}
			c, err := p.Complete(t.Context(), asksOnce, w.sink)
			if _, _, n := seen(w.deltas); err != nil || n != 1 || len(c.Calls) != 1 || c.Calls[0].Arguments != `{"x":1}` || !same(streamed(srv), true, false) {
				t.Errorf("%s, %s: %+v after %d fallbacks, %v", args, reason, c.Calls, n, err)
			}
		}
	}
	own := `"content":"","tool_calls":[{"id":"b","type":"function","function":{"name":"look","arguments":"{\"x\":"}}]`
	srv := serve(t, wholeAnswerOf(own))
	p, _ := newProvider(t, srv.URL)
	if c, err := p.Complete(t.Context(), asksOnce, (&watcher{}).sink); err != nil || len(c.Calls) != 1 || len(srv.requests()) != 1 {
		t.Errorf("in one piece: %+v after %d requests, %v", c.Calls, len(srv.requests()), err)
	}
}

// TestStreamsWithToolsAreRefused: the request is made in one piece, and so are
// later ones to this model, until it is looked at again.
func TestStreamsWithToolsAreRefused(t *testing.T) {
	t.Parallel()
	for _, refusal := range []string{
		"This model doesn't support tool use in streaming mode.", "Cannot use tools with stream", "stream=true is not supported with tools",
		"`stream` must be false when `tools` are given", "Function calling is not supported in streaming", "Streaming is not supported by this deployment.",
	} {
		srv := serveEither(t, status(http.StatusBadRequest, `{"error":{"message":`+streamtest.Quoted(refusal)+`}}`), wholeAnswerOf(wholeCall))
		p, clk := newProvider(t, srv.URL)
		w := &watcher{clk: clk}
		w.stop = typing(clk)
		for range 2 {
			if c, err := p.Complete(t.Context(), asksOnce, w.sink); err != nil || len(c.Calls) != 1 {
				t.Fatalf("%s: %+v, %v", refusal, c, err)
			}
		}
		other := asksOnce
		other.Model = "n"
		if _, err := p.Complete(t.Context(), other, w.sink); err != nil {
			t.Fatal(err)
		}
		clk.Advance(recheckStreams + time.Second)
		if _, err := p.Complete(t.Context(), asksOnce, w.sink); err != nil {
			t.Fatal(err)
		}
		if got := streamed(srv); !same(got, true, false, false, true, false, true, false) {
			t.Errorf("%s: streamed %v", refusal, got)
		}
	}
}

// TestFallbacksAreSettings: how many there are, and what is said.
func TestFallbacksAreSettings(t *testing.T) {
	t.Parallel()
	srv := serve(t, broken("Let me"))
	p, _ := newProvider(t, srv.URL, func(c *Config) { c.Retry.Fallbacks, c.Retry.ContinuePrompt = 2, "Go on, please." })
	_, err := p.Complete(t.Context(), asksOnce, (&watcher{}).sink)
	list := srv.requests()
	if err == nil || len(list) != 3 || strings.Contains(list[1], "Go on") || !strings.Contains(list[2], "Go on, please.") {
		t.Errorf("%d requests, %v", len(list), err)
	}
}
