package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// TestThinking asks models that can think in the words of their family, in place of what
// their configuration says, and no other model.
func TestThinking(t *testing.T) {
	t.Parallel()
	off, on := agent.Thinking{Mode: agent.ThinkingOff}, agent.Thinking{Mode: agent.ThinkingOn}
	for _, tc := range []struct {
		name   string
		family Family
		asked  agent.Thinking
		want   map[string]any
	}{
		{"left to the model", Qwen, agent.Thinking{}, map[string]any{"enable_thinking": true}},
		{"Qwen off", Qwen, off, map[string]any{"enable_thinking": false}},
		{"Qwen with a budget", Qwen, agent.Thinking{Mode: agent.ThinkingOn, Tokens: 500}, map[string]any{"enable_thinking": true, "thinking_budget": 500.0}},
		{"DeepSeek on", DeepSeek, on, map[string]any{"enable_thinking": true, "thinking": map[string]any{"type": "enabled"}}},
		{"Kimi off", Kimi, off, map[string]any{"enable_thinking": true, "thinking": map[string]any{"type": "disabled"}}},
		{"plain off", Plain, off, map[string]any{"enable_thinking": true, "reasoning_effort": "none"}},
		{"plain on", Plain, on, map[string]any{"enable_thinking": true, "reasoning_effort": "medium"}},
		{"plain with little", Plain, agent.Thinking{Mode: agent.ThinkingOn, Tokens: 1000}, map[string]any{"enable_thinking": true, "reasoning_effort": "low"}},
		{"plain with much", Plain, agent.Thinking{Mode: agent.ThinkingOn, Tokens: 50_000}, map[string]any{"enable_thinking": true, "reasoning_effort": "high"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, thinks := range []bool{true, false} {
				srv := serve(t, raw(streamtest.Good))
				p, _ := newProvider(t, srv.URL, func(c *Config) {
					c.Models = []Model{{Name: "m", Family: tc.family, Thinking: thinks, Extra: map[string]any{"enable_thinking": true}}}
				})
				req := hello()
				req.Thinking = tc.asked
				if _, err := p.Complete(t.Context(), req, (&watcher{}).sink); err != nil {
					t.Fatal(err)
				}
				want, got := tc.want, map[string]any{}
				if !thinks {
					want = map[string]any{"enable_thinking": true}
				}
				body := read(t, srv.requests()[0]).raw
				for _, key := range []string{"enable_thinking", "thinking_budget", "thinking", "reasoning_effort"} {
					if v, ok := body[key]; ok {
						got[key] = v
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("a model that thinks: %v: %s", thinks, diff)
				}
			}
		})
	}
}
