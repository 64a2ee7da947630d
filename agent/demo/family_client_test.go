package demo

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// object is JSON as it came, for tests that look at how things are written.
type object = map[string]any

// rawClient talks to a demo model in raw JSON.
type rawClient struct {
	t   *testing.T
	url string
}

func newRawClient(t *testing.T, o Options) rawClient {
	t.Helper()
	srv := httptest.NewServer(Handler(o))
	t.Cleanup(srv.Close)
	return rawClient{t, srv.URL}
}

// post sends a request and returns what could be read of the answer.
func (w rawClient) post(body object) (status int, raw []byte, err error) {
	w.t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	res, err := http.Post(w.url+"/v1/chat/completions", "application/json", bytes.NewReader(encoded))
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err = io.ReadAll(res.Body)
	return res.StatusCode, raw, err
}

// ask is a person's request to a family, with the calculator on offer.
func ask(model, text string, stream bool) object {
	calculator := object{"type": "function", "function": object{"name": "calculator", "parameters": object{"type": "object"}}}
	return object{
		"model": model, "stream": stream, "stream_options": object{"include_usage": true},
		"messages": []any{object{"role": "user", "content": text}}, "tools": []any{calculator},
	}
}

// events is a stream as it was written.
type events struct {
	comments int // before the first chunk
	chunks   []object
	done     bool
}

func (w rawClient) stream(model, text string) events {
	w.t.Helper()
	status, raw, err := w.post(ask(model, text, true))
	if status != http.StatusOK || err != nil {
		w.t.Fatalf("%s: status %d, %v: %s", model, status, err, raw)
	}
	return parse(w.t, raw)
}

func parse(t *testing.T, raw []byte) events {
	t.Helper()
	var e events
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		data, isData := strings.CutPrefix(line, "data: ")
		switch {
		case line == ": keep-alive" && len(e.chunks) == 0:
			e.comments++
		case data == "[DONE]":
			e.done = true
		case isData:
			var chunk object
			if err := json.Unmarshal([]byte(data), &chunk); err != nil {
				t.Fatalf("chunk %s: %v", data, err)
			}
			e.chunks = append(e.chunks, chunk)
		}
	}
	return e
}

// whole asks for an answer in one piece and returns its first choice.
func (w rawClient) whole(body object) object {
	w.t.Helper()
	body["stream"] = false
	status, raw, err := w.post(body)
	var completion struct{ Choices []object }
	if json.Unmarshal(raw, &completion) != nil || status != http.StatusOK || err != nil || len(completion.Choices) != 1 {
		w.t.Fatalf("status %d, %v: %s", status, err, raw)
	}
	return completion.Choices[0]
}

// choice is the choice of a chunk; ok is false where it has none.
func choice(chunk object) (finish any, delta object, ok bool) {
	choices := chunk["choices"].([]any)
	if len(choices) == 0 {
		return nil, nil, false
	}
	c := choices[0].(object)
	return c["finish_reason"], c["delta"].(object), true
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// spoken is what a lenient client makes of a stream.
type spoken struct {
	Text, Reasoning string
	Calls           []string
}

func (e events) spoken() spoken {
	var s spoken
	for _, chunk := range e.chunks {
		_, delta, _ := choice(chunk)
		for _, key := range []string{"reasoning_content", "reasoning"} {
			if text, ok := delta[key].(string); ok {
				s.Reasoning += text
			}
		}
		if text, ok := delta["content"].(string); ok {
			s.Text += text
		}
		for _, p := range list(delta["content"]) {
			part := p.(object)
			if text, ok := part["text"].(string); ok {
				s.Text += text
			}
			for _, thought := range list(part["thinking"]) {
				s.Reasoning += thought.(object)["text"].(string)
			}
		}
		for _, f := range list(delta["tool_calls"]) {
			s.fragment(f.(object))
		}
	}
	return s
}

// fragment joins a piece of a call: a new id begins a new one.
func (s *spoken) fragment(f object) {
	function := f["function"].(object)
	if id, _ := f["id"].(string); id != "" {
		s.Calls = append(s.Calls, function["name"].(string))
	}
	s.Calls[len(s.Calls)-1] += function["arguments"].(string)
}
