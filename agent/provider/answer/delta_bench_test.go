package answer

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/history"
	"fusebox/agent/provider/wire"
)

// BenchmarkDelta is one delta from the wire to the sink: decode and accumulate.
func BenchmarkDelta(b *testing.B) {
	const event = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763640000,"model":"gpt-x","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}]}` + "\n\n"
	const events = 10_000
	body := strings.Repeat(event, events)
	var acc *Accumulator
	var s wire.Reader
	b.SetBytes(int64(len(event)))
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%events == 0 {
			acc = NewAccumulator(history.New(), NewOutput(func(agent.Delta) error { return nil }), nil)
			var err error
			if s, err = wire.Open(strings.NewReader(body), func() {}); err != nil {
				b.Fatal(err)
			}
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
