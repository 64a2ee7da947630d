package main

import "testing"

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
