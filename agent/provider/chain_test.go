package provider

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// broken is a stream that says something, begins a call and ends at the limit.
func broken(text string) http.HandlerFunc {
	return raw(streamtest.SSE(
		streamtest.Delta(`"content":"`+text+`"`),
		streamtest.Delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"x\":"}}]`),
		streamtest.Finish("length"), `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}`))
}

// whole is a completion in one piece.
func wholeAnswerOf(message string) http.HandlerFunc {
	return raw(`{"choices":[{"index":0,"message":{"role":"assistant",`+message+`},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":20,"completion_tokens":7}}`, "Content-Type: application/json")
}

const wholeCall = `"content":"Let me look.","tool_calls":[{"id":"b","type":"function","function":{"name":"look","arguments":"{\"x\":1}"}}]`

// seen replays deltas as a page does and returns the text and the calls that stand.
func seen(deltas []agent.Delta) (text string, calls []string, fallbacks int) {
	args := map[string]string{}
	for _, d := range deltas {
		switch d.Kind {
		case agent.DeltaText:
			text += d.Text
		case agent.DeltaCallStart:
			calls = append(calls, d.CallID)
		case agent.DeltaCallArgs:
			args[d.CallID] += d.Text
		case agent.DeltaReset:
			text, calls = "", nil
			clear(args)
		case agent.DeltaFallback:
			fallbacks++
		}
	}
	for i, id := range calls {
		calls[i] = id + args[id]
	}
	return text, calls, fallbacks
}

var asksOnce = agent.Request{Model: "m", Messages: []agent.Message{{Role: agent.FromUser, Content: "hi"}}, Tools: []agent.ToolSpec{{Name: "look"}}}

// TestBrokenChainIsAskedForWhole: a call that broke off is void, the answer is
// asked for without streaming, and what stands is exactly that answer.
func TestBrokenChainIsAskedForWhole(t *testing.T) {
	t.Parallel()
	srv := serve(t, broken("Let me lo"), wholeAnswerOf(wholeCall))
	p, _ := newProvider(t, srv.URL)
	w := &watcher{}
	c, err := p.Complete(t.Context(), asksOnce, w.sink)
	if err != nil {
		t.Fatal(err)
	}
	text, calls, n := seen(w.deltas)
	if text != "Let me look." || len(calls) != 1 || !strings.HasSuffix(calls[0], `{"x":1}`) || n != 1 {
		t.Errorf("the page shows %q and %v after %d fallbacks", text, calls, n)
	}
	if c.Content != text || len(c.Calls) != 1 || c.Calls[0].ID+c.Calls[0].Arguments != calls[0] {
		t.Errorf("the completion is %+v", c)
	}
	if c.Usage.InputTokens != 30 || c.Usage.OutputTokens != 12 {
		t.Errorf("usage %+v, want that of both", c.Usage)
	}
	second := srv.requests()[1]
	if !strings.Contains(second, `"stream":false`) || strings.Contains(second, "stream_options") {
		t.Errorf("the second request is %s", second)
	}
}

// TestOnlyTheRestIsSent: where nothing but text was shown (a call without a
// name is not) and the new text begins with it, nothing is voided.
func TestOnlyTheRestIsSent(t *testing.T) {
	t.Parallel()
	half := raw(streamtest.SSE(streamtest.Delta(`"content":"Let me lo"`), streamtest.Delta(`"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{\"x\":"}}]`), streamtest.Finish("length")))
	for _, tc := range []struct {
		name, message, text string
		resets              int
	}{
		{"goes on", wholeCall, "Let me look.", 0},
		{"says something else", `"content":"I know it."`, "I know it.", 1},
	} {
		srv := serve(t, half, wholeAnswerOf(tc.message))
		p, _ := newProvider(t, srv.URL)
		w := &watcher{}
		if _, err := p.Complete(t.Context(), asksOnce, w.sink); err != nil {
			t.Fatal(err)
		}
		resets := 0
		for _, d := range w.deltas {
			if d.Kind == agent.DeltaReset {
				resets++
			}
		}
		if text, _, _ := seen(w.deltas); text != tc.text || resets != tc.resets {
			t.Errorf("%s: %q after %d resets", tc.name, text, resets)
		}
	}
}

// TestBrokenChainIsGivenUp: three ways of asking, the later ones with a word
// about it; then the call fails, and says so.
func TestBrokenChainIsGivenUp(t *testing.T) {
	t.Parallel()
	srv := serve(t, broken("Let me"))
	p, _ := newProvider(t, srv.URL)
	w := &watcher{}
	_, err := p.Complete(t.Context(), asksOnce, w.sink)
	var failed *agent.ProviderError
	if !errors.As(err, &failed) || !strings.Contains(failed.Message, "broke its tool calls off") || !failed.Retryable {
		t.Fatalf("err = %v", err)
	}
	requests := srv.requests()
	if len(requests) != 4 || strings.Contains(requests[1], DefaultContinuePrompt) || !strings.Contains(requests[2], DefaultContinuePrompt) || strings.Count(requests[3], DefaultContinuePrompt) != 1 {
		t.Errorf("%d requests: %v", len(requests), requests)
	}
	if _, _, n := seen(w.deltas); n != 3 {
		t.Errorf("%d fallbacks were told", n)
	}
}

// TestFallbackIsRetriedToo: a refusal in the middle of mending is waited out.
func TestFallbackIsRetriedToo(t *testing.T) {
	t.Parallel()
	srv := serve(t, broken("Let me"), status(http.StatusTooManyRequests, `{"error":{"message":"slow down"}}`), wholeAnswerOf(wholeCall))
	p, clk := newProvider(t, srv.URL)
	w := &watcher{clk: clk}
	c, err := p.Complete(t.Context(), asksOnce, w.sink)
	if err != nil || len(c.Calls) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	waits := 0
	for _, d := range w.deltas {
		if d.Kind == agent.DeltaRetry {
			waits++
		}
	}
	if text, calls, _ := seen(w.deltas); waits != 1 || text != "Let me look." || len(calls) != 1 {
		t.Errorf("%d waits, %q, %v", waits, text, calls)
	}
}
