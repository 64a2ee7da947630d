package present

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
)

// traceRun is a run with a retry, a tool, a wait of a day for a person, and an end.
func traceRun(start time.Time) (agent.Run, []agent.Event, []agent.Step, []agent.ToolCall) {
	at := start.Add
	event := func(d time.Duration, step int, data agent.EventData) agent.Event {
		return agent.Event{At: at(d), Step: step, Data: data}
	}
	day := 24 * time.Hour
	usage := agent.Usage{Tokens: agent.Tokens{InputTokens: 4000, CachedTokens: 1000, OutputTokens: 500}}
	events := []agent.Event{
		event(0, 0, agent.RunStart{Model: "demo"}),
		event(0, 1, agent.StepStart{MessageID: "m1"}),
		event(time.Second, 1, agent.RetryEvent{Attempt: 1, MaxAttempts: 10, DelayMS: 500, Status: 429, Message: "rate limit"}),
		event(1500*time.Millisecond, 1, agent.StepStart{MessageID: "m1"}),
		event(3*time.Second, 1, agent.StepFinish{Usage: usage, CostMicros: 4200, FinishReason: "tool_calls"}),
		event(3*time.Second, 1, agent.RunPaused{ApprovalIDs: []string{"a1"}}),
		event(3*time.Second+day, 1, agent.RunResumed{By: "ana@example.com"}),
		event(5*time.Second+day, 2, agent.StepStart{MessageID: "m2"}),
		event(6*time.Second+day, 2, agent.StepFinish{Usage: usage, CostMicros: 4200, FinishReason: "stop"}),
		event(6*time.Second+day, 0, agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal}),
	}
	calls := []agent.ToolCall{{
		ID: "c1", Step: 1, Name: "run_shell", Args: `{"command":"ls"}`, State: agent.CallSuccess,
		StartedAt: at(3*time.Second + day), EndedAt: at(5*time.Second + day),
	}}
	run := agent.Run{ID: "r1", Status: agent.StatusFinished, StartedAt: start, EndedAt: at(6*time.Second + day)}
	return run, events, []agent.Step{{N: 1, Model: "demo"}, {N: 2, Model: "demo"}}, calls
}

func TestTraceHasOneBarPerSpan(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	run, events, steps, calls := traceRun(start)
	trace := NewTrace(text.In(t.Context()), RunSpans(text.In(t.Context()), run, events, steps, calls, start.Add(time.Hour)))

	type row struct{ Kind, Step, State, Took, Tokens, Cost string }
	var got []row
	for _, r := range trace.Rows {
		got = append(got, row{r.Kind, r.Step, r.State, r.Took, r.Tokens, r.Cost})
	}
	want := []row{
		{"model", "1", "failed", "1.0 s", "", ""},
		{"retry", "1", "", "0.5 s", "", ""},
		{"model", "1", "→ tools", "1.5 s", "4.5k", "$0.0042"},
		{"wait", "1", "decided by ana@example.com", "24:00:00", "", ""},
		{"tool", "1", "done", "2.0 s", "", ""},
		{"model", "2", "answered", "1.0 s", "4.5k", "$0.0042"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !trace.Folded {
		t.Error("a wait of a day should be folded")
	}
}

func TestTraceFoldsLongWaits(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	run, events, steps, calls := traceRun(start)
	trace := NewTrace(text.In(t.Context()), RunSpans(text.In(t.Context()), run, events, steps, calls, start))
	number := func(s string) float64 {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	last := 0.0
	for _, r := range trace.Rows {
		x, w := number(r.X), number(r.W)
		if x < last || x+w > page.TraceWidth+0.01 || w < smallestBar {
			t.Errorf("%s: bar from %v, %v wide", r.Label, x, w)
		}
		last = x
		if share := w / page.TraceWidth; r.Kind == "wait" && (share < foldedShare-0.01 || share > foldedShare+0.01) {
			t.Errorf("the wait takes %.2f of the axis, want %.2f", share, foldedShare)
		}
	}
	if trace.Axis[0] != "0.0 s" || trace.Axis[4] != "24:00:06" {
		t.Errorf("axis is %v", trace.Axis)
	}
}

func TestTraceOfARunThatWaits(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	run, events, steps, _ := traceRun(start)
	run.Status, run.EndedAt = agent.StatusPaused, time.Time{}
	trace := NewTrace(text.In(t.Context()), RunSpans(text.In(t.Context()), run, events[:6], steps, nil, start.Add(63*time.Second)))
	last := trace.Rows[len(trace.Rows)-1]
	if last.Kind != "wait" || last.Took != "1:00" || last.Href != "/approvals/a1" {
		t.Errorf("last row is %+v", last)
	}
}

func TestTraceIsBounded(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var events []agent.Event
	for i := range maxTraceRows + 50 {
		events = append(events, agent.Event{At: start, Step: i, Data: agent.Notice{Message: "x"}})
	}
	trace := NewTrace(text.In(t.Context()), RunSpans(text.In(t.Context()), agent.Run{Status: agent.StatusRunning}, events, nil, nil, start))
	if len(trace.Rows) != maxTraceRows || trace.More != 50 {
		t.Errorf("%d rows and %d more", len(trace.Rows), trace.More)
	}
	if got := NewTrace(text.In(t.Context()), nil); len(got.Rows) != 0 {
		t.Errorf("a run without events has %d rows", len(got.Rows))
	}
}

// TestTraceOfACallThatIsKeptBack: it waits, and nothing of it has failed.
func TestTraceOfACallThatIsKeptBack(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	run, events, steps, _ := traceRun(start)
	events[2].Data = agent.RetryEvent{MaxAttempts: 10, DelayMS: 500, Status: 429, Message: "busy"}
	events = append(events[:3:3], events[4:5]...)
	trace := NewTrace(text.In(t.Context()), RunSpans(text.In(t.Context()), run, events, steps, nil, start.Add(time.Hour)))
	var got []string
	for _, r := range trace.Rows {
		got = append(got, fmt.Sprint(r.Kind, ": ", r.Label, ", ", r.State, ", ", r.Bad))
	}
	want := []string{"model: Model call, → tools, false", "retry: Waiting for a busy model server, , false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTraceGoesStepByStep: what begins at the same moment stands in the order of its steps.
func TestTraceGoesStepByStep(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	run, events, steps, calls := traceRun(start)
	calls[0].StartedAt = calls[0].EndedAt
	trace := NewTrace(text.In(t.Context()), RunSpans(text.In(t.Context()), run, events, steps, calls, start.Add(time.Hour)))
	var got []string
	for _, r := range trace.Rows {
		got = append(got, r.Kind+" "+r.Step)
	}
	if last := got[len(got)-2:]; last[0] != "tool 1" || last[1] != "model 2" {
		t.Errorf("the trace is %q", got)
	}
}
