package provider

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/history/historytest"
)

// canned is a transport that reads requests and answers all of them with the same.
type canned string

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader([]byte(c))), Request: req,
	}, nil
}

// BenchmarkCall is one model call of a run that has made some before: counted,
// encoded, and its answer read, without a network.
func BenchmarkCall(b *testing.B) {
	answer := canned(sse(toolCall(`"index":0,"id":"new","function":{"name":"f","arguments":"{}"}`), finish("tool_calls"), done))
	for _, steps := range []int{20, 200, 1000} {
		b.Run(fmt.Sprint("steps=", steps), func(b *testing.B) {
			p, _ := newProvider(b, "http://localhost:1", func(c *Config) { c.HTTPClient = &http.Client{Transport: answer} })
			req := agent.Request{Model: "m", System: "Be brief.", Tools: fixtureTools, Memory: &agent.Memory{}, Messages: []agent.Message{historytest.Says("count")}}
			next := func() {
				id := fmt.Sprint("call_", len(req.Messages))
				req.Messages = append(req.Messages, historytest.Asks(id), historytest.Result(id, "42"))
			}
			for range steps {
				next()
			}
			req.Messages = slices.Grow(req.Messages, 1<<20)
			length := len(req.Messages)
			b.ReportAllocs()
			for b.Loop() {
				if next(); len(req.Messages) > 2*length {
					req.Messages = req.Messages[:length]
					req.Memory = &agent.Memory{}
				}
				p.CountPrompt(req)
				if _, err := p.Complete(b.Context(), req, func(agent.Delta) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFirstCall is the first call of a run in a long chat, whose texts were
// counted by the runs before.
func BenchmarkFirstCall(b *testing.B) {
	answer := canned(sse(textChunk("ok"), finish("stop"), done))
	for _, length := range []int{10, 200, 2000} {
		b.Run(fmt.Sprint("messages=", length), func(b *testing.B) {
			p, _ := newProvider(b, "http://localhost:1", func(c *Config) { c.HTTPClient = &http.Client{Transport: answer} })
			req := agent.Request{Model: "m", Messages: []agent.Message{historytest.Says("hi")}}
			for i := range length / 4 {
				id := fmt.Sprint("call_", i)
				req.Messages = append(req.Messages, historytest.Asks(id), historytest.Result(id, fmt.Sprint("the result ", i)), historytest.Answers(fmt.Sprint("an answer ", i)), historytest.Says(fmt.Sprint("and a question ", i)))
			}
			b.ReportAllocs()
			for b.Loop() {
				req.Memory = &agent.Memory{}
				p.CountPrompt(req)
				if _, err := p.Complete(b.Context(), req, func(agent.Delta) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
