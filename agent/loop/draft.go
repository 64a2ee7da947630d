package loop

import (
	"strings"
	"time"

	"fusebox/agent"
)

// draft is the streamed part of a message that is not final.
type draft struct {
	text, reasoning   strings.Builder
	arguments         strings.Builder // of all its calls, for the bill
	shown             bool            // something was streamed
	calls             bool            // a call was announced
	thinking, thought time.Time       // when the reasoning began, and ended
	watch             streamWatch
}

// newDraft is the draft of a message of which nothing was streamed yet; guards
// makes the detectors that read along, of which some are switched off.
func newDraft(guards func(of agent.DeltaKind) []agent.StreamGuard, off []string) draft {
	return draft{watch: streamWatch{make: guards, off: off}}
}

// heard notes when the model begins to reason, and when it begins to speak:
// as it comes, whenever it is shown.
func (d *draft) heard(delta agent.Delta, now time.Time) {
	switch delta.Kind {
	case agent.DeltaReasoning:
		if d.thinking.IsZero() {
			d.thinking = now
		}
	case agent.DeltaText, agent.DeltaCallStart:
		if !d.thinking.IsZero() && d.thought.IsZero() {
			d.thought = now
		}
	case agent.DeltaCallArgs, agent.DeltaRetry, agent.DeltaReset, agent.DeltaFallback, agent.DeltaNotice:
	}
}

// thoughtFor is how long the model has reasoned, in milliseconds.
func (d *draft) thoughtFor(now time.Time) int64 {
	if d.thinking.IsZero() {
		return 0
	}
	end := d.thought
	if end.IsZero() {
		end = now
	}
	return end.Sub(d.thinking).Milliseconds()
}

// show notes a delta in the draft and returns its event.
func (d *draft) show(id string, delta agent.Delta) agent.EventData {
	switch delta.Kind {
	case agent.DeltaText:
		d.shown = true
		d.text.WriteString(delta.Text)
		return agent.TextDelta{ID: id, Delta: delta.Text}
	case agent.DeltaReasoning:
		d.shown = true
		d.reasoning.WriteString(delta.Text)
		return agent.ReasoningDelta{ID: id, Delta: delta.Text}
	case agent.DeltaCallStart:
		d.shown, d.calls = true, true
		return agent.ToolCallStart{ToolCallID: delta.CallID, ToolName: delta.ToolName}
	case agent.DeltaCallArgs:
		d.arguments.WriteString(delta.Text)
		return agent.ToolCallDelta{ToolCallID: delta.CallID, Delta: delta.Text}
	case agent.DeltaReset:
		*d = newDraft(d.watch.make, d.watch.off)
		return agent.MessageReset{ID: id}
	case agent.DeltaFallback:
		return delta.Fallback
	case agent.DeltaNotice:
		return agent.Notice{Message: delta.Text}
	default:
		return delta.Retry
	}
}
