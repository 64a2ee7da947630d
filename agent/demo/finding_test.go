package demo

import "testing"

// TestToolsAreFound: what is not offered is looked for, once, where there is a way to.
func TestToolsAreFound(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		c.tools = []string{finder}
		s := c.ask("用工具查询发票")
		wantCalls(t, s, `find_tools{"query":"查询发票"}`)
		wantText(t, c.results(s, `{"tools":[]}`), "没有找到合适的工具")
		s = c.ask("How is the weather in Guangzhou?")
		wantCalls(t, s, `find_tools{"query":"get_weather"}`)
		wantText(t, c.results(s, `{"tools":[]}`), "not offered to me here")
	})
}
