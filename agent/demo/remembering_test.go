package demo

import "testing"

// TestPeopleAreRemembered: the demo model stores what it is told to, says so, and tells it
// later; where the memory is switched off it says that.
func TestPeopleAreRemembered(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		c.tools = []string{rememberTool, recallTool}
		s := c.ask("Remember that I live in Zürich.")
		wantCalls(t, s, `remember{"text":"I live in Zürich."}`)
		wantText(t, c.results(s, `{"result":"remembered"}`), "I live in Zürich")
		s = c.ask("请记住：我喜欢喝茶")
		wantCalls(t, s, `remember{"text":"我喜欢喝茶"}`)
		wantText(t, c.results(s, "The person has switched their memory off."), "switched their memory off")
		s = c.ask("What do you know about me?")
		wantCalls(t, s, `recall{"query":"What do you know about me?"}`)
		wantText(t, c.results(s, `{"matches":[{"text":"I live in Zürich."}],"others":[{"text":"我喜欢喝茶"}]}`), "- I live in Zürich.\n- 我喜欢喝茶")
		s = c.ask("你知道我什么？")
		wantText(t, c.results(s, `{"matches":[],"others":[]}`), "还不知道")
		c.tools = nil
		wantText(t, c.ask("Remember that it rains"), "not offered to me here")
	})
}
