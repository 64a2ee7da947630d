package demo

import (
	"strings"
	"testing"
)

// TestGuidanceEndsACircle: without it the model continues, with it the model
// quotes it and answers.
func TestGuidanceEndsACircle(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		for _, request := range []string{"test dead loop", "test ping-pong", "test cycle", "test similar", "test judge loop", "测试循环"} {
			s := c.results(c.ask(request), "1")
			s = c.results(s, "2")
			if len(s.Calls) != 1 {
				t.Fatalf("%s: it stopped by itself: %+v", request, s)
			}
			c.messages = append(c.messages, map[string]any{"role": "tool", "tool_call_id": s.Calls[0].ID, "content": "3"})
			c.user("[System reminder] You repeat yourself.\n\n[System reminder] A person who looked at this run says: Use the archive.")
			wantText(t, c.next(), "Use the archive.")
		}
	})
}

func TestCirclesOfCalls(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		for request, want := range map[string][]string{
			"test cycle":        {`calculator{"expression":"1+1"}`, `calculator{"expression":"2+2"}`, `calculator{"expression":"3+3"}`, `calculator{"expression":"1+1"}`},
			"test similar":      {`get_weather{"city":"Guangzhou"}`, `get_weather{"city":"Guangzhou "}`},
			"test unknown tool": {`teleport{}`, `beam{}`, `warp{}`, `teleport{}`},
		} {
			s := c.ask(request)
			for i, w := range want {
				if i > 0 {
					s = c.results(s, "0")
				}
				wantCalls(t, s, w)
			}
			c.messages = nil // the last call stays without a result
		}
	})
}

// TestPollingEndsWhenTheBuoyHasMeasured: it asks the same buoy until then.
func TestPollingEndsWhenTheBuoyHasMeasured(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		s := c.ask("test polling")
		first := made(s)[0]
		if !strings.HasPrefix(first, `get_weather{"city":"Weather buoy `) {
			t.Fatalf("call %s", first)
		}
		for range 5 {
			wantCalls(t, s, first)
			s = c.results(s, `{"city":"Weather buoy","notice":"Not measured yet. Try again."}`)
		}
		wantText(t, c.results(s, `{"city":"Weather buoy","temperatureC":17.5,"condition":"Fog"}`), "The buoy has measured. It is 17.5 °C with fog")
	})
}

// TestOutputsAreDeliveredWhenReminded: all that are missing, in one answer.
func TestOutputsAreDeliveredWhenReminded(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *client) {
		c.tools = append(c.tools, "emit_value")
		wantText(t, c.ask("test outputs"), "I think I am done.")
		c.user("[System reminder] Call emit_value for each. Missing: city (string), days (integer).")
		s := c.next()
		wantCalls(t, s, `emit_value{"name":"city","value":"sample"}`, `emit_value{"name":"days","value":3}`)
		wantText(t, c.results(s, "ok", "ok"), "Done: all outputs are delivered")
	})
}
