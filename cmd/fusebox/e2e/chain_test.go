package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestBrokenChainRunsOnce: a stream that breaks off in the middle of a call is
// asked for in one piece; the tool runs once, the text stands once, and the end
// says that there was a fallback.
func TestBrokenChainRunsOnce(t *testing.T) {
	t.Parallel()
	p := startProgram(t, t.TempDir(), withAdmin()...)
	a := p.admin()
	conversation, run := a.ask("test broken chain")
	if got := a.rests(run); got["status"] != "finished" {
		t.Fatalf("run is %v", got)
	}
	events := a.events(conversation, 0)
	if n := len(ofType(events, "fallback")); n != 1 {
		t.Errorf("%d fallbacks are told", n)
	}
	end := ofType(events, "finish")[0]
	if end["toolCalls"] != 1.0 || end["toolReturns"] != 1.0 || end["fallbackUsed"] != true {
		t.Errorf("the end says %v", end)
	}
	executed := 0
	for _, e := range ofType(events, "tool-call-state") {
		if e["state"] == "executing" {
			executed++
		}
	}
	text := map[string]string{}
	for _, e := range events {
		switch id, _ := e["id"].(string); e["type"] {
		case "text-delta":
			text[id] += e["delta"].(string)
		case "message-reset":
			text[id] = ""
		}
	}
	for _, e := range ofType(events, "message") {
		m := e["message"].(map[string]any)
		if streamed, was := text[m["id"].(string)]; was && streamed != m["content"] {
			t.Errorf("streamed %q, final %q", streamed, m["content"])
		}
	}
	if executed != 1 {
		t.Errorf("the tool ran %d times", executed)
	}
}

// TestAnswersOfManyCalls: the calls of one answer each have their result, in order, and the
// run ends by itself; nothing goes wrong on the way.
func TestAnswersOfManyCalls(t *testing.T) {
	t.Parallel()
	p := startProgram(t, t.TempDir(), withAdmin()...)
	a := p.admin()
	for _, n := range []int{1, 3, 5, 8, 12} {
		conversation, run := a.ask(fmt.Sprint("test chain ", n))
		if got := a.rests(run); got["status"] != "finished" {
			t.Fatalf("%d calls: the run is %v", n, got)
		}
		events := a.events(conversation, 0)
		if got := len(ofType(events, "tool-call-result")); got != n {
			t.Errorf("%d calls have %d results", n, got)
		}
		if starts := len(ofType(events, "step-start")); starts != 2 {
			t.Errorf("%d calls: the model was asked %d times", n, starts)
		}
	}
}

// streamless is an endpoint behind a proxy that breaks every stream inside a tool
// call. It answers whole in one piece, and keeps the bodies that it was sent.
type streamless struct {
	mu     sync.Mutex
	bodies []string
}

func (s *streamless) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"data":[{"id":"scripted"}]}`)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.bodies = append(s.bodies, string(raw))
	s.mu.Unlock()
	if strings.Contains(string(raw), `"stream":true`) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"calculator","arguments":"{\"expr"}}]}}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	message := map[string]any{"role": "assistant", "content": "It is 42."}
	if !strings.Contains(string(raw), `"role":"tool"`) {
		message = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
			"id": "a", "type": "function", "function": map[string]string{"name": "calculator", "arguments": `{"expression":"6*7"}`},
		}}}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}}, "usage": map[string]int{"prompt_tokens": 100, "completion_tokens": 9},
	})
}

// TestStreamsThatBreakInsideCalls: a run whose endpoint can't stream tool calls
// streams twice, asks in one piece, and does so at once in its next step.
func TestStreamsThatBreakInsideCalls(t *testing.T) {
	t.Parallel()
	model := &streamless{}
	srv := httptest.NewServer(model)
	t.Cleanup(srv.Close)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "OPENAI_BASE_URL="+srv.URL+"/v1", "FUSEBOX_MODEL=scripted", "FUSEBOX_RETRY_BASE=1ms")...)
	a := p.admin()
	conversation, run := a.ask("What is 6*7?")
	if got := a.rests(run); got["status"] != "finished" {
		t.Fatalf("run is %v", got)
	}
	events := a.events(conversation, 0)
	if falls := ofType(events, "fallback"); len(falls) != 1 || falls[0]["reason"] != "incomplete-tool-chain" {
		t.Errorf("fallbacks %v", falls)
	}
	if end := ofType(events, "finish")[0]; len(ofType(events, "retry")) != 1 || end["toolCalls"] != 1.0 || end["fallbackUsed"] != true {
		t.Errorf("%d waits, the end says %v", len(ofType(events, "retry")), end)
	}
	var how []bool
	model.mu.Lock()
	for _, b := range model.bodies {
		how = append(how, strings.Contains(b, `"stream":true`))
	}
	model.mu.Unlock()
	if fmt.Sprint(how) != "[true true false false]" {
		t.Errorf("the requests were streamed: %v", how)
	}
}
