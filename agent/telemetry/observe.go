package telemetry

import (
	"strconv"
	"time"

	"fusebox/agent"
)

// Observe counts committed events. It is called between commits, so it only
// counts: it waits for nothing and reads nothing.
func (m *Metrics) Observe(events []agent.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.instance == nil {
		return
	}
	for _, e := range events {
		m.observe(e)
	}
}

// observe needs m.mu.
func (m *Metrics) observe(e agent.Event) {
	switch d := e.Data.(type) {
	case agent.RunStart:
		m.runStarts(e.RunID, d.Model)
	case agent.StepStart:
		m.stepStarts(e)
	case agent.TextDelta, agent.ReasoningDelta, agent.ToolCallStart, agent.ToolCallDelta:
		m.firstToken(e)
	case agent.StepFinish:
		m.stepEnds(e)
	case agent.MessageEvent:
		m.callsAsked(e.RunID, d.Message)
	case agent.ToolCallStateEvent:
		m.callMoves(e, d)
	case agent.RetryEvent:
		m.m.retries.WithLabelValues(statusClass(d.Status)).Inc()
	case agent.FallbackEvent:
		m.fallsBack(e.RunID, d)
	case agent.Finish:
		delete(m.runs, e.RunID)
		m.m.runs.WithLabelValues(string(d.Status), string(d.StopReason)).Inc()
	default:
		m.observePeople(e)
	}
}

// observePeople counts what people are told and asked.
func (m *Metrics) observePeople(e agent.Event) {
	switch d := e.Data.(type) {
	case agent.GuardEvent:
		m.m.trips.WithLabelValues(clean(d.Detector), d.Level).Inc()
	case agent.BudgetEvent:
		if d.Level != "" {
			m.m.warnings.WithLabelValues(clean(d.Scope), d.Level).Inc()
		}
	case agent.ApprovalRequestedEvent:
		m.approvalRequested(d, e.At)
	case agent.ApprovalDecidedEvent:
		m.approvalClosed(d, e.At)
	}
}

// maxCards bounds the memory of undecided approvals.
const maxCards = 10_000

// approvalRequested counts an approval once as long as it is open: a reminder, a vote and an
// edit put it before people again.
func (m *Metrics) approvalRequested(d agent.ApprovalRequestedEvent, at time.Time) {
	if _, open := m.cards[d.ApprovalID]; open {
		return
	}
	m.m.asked.WithLabelValues(string(d.Kind), string(d.Risk)).Inc()
	makeRoom(m.cards, maxCards)
	m.cards[d.ApprovalID] = at
}

func (m *Metrics) approvalClosed(d agent.ApprovalDecidedEvent, at time.Time) {
	asked, known := m.cards[d.ApprovalID]
	delete(m.cards, d.ApprovalID)
	m.m.decided.WithLabelValues(d.Kind, d.Decision).Inc()
	byPerson := d.Decision != string(agent.ApprovalCancelled) && d.Decision != string(agent.ApprovalExpired)
	if known && byPerson {
		m.m.waited.WithLabelValues(d.Kind).Observe(at.Sub(asked).Seconds())
	}
}

// statusClass is the class of an HTTP status, such as 4xx.
func statusClass(status int) string {
	if status < 100 || status > 599 {
		return "none"
	}
	return strconv.Itoa(status/100) + "xx"
}
