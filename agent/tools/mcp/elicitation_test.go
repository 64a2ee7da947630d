package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// asks calls a tool for a run, with somebody who answers.
func (w *world) asks(t *testing.T, run, tool string, ask agent.AskPerson) <-chan agent.ToolResult {
	t.Helper()
	done := make(chan agent.ToolResult, 1)
	go func() {
		done <- w.Execute(t.Context(), tool, agent.ToolInput{RunID: run, CallID: tool, IdempotencyKey: run + "/" + tool, Args: json.RawMessage(`{}`), Ask: ask})
	}()
	return done
}

// TestWhomAServerAsks: a question reaches the run that has a call under way; where several
// have, nobody is asked, and one that waits for its answer is none of them.
func TestWhomAServerAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(t, local(t, ""))
	w.becomes(t, agent.ServerReady)

	asked, answer := make(chan agent.ServerQuestion), make(chan agent.ServerAnswer)
	person := func(ctx context.Context, q agent.ServerQuestion) agent.ServerAnswer {
		select {
		case asked <- q:
			return <-answer
		case <-ctx.Done():
			return agent.ServerAnswer{Action: agent.ServerCancel}
		}
	}
	nobody := func(context.Context, agent.ServerQuestion) agent.ServerAnswer {
		t.Error("the wrong person is asked")
		return agent.ServerAnswer{Action: agent.ServerCancel}
	}
	first := w.asks(t, "one", "mad__ask", person)
	if q := agenttest.Receive(t, "a question", asked); q.Server != "mad" || q.Message != "For whom is it?" || !strings.Contains(string(q.Schema), `"enumNames":["Small","Large"]`) || string(q.Preset) != `{"count":2}` {
		t.Errorf("asked %+v", q)
	}
	second := w.asks(t, "two", "mad__ask", person)
	agenttest.Receive(t, "a question", asked)
	answer <- agent.ServerAnswer{Action: agent.ServerDecline}
	answer <- agent.ServerAnswer{Action: agent.ServerDecline}
	for _, done := range []<-chan agent.ToolResult{first, second} {
		if res := agenttest.Receive(t, "an answer", done); res.Content != "decline null" {
			t.Errorf("the server heard %+v", res)
		}
	}

	begun := make(chan string, 10)
	slow := make(chan agent.ToolResult, 1)
	go func() {
		slow <- w.Execute(t.Context(), "mad__slow", agent.ToolInput{
			RunID: "three", IdempotencyKey: "three/slow", Args: json.RawMessage(`{}`), Ask: nobody, Progress: func(s string) { begun <- s },
		})
	}()
	agenttest.Receive(t, "the beginning of a call", begun)
	if res := <-w.asks(t, "one", "mad__ask", nobody); !strings.Contains(res.Content, "Several people have calls under way") {
		t.Errorf("two runs at once: %+v", res)
	}
	w.clock.Advance(callTime)
	agenttest.Receive(t, "the end of a call", slow)
	if res := <-w.asks(t, "one", "mad__ask", nil); !strings.Contains(res.Content, "Nobody can be asked") {
		t.Errorf("a call without a person: %+v", res)
	}
}

// TestAPersonTakesTheirTime: the time that a person takes to answer is not the call's.
func TestAPersonTakesTheirTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(t, local(t, ""))
	w.becomes(t, agent.ServerReady)

	asked, answer := make(chan agent.ServerQuestion), make(chan agent.ServerAnswer)
	done := w.asks(t, "one", "mad__ask", func(_ context.Context, q agent.ServerQuestion) agent.ServerAnswer {
		asked <- q
		return <-answer
	})
	agenttest.Receive(t, "a question", asked)
	w.clock.Advance(2 * callTime)
	answer <- agent.ServerAnswer{Action: agent.ServerAccept, Content: json.RawMessage(`{"name":"Ana"}`)}
	if res := agenttest.Receive(t, "an answer", done); res.Content != `accept {"count":2,"name":"Ana"}` {
		t.Errorf("the server heard %+v", res)
	}
}

// TestFormsOfServers: what a server may ask for is bounded and flat; anything else is refused.
func TestFormsOfServers(t *testing.T) {
	t.Parallel()
	many := map[string]any{}
	for range 21 {
		many[strings.Repeat("x", len(many)+1)] = map[string]string{"type": "string"}
	}
	tooMany, err := json.Marshal(map[string]any{"type": "object", "properties": many})
	if err != nil {
		t.Fatal(err)
	}
	for schema, problem := range map[string]string{
		string(tooMany): "more than 20 fields",
		`{"type":"object","properties":{"a":{"type":"object"}}}`:                                            "not in a form",
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`:                   "without choices",
		`{"type":"object","properties":{"a":{"type":"string","title":"` + strings.Repeat("x", 301) + `"}}}`: "says too much",
		`[]`: "not of a form",
	} {
		if _, _, err := formOf([]byte(schema)); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%.80s: %v, want %q", schema, err, problem)
		}
	}
	got, preset, err := formOf([]byte(`{"type":"object","$ref":"file:///etc/passwd","required":["b","gone"],"properties":{
		"b":{"type":"boolean","default":true,"enum":["x"]},
		"many":{"type":"array","items":{"anyOf":[{"const":"a","title":"Ay"},{"const":"b","title":"Bee"}]}}}}`))
	want := `{"type":"object","properties":{"b":{"type":"boolean"},"many":{"type":"array","items":{"type":"string","enum":["a","b"],"enumNames":["Ay","Bee"]},"uniqueItems":true}},"required":["b"],"additionalProperties":false}`
	if err != nil || string(got) != want || string(preset) != `{"b":true}` {
		t.Errorf("%s %s %v", got, preset, err)
	}
}
