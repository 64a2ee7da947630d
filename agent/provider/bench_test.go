package provider

import (
	"io"
	"strings"
	"testing"

	"fusebox/agent"
)

// BenchmarkDelta is one delta from the wire to the sink: decode and accumulate.
func BenchmarkDelta(b *testing.B) {
	event := sse(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763640000,"model":"gpt-x","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}]}`)
	body := io.MultiReader(&repeat{piece: strings.Repeat(event, 100)})
	acc := newAccumulator(newOutput(func(agent.Delta) error { return nil }), agent.Request{}, nil)
	s, err := openStream(body, func() {})
	if err != nil {
		b.Fatal(err)
	}
	events := s.(*eventStream).events
	b.SetBytes(int64(len(event)))
	b.ReportAllocs()
	for b.Loop() {
		events.read = 0 // the stream has no end here
		if acc.content.Len() > 1<<20 {
			acc.content.Reset()
		}
		c, err := s.Next()
		if err != nil {
			b.Fatal(err)
		}
		if err := acc.add(c); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCountPrompt is the count of a long history whose messages are known.
func BenchmarkCountPrompt(b *testing.B) {
	p, _ := newProvider(b, "http://localhost:1")
	req := hello()
	for range 50 {
		req.Messages = append(req.Messages, says(strings.Repeat("some words of a person ", 50)), answers(strings.Repeat("and the answer ", 200)))
	}
	b.ReportAllocs()
	for b.Loop() {
		p.CountPrompt(req)
	}
}
