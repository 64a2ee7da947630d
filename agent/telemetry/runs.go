package telemetry

import (
	"cmp"
	"context"
	"time"

	"fusebox/agent"
)

// The bounds of what is remembered of runs that have not ended. What is forgotten
// is counted all the same, without its duration, under "other".
const (
	maxRuns  = 10_000
	maxCalls = 1000
)

// runMemory is what is known of a run that has not ended.
type runMemory struct {
	model string // that was asked for
	asked string // that answers the open step
	// started is when the open step began, zero where that is not known; told is
	// set once its first piece has come.
	started time.Time
	told    bool
	// open is false only where it is known that no step is.
	open  bool
	calls map[string]callMemory
}

// callMemory is a call without a result.
type callMemory struct {
	tool     string
	executed time.Time // since when it is executed
}

// recall reads what is open. It needs m.mu.
func (m *Metrics) recall(ctx context.Context) error {
	runs, err := m.instance.Source.UnendedRuns(ctx)
	if err != nil {
		return err
	}
	for _, r := range runs {
		m.remember(r.ID, cmp.Or(r.State.Cheaper, r.Model))
	}
	calls, err := m.instance.Source.UnendedCalls(ctx)
	if err != nil {
		return err
	}
	for _, c := range calls {
		m.rememberCall(c.RunID, c.ID, c.Name)
	}
	cards, err := m.instance.Source.PendingApprovals(ctx)
	if err != nil {
		return err
	}
	for _, a := range cards[:min(len(cards), maxCards)] {
		m.cards[a.ID] = a.RequestedAt
	}
	return nil
}

// makeRoom forgets anything where a memory is full. Runs and approvals that went with
// a deleted conversation never end: they must not fill it forever.
func makeRoom[T any](memory map[string]T, most int) {
	for id := range memory {
		if len(memory) < most {
			return
		}
		delete(memory, id)
	}
}

func (m *Metrics) remember(runID, model string) *runMemory {
	r := m.runs[runID]
	if r == nil {
		makeRoom(m.runs, maxRuns)
		r = &runMemory{model: model, asked: model, open: true, calls: map[string]callMemory{}}
		m.runs[runID] = r
	}
	return r
}

func (m *Metrics) rememberCall(runID, id, tool string) {
	if !m.instance.KnowsTool(tool) {
		tool = other
	}
	if r := m.runs[runID]; r != nil && len(r.calls) < maxCalls {
		r.calls[id] = callMemory{tool: tool}
	}
}

// firstToken measures how long the first piece of a step took. A piece is most
// of what happens, so it costs next to nothing.
func (m *Metrics) firstToken(e agent.Event) {
	r := m.runs[e.RunID]
	if r == nil || r.told || r.started.IsZero() {
		return
	}
	r.told = true
	m.m.firstToken.WithLabelValues(m.operation(r.asked)...).Observe(e.At.Sub(r.started).Seconds())
}

func (m *Metrics) stepEnds(e agent.Event) {
	r := m.runs[e.RunID]
	if r == nil {
		m.m.steps.WithLabelValues(other).Inc()
		return
	}
	r.open = false
	m.m.steps.WithLabelValues(m.models.label(r.asked)).Inc()
	if !r.started.IsZero() {
		m.m.answerTook.WithLabelValues(m.operation(r.asked)...).Observe(e.At.Sub(r.started).Seconds())
		r.started = time.Time{}
	}
}

func (m *Metrics) operation(model string) []string {
	label := m.models.label(model)
	if label == other {
		return []string{opChat, other, other}
	}
	return []string{opChat, label, clean(m.instance.Provider(model))}
}

// fallsBack notes another model: within a step it is for that one, between two
// for all that follow.
func (m *Metrics) fallsBack(runID string, d agent.FallbackEvent) {
	m.m.fallbacks.WithLabelValues(clean(d.Reason)).Inc()
	r := m.runs[runID]
	if r == nil || d.Model == "" {
		return
	}
	r.asked = d.Model
	if !r.open { // not for one step alone
		r.model = d.Model
	}
}

func (m *Metrics) callMoves(e agent.Event, d agent.ToolCallStateEvent) {
	var calls map[string]callMemory
	if r := m.runs[e.RunID]; r != nil {
		calls = r.calls
	}
	call, known := calls[d.ToolCallID]
	if !known {
		call.tool = other
	}
	if d.State.Ended() {
		delete(calls, d.ToolCallID)
		m.m.toolCalls.WithLabelValues(call.tool, string(d.State)).Inc()
		if !call.executed.IsZero() {
			m.m.toolTook.WithLabelValues(call.tool).Observe(e.At.Sub(call.executed).Seconds())
		}
		return
	}
	call.executed = time.Time{}
	if d.State == agent.CallExecuting {
		call.executed = e.At
	}
	if calls != nil {
		calls[d.ToolCallID] = call
	}
}
