package loop

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

// TestCoalescerWritesOncePerFrame: the first delta goes out at once, what comes
// within a frame is one event at its end, other events keep their place, and a call
// that is whole before its frame ends is left for the answer's own write.
func TestCoalescerWritesOncePerFrame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var writes [][]agent.EventData
		c := newCoalescer(agent.SystemClock{}, streamFrame, func(d []agent.EventData) error {
			writes = append(writes, append([]agent.EventData{}, d...))
			return nil
		})
		text := func(s string) agent.EventData { return agent.TextDelta{ID: "m", Delta: s} }
		push := func(all ...agent.EventData) {
			for _, d := range all {
				if err := c.push(d); err != nil {
					t.Fatal(err)
				}
			}
		}
		push(text("a"), text("b"), text("c"), agent.ReasoningDelta{ID: "m", Delta: "d"}, agent.ReasoningDelta{ID: "m", Delta: "e"})
		time.Sleep(streamFrame)
		synctest.Wait()
		push(text("f"), text("g"), agent.ToolCallStart{ToolCallID: "x"})
		time.Sleep(streamFrame)
		synctest.Wait()
		time.Sleep(streamFrame)
		push(agent.ToolCallStart{ToolCallID: "y"}, agent.ToolCallDelta{ToolCallID: "y", Delta: "{"}, agent.ToolCallDelta{ToolCallID: "y", Delta: "}"})
		rest, err := c.close()
		if err != nil {
			t.Fatal(err)
		}
		want := [][]agent.EventData{
			{text("a")},
			{text("bc"), agent.ReasoningDelta{ID: "m", Delta: "de"}},
			{text("fg"), agent.ToolCallStart{ToolCallID: "x"}},
		}
		left := []agent.EventData{agent.ToolCallStart{ToolCallID: "y"}, agent.ToolCallDelta{ToolCallID: "y", Delta: "{}"}}
		if diff := cmp.Diff(left, rest); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, writes); diff != "" {
			t.Errorf("writes (-want +got):\n%s", diff)
		}
	})
}

// BenchmarkDeltaCoalesced is one delta that joins what waits for the frame's end.
func BenchmarkDeltaCoalesced(b *testing.B) {
	c := newCoalescer(agent.SystemClock{}, streamFrame, func([]agent.EventData) error { return nil })
	var d agent.EventData = agent.TextDelta{ID: strings.Repeat("m", 26), Delta: " word"}
	b.ReportAllocs()
	for b.Loop() {
		if err := c.push(d); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := c.close(); err != nil {
		b.Fatal(err)
	}
}

// TestCoalescerHandsOverOnce: what close returns is not written as well by a flush
// that was due in that moment.
func TestCoalescerHandsOverOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCoalescer(agent.SystemClock{}, streamFrame, func(d []agent.EventData) error {
			t.Errorf("written as well: %v", d)
			return nil
		})
		for _, d := range []agent.EventData{agent.ToolCallStart{ToolCallID: "x"}, agent.ToolCallDelta{ToolCallID: "x", Delta: "{}"}} {
			if err := c.push(d); err != nil {
				t.Fatal(err)
			}
		}
		rest, err := c.close()
		if err != nil || len(rest) != 2 {
			t.Fatalf("left: %v (%v)", rest, err)
		}
		c.flushDue() // the timer was faster than the news that the stream has ended
		time.Sleep(streamFrame)
		synctest.Wait()
	})
}
