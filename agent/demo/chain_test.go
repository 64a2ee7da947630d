package demo

import (
	"strings"
	"testing"
)

// TestChainMakesItsCallsInOneAnswer: as many as asked for, and bounded.
func TestChainMakesItsCallsInOneAnswer(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		s := c.ask("test chain 3")
		wantCalls(t, s, `calculator{"expression":"3+1"}`, `calculator{"expression":"3+2"}`, `calculator{"expression":"3+3"}`)
		wantText(t, c.results(s, `{"expression":"3+1","result":4}`, `{"expression":"3+2","result":5}`, "broken"),
			"3+1 = 4. 3+2 = 5. I could not calculate 3+3: broken")
		s = c.ask("测试链 1")
		wantCalls(t, s, `calculator{"expression":"1+1"}`)
		wantText(t, c.results(s, `{"expression":"1+1","result":2}`), "1+1 = 2。")
		for text, want := range map[string]int{"test chain 0": 1, "test chain 99": maxChain, "test chain 99999999999999999999": maxChain} {
			c.messages = nil
			if s := c.ask(text); len(s.Calls) != want {
				t.Errorf("%s: %d calls", text, len(s.Calls))
			}
		}
		c.messages, c.tools = nil, nil
		wantText(t, c.ask("test chain 3"), "calculator for that, but it is not offered")
	})
}

// TestProbe: what a client does to see whether a model calls tools.
func TestProbe(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		c.tools = []string{"probe"}
		s := c.ask("Call the tool probe with the word pong.")
		wantCalls(t, s, `probe{"word":"pong"}`)
		if got := c.results(s, "pong"); got.Content != "pong" || len(got.Calls) > 0 {
			t.Errorf("after the result: %+v", got)
		}
		c.messages, c.tools = nil, nil
		if got := c.ask("Say pong."); !strings.HasSuffix(got.Content, "pong") {
			t.Errorf("without tools: %+v", got)
		}
		c.messages, c.tools = nil, append([]string{"probe"}, allTools...)
		if got := c.ask("Say pong."); len(got.Calls) > 0 || got.Content == "pong" {
			t.Errorf("among other tools: %+v", got)
		}
	})
}
