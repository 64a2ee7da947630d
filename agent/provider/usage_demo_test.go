package provider

import (
	"net/http/httptest"
	"testing"

	"fusebox/agent"
	"fusebox/agent/demo"
	"fusebox/agent/provider/history/historytest"
	"fusebox/agent/provider/streamtest"
)

// TestFamiliesCountTheSame: however a family of the demo model tells it, the
// same answer takes the same; and what it reports of cache and reasoning arrives.
func TestFamiliesCountTheSame(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(demo.Handler(demo.Options{}))
	t.Cleanup(srv.Close)
	ask := func(model string) agent.Usage {
		p, _ := newProvider(t, srv.URL)
		req := agent.Request{Model: model, System: "Be kind, and remember all of this: one two three four five six seven eight nine ten.", Messages: []agent.Message{historytest.Says("test thinking")}, Tools: streamtest.Tools}
		got, err := p.Complete(t.Context(), req, (&watcher{}).sink)
		if err != nil || got.Provider != "" || got.RequestID == "" {
			t.Fatalf("%s: %v, %q of %q", model, err, got.RequestID, got.Provider)
		}
		return got.Usage
	}
	want := ask(demo.Model)
	for _, f := range demo.Families() {
		got := ask(demo.Model + ":" + string(f))
		if got.Estimated || got.InputTokens != want.InputTokens || got.OutputTokens != want.OutputTokens {
			t.Errorf("%s: usage %+v, want %+v", f, got, want)
		}
		if cached := f == "deepseek" || f == "kimi" || f == "qwen"; cached != (got.CachedTokens > 0) {
			t.Errorf("%s: %d tokens from the cache", f, got.CachedTokens)
		}
		if thought := f == "gemini" || f == "qwen"; thought != (got.ReasoningTokens > 0) {
			t.Errorf("%s: %d tokens of reasoning", f, got.ReasoningTokens)
		}
	}
}
