package provider

import (
	"strings"
	"sync"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/provider/history/historytest"
)

func TestCountText(t *testing.T) {
	t.Parallel()
	p, _ := newProvider(t, "http://localhost:1")
	for text, want := range map[string]int64{"": 0, "hello world": 2, "你好，世界": 3} {
		if got := p.CountText(text); got != want {
			t.Errorf("CountText(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestCountPromptCountsEveryPart(t *testing.T) {
	t.Parallel()
	p, _ := newProvider(t, "http://localhost:1")
	req := hello()
	last := p.CountPrompt(req)
	for _, grow := range []func(){
		func() { req.System = "Be careful." },
		func() { req.Tools = []agent.ToolSpec{{Name: "f", Description: "does f", Parameters: []byte(`{}`)}} },
		func() { req.Messages = append(req.Messages, historytest.Asks("a")) },
		func() { req.Messages = append(req.Messages, historytest.Result("a", "a longer result")) },
	} {
		grow()
		n := p.CountPrompt(req)
		if n <= last {
			t.Errorf("%d tokens after %d", n, last)
		}
		last = n
	}
}

// TestHugeTextsAreCounted: samples speak for the rest, and stay close. Without them, the
// count of one endless word would not end.
func TestHugeTextsAreCounted(t *testing.T) {
	t.Parallel()
	p, _ := newProvider(t, "http://localhost:1")
	const line = "The quick brown fox jumps over 13 lazy dogs, again and again. 敏捷的棕色狐狸。\n"
	perLine := float64(p.CountText(strings.Repeat(line, 100))) / 100
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got := float64(p.CountText(strings.Repeat(line, 50_000)))
			if want := 50_000 * perLine; got < 0.98*want || got > 1.02*want {
				t.Errorf("%.0f tokens, want about %.0f", got, want)
			}
		})
	}
	wg.Wait()
	counted := make(chan int64, 1)
	go func() { counted <- p.CountText(strings.Repeat("a", 4<<20)) }()
	if n := agenttest.Receive(t, "the count of an endless word", counted); n < 1<<16 {
		t.Errorf("%d tokens", n)
	}
}
