package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// TestThoughtsOnTheWire: the same through a true stream, beside a call.
func TestThoughtsOnTheWire(t *testing.T) {
	t.Parallel()
	var events []string
	for piece := range strings.SplitAfterSeq("<think>Which tool? The calculator.</think>\n\nI calculate.\n", " ") {
		quoted, err := json.Marshal(piece)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, streamtest.Delta(`"content":`+string(quoted)))
	}
	events = append(events, streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`), streamtest.Finish("tool_calls"))
	srv := serve(t, raw(streamtest.SSE(events...)))
	p, _ := newProvider(t, srv.URL)
	w := &watcher{}
	c, err := p.Complete(t.Context(), asksOnce, w.sink)
	if err != nil || c.Content != "I calculate.\n" || c.Reasoning != "Which tool? The calculator." || len(c.Calls) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	for i, d := range w.deltas {
		if d.Kind == agent.DeltaText && i > 0 && w.deltas[i-1].Kind == agent.DeltaCallStart {
			t.Error("text stands behind the call that came after it")
		}
	}
}
