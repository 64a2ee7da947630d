package demo

import "testing"

// TestHandsInAtALimit: without tools it says what was done, and puts the outputs that it is
// asked for into its answer.
func TestHandsInAtALimit(t *testing.T) {
	t.Parallel()
	const limit = "[System reminder] This run has reached its limit of model calls, and this is its last answer. No tools are available any more."
	both(t, func(t *testing.T, c *client) {
		s := c.ask("test judge loop")
		c.messages = append(c.messages, map[string]any{"role": "tool", "tool_call_id": s.Calls[0].ID, "content": "2"})
		c.user("[System reminder] A person who looked at this run says: Hurry.\n\n" + limit)
		c.tools = nil
		wantText(t, c.next(), "I stop here, because the limit is reached. I made 1 tool call; the last result was: 2")
	})
	both(t, func(t *testing.T, c *client) {
		c.user("测试产出")
		c.user(limit + " Put what you have of these outputs into your answer, as one JSON object with these names: days (integer), towns (array).")
		c.tools = nil
		wantText(t, c.next(), "已达到上限，我就到这里为止。我还没有调用过工具。\n\n```json\n{\n  \"days\": 3,\n  \"towns\": []\n}\n```")
	})
}
