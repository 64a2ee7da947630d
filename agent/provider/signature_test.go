package provider

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// signedCalls is an answer with a signature on its second call, and one on itself.
const signedCalls = `"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"x\":1}"}},` +
	`{"index":1,"id":"b","function":{"name":"look","arguments":"{\"x\":2}"},"extra_content":{"google":{"thought_signature":"c2ln+/="}}}],` +
	`"extra_content":{"google":{"thought_signature":"b3du"}}`

// followUp is a request of a model after an answer with two calls.
func followUp(model string, c agent.Completion) agent.Request {
	req := asksOnce
	req.Model = model
	req.Messages = []agent.Message{
		{Role: agent.FromUser, Content: "hi"},
		{Role: agent.FromAssistant, ToolCalls: c.Calls, Data: c.Data},
		{Role: agent.FromTool, ToolCallID: "a", Content: "r"}, {Role: agent.FromTool, ToolCallID: "b", Content: "r"},
	}
	return req
}

// TestSignaturesGoBack to the endpoint and the model that made them, from the
// first request on, whatever both are called; and to no other one.
func TestSignaturesGoBack(t *testing.T) {
	t.Parallel()
	answer := raw(streamtest.SSE(streamtest.Delta(signedCalls), streamtest.Finish("tool_calls"), streamtest.Done))
	srv, other := serve(t, answer, raw(streamtest.Good)), serve(t, raw(streamtest.Good))
	p, _ := newProvider(t, srv.URL)
	c, err := p.Complete(t.Context(), asksOnce, (&watcher{}).sink)
	if err != nil || len(c.Calls) != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	ask := func(p *Provider, srv *script, model string) string {
		if _, err := p.Complete(t.Context(), followUp(model, c), (&watcher{}).sink); err != nil {
			t.Fatal(err)
		}
		list := srv.requests()
		return list[len(list)-1]
	}
	same := read(t, ask(p, srv, "m")).Messages[1]
	if got, _ := same.ToolCalls[1].Extra["google"].(map[string]any); got["thought_signature"] != "c2ln+/=" || same.ToolCalls[0].Extra != nil {
		t.Errorf("the calls went back as %+v", same.ToolCalls)
	}
	if body := srv.requests()[1]; strings.Count(body, `"thought_signature":"b3du"`) != 1 {
		t.Errorf("the message went back as %s", body)
	}
	named, _ := newProvider(t, srv.URL, func(c *Config) { c.Name = "copy" })
	elsewhere, _ := newProvider(t, other.URL)
	for what, body := range map[string]string{
		"another model": ask(p, srv, "n"), "another name": ask(named, srv, "m"), "another endpoint": ask(elsewhere, other, "m"),
	} {
		if strings.Contains(body, "extra_content") {
			t.Errorf("%s was sent %s", what, body)
		}
	}
}

// TestSignaturesThatAreRefused are left out from then on.
func TestSignaturesThatAreRefused(t *testing.T) {
	t.Parallel()
	refusal := `{"error":{"message":"` + departures["no-extra-content"].refusal + `"}}`
	srv := serve(t, raw(streamtest.SSE(streamtest.Delta(signedCalls), streamtest.Finish("tool_calls"), streamtest.Done)), status(http.StatusBadRequest, refusal), raw(streamtest.Good))
	p, _ := newProvider(t, srv.URL)
	c, err := p.Complete(t.Context(), asksOnce, (&watcher{}).sink)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := p.Complete(t.Context(), followUp("m", c), (&watcher{}).sink); err != nil {
			t.Fatal(err)
		}
	}
	if list := srv.requests(); len(list) != 4 || !strings.Contains(list[1], "extra_content") || strings.Contains(list[2]+list[3], "extra_content") {
		t.Errorf("%d requests", len(list))
	}
}
