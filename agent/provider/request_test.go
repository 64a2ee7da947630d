package provider

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

func TestRequestOnTheWire(t *testing.T) {
	t.Parallel()
	srv := serve(t, raw(streamtest.Good))
	p, _ := newProvider(t, srv.URL)
	_, err := p.Complete(t.Context(), agent.Request{
		Model: "m", System: "Be <careful>.", MaxTokens: 99,
		Messages: []agent.Message{
			{Role: agent.FromUser, Content: "hi"},
			{Role: agent.FromAssistant, Reasoning: "secret thoughts", ToolCalls: []agent.CallRequest{{ID: "a", Name: "f", Arguments: `{"x": 1.0}`}}},
			{Role: agent.FromTool, ToolCallID: "a", Content: "one"},
			{Role: agent.FromAssistant, Content: "done"},
			{Role: agent.FromUser, Content: "again"},
		},
		Tools: []agent.ToolSpec{
			{Name: "f", Description: "does f", Parameters: json.RawMessage(`{"type":"object","properties":{"x":{"type":"number"}}}`)},
			{Name: "g"},
		},
	}, (&watcher{}).sink)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
		"model": "m", "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 99,
		"messages": [
			{"role": "system", "content": "Be <careful>."},
			{"role": "user", "content": "hi"},
			{"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"x\": 1.0}"}}]},
			{"role": "tool", "tool_call_id": "a", "content": "one"},
			{"role": "assistant", "content": "done"},
			{"role": "user", "content": "again"}
		],
		"tools": [
			{"type": "function", "function": {"name": "f", "description": "does f", "parameters": {"type": "object", "properties": {"x": {"type": "number"}}}}},
			{"type": "function", "function": {"name": "g", "description": ""}}
		]
	}`
	var got, wanted any
	if err := json.Unmarshal([]byte(srv.requests()[0]), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestNoKeyIsNoHeader(t *testing.T) {
	t.Parallel()
	srv := serve(t, raw(streamtest.Good))
	p, _ := newProvider(t, srv.URL, func(c *Config) { c.APIKey = "" })
	if _, err := complete(t, p, &watcher{}); err != nil || srv.auth[0] != "" {
		t.Errorf("%v, Authorization %q", err, srv.auth[0])
	}
}

func TestCallIDsAreUniqueInTheHistory(t *testing.T) {
	t.Parallel()
	answer := streamtest.SSE(streamtest.ToolCall(`"index":0,"id":"call_0","function":{"name":"f","arguments":"{}"}`), streamtest.ToolCall(`"index":1,"id":"new","function":{"name":"f","arguments":"{\"a\":1}"}`), streamtest.ToolCall(`"index":2,"function":{"name":"f","arguments":"{\"a\":2}"}`), streamtest.Finish("tool_calls"), streamtest.Done)
	srv := serve(t, raw(answer))
	p, _ := newProvider(t, srv.URL)
	req := hello()
	for _, id := range []string{"call_0", "call_3"} {
		req.Messages = append(req.Messages,
			agent.Message{Role: agent.FromAssistant, ToolCalls: []agent.CallRequest{{ID: id, Name: "f", Arguments: "{}"}}},
			agent.Message{Role: agent.FromTool, ToolCallID: id, Content: "x"})
	}
	for range 2 { // the same history and answer give the same ids
		w := &watcher{}
		got, err := p.Complete(t.Context(), req, w.sink)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, c := range got.Calls {
			ids = append(ids, c.ID)
		}
		if diff := cmp.Diff([]string{"call_4", "new", "call_5"}, ids); diff != "" {
			t.Errorf("ids (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(got.Calls, w.assembled().Calls); diff != "" {
			t.Errorf("deltas:\n%s", diff)
		}
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	srv := serve(t, raw(`{"object":"list","data":[{"id":"b"},{"id":""},{"id":"a"}]}`))
	p, _ := newProvider(t, srv.URL)
	list, err := p.Models(t.Context())
	var got []string
	for _, m := range list {
		got = append(got, m.ID)
	}
	if err != nil || cmp.Diff([]string{"b", "a"}, got) != "" {
		t.Errorf("%v, %v", got, err)
	}
	for name, fail := range map[string]http.HandlerFunc{
		"refused": status(401, errorBody("no "+testKey)), "page": raw("<html>"), "gone": hangUp, "down": status(503, ""),
	} {
		srv := serve(t, fail)
		p, _ := newProvider(t, srv.URL)
		_, err := p.Models(t.Context())
		var failed *agent.ProviderError
		if !errors.As(err, &failed) || strings.Contains(err.Error(), testKey) || len(srv.requests()) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"localhost:11434", "ftp://example.com", "http://", "http://user:pass@example.com/v1", "http://example.com/v1#part", "://"} {
		if _, err := New(Config{BaseURL: base, HTTPClient: http.DefaultClient}); err == nil || strings.Contains(err.Error(), "pass@") {
			t.Errorf("%s: %v", base, err)
		}
	}
	if _, err := New(Config{BaseURL: "http://example.com/v1"}); err == nil {
		t.Error("no client, no error")
	}
	if _, err := New(Config{HTTPClient: http.DefaultClient}); err != nil {
		t.Errorf("no base URL: %v", err)
	}
}

// TestSchemaOnTheWire: an answer that is bound to a schema says so.
func TestSchemaOnTheWire(t *testing.T) {
	t.Parallel()
	srv := serve(t, raw(streamtest.Good))
	p, _ := newProvider(t, srv.URL)
	_, err := p.Complete(t.Context(), agent.Request{
		Model: "m", Messages: []agent.Message{{Role: agent.FromUser, Content: "hi"}}, Schema: json.RawMessage(`{"type":"object"}`),
	}, (&watcher{}).sink)
	if err != nil {
		t.Fatal(err)
	}
	const want = `"response_format":{"json_schema":{"name":"answer","strict":true,"schema":{"type":"object"}},"type":"json_schema"}`
	if body := srv.requests()[0]; !strings.Contains(body, want) {
		t.Errorf("sent %s", body)
	}
}
