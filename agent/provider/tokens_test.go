package provider

import (
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
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

// TestHugeTextsAreCountedQuickly: samples speak for the rest, and stay close.
func TestHugeTextsAreCountedQuickly(t *testing.T) {
	t.Parallel()
	p, _ := newProvider(t, "http://localhost:1")
	const line = "The quick brown fox jumps over 13 lazy dogs, again and again. 敏捷的棕色狐狸。\n"
	perLine := float64(p.CountText(strings.Repeat(line, 100))) / 100
	started := time.Now()
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
	p.CountText(strings.Repeat("a", 4<<20)) // one endless word
	if took := time.Since(started); took > time.Minute {
		t.Errorf("took %v", took)
	}
}
