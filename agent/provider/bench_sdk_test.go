package provider

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/history"
	"fusebox/agent/provider/streamtest"
	"fusebox/agent/provider/wire"
)

// benchStream is an answer with text and a tool call, as OpenAI writes it.
func benchStream() (body string, deltas int) {
	envelope := func(delta string) string {
		return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763640000,"model":"gpt-x","service_tier":"default","system_fingerprint":"fp_1",` +
			`"choices":[{"index":0,"delta":` + delta + `,"logprobs":null,"finish_reason":null}]}`
	}
	events := []string{}
	for range 400 {
		events = append(events, envelope(`{"content":" word"}`))
	}
	events = append(events, envelope(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":""}}]}`))
	for range 100 {
		events = append(events, envelope(`{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`))
	}
	return streamtest.SSE(append(events, streamtest.Finish("tool_calls"), streamtest.Done)...), len(events)
}

func readOurs(tb testing.TB, body string) int {
	n := 0
	acc := answer.NewAccumulator(history.New(), answer.NewOutput(func(agent.Delta) error { n++; return nil }), nil)
	s, err := wire.Open(strings.NewReader(body), func() {})
	if err != nil {
		tb.Fatal(err)
	}
	if err := acc.Read(s, func() {}); err != nil {
		tb.Fatal(err)
	}
	return n
}

func readSDK(tb testing.TB, body string) int {
	res := &http.Response{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(body))}
	s := ssestream.NewStream[openai.ChatCompletionChunk](ssestream.NewDecoder(res), nil)
	acc := openai.ChatCompletionAccumulator{}
	n := 0
	for s.Next() {
		acc.AddChunk(s.Current())
		n++
	}
	if s.Err() != nil {
		tb.Fatal(s.Err())
	}
	return n
}

// BenchmarkStream reads the same stream with this package and with the SDK's
// decoder and accumulator; ratio is our time as a share of theirs, in one run.
func BenchmarkStream(b *testing.B) {
	body, deltas := benchStream()
	perDelta := func(read func(testing.TB, string) int) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read(b, body)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*deltas), "ns/delta")
			b.ReportMetric(testing.AllocsPerRun(5, func() { read(b, body) })/float64(deltas), "allocs/delta")
		}
	}
	b.Run("ours", perDelta(readOurs))
	b.Run("sdk", perDelta(readSDK))
	b.Run("ratio", func(b *testing.B) {
		var ours, theirs time.Duration
		for b.Loop() {
			start := time.Now()
			readOurs(b, body)
			ours += time.Since(start)
			start = time.Now()
			readSDK(b, body)
			theirs += time.Since(start)
		}
		b.ReportMetric(float64(ours)/float64(theirs), "ours/sdk")
	})
}

// BenchmarkFirstDelta is how long after the server has written it the first
// piece of an answer reaches the sink, over loopback, with the request's way
// there left out: the median of all runs.
func BenchmarkFirstDelta(b *testing.B) {
	var written time.Time
	srv := serve(b, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		written = time.Now()
		_, _ = io.WriteString(w, streamtest.SSE(streamtest.Delta(`"content":"Hi"`)))
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, streamtest.SSE(streamtest.Finish("stop"), streamtest.Done))
	})
	p, _ := newProvider(b, srv.URL)
	var added, whole []time.Duration
	for b.Loop() {
		start := time.Now()
		seen := false
		_, err := p.Complete(context.Background(), hello(), func(agent.Delta) error {
			if !seen {
				seen = true
				added = append(added, time.Since(written))
				whole = append(whole, time.Since(start))
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(added)
	slices.Sort(whole)
	b.ReportMetric(float64(added[len(added)/2].Microseconds()), "median-us-after-write")
	b.ReportMetric(float64(whole[len(whole)/2].Microseconds()), "median-us-with-request")
}
