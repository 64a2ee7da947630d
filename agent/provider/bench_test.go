package provider

import (
	"strings"
	"testing"

	"fusebox/agent/provider/history/historytest"
)

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
