package provider

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/history/historytest"
	"fusebox/agent/provider/streamtest"
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
	answer := canned(streamtest.SSE(streamtest.ToolCall(`"index":0,"id":"new","function":{"name":"f","arguments":"{}"}`), streamtest.Finish("tool_calls"), streamtest.Done))
	for _, steps := range []int{20, 200, 1000} {
		b.Run(fmt.Sprint("steps=", steps), func(b *testing.B) {
			p, _ := newProvider(b, "http://localhost:1", func(c *Config) { c.HTTPClient = &http.Client{Transport: answer} })
			req := agent.Request{Model: "m", System: "Be brief.", Tools: streamtest.Tools, Memory: &agent.Memory{}, Messages: []agent.Message{historytest.Says("count")}}
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
	answer := canned(streamtest.SSE(streamtest.Text("ok"), streamtest.Finish("stop"), streamtest.Done))
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

// BenchmarkCountPrompt is the count of a long history whose messages are known.
func BenchmarkCountPrompt(b *testing.B) {
	p, _ := newProvider(b, "http://localhost:1")
	req := hello()
	for range 50 {
		req.Messages = append(req.Messages, historytest.Says(strings.Repeat("some words of a person ", 50)), historytest.Answers(strings.Repeat("and the answer ", 200)))
	}
	b.ReportAllocs()
	for b.Loop() {
		p.CountPrompt(req)
	}
}

// BenchmarkCallsAtOnce is short calls of many runs to one endpoint, of which none is refused.
func BenchmarkCallsAtOnce(b *testing.B) {
	answer := canned(streamtest.SSE(streamtest.Text("ok"), streamtest.Finish("stop"), streamtest.Done))
	p, _ := newProvider(b, "http://localhost:1", func(c *Config) { c.HTTPClient = &http.Client{Transport: answer} })
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := p.Complete(b.Context(), hello(), func(agent.Delta) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
}
