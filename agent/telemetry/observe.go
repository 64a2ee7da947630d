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

// Committed counts a commit. It is called with the writing connection in hand, and
// allocates nothing.
func (m *Metrics) Committed(writes, waiting int, took time.Duration) {
	m.m.commits.Inc()
	m.m.group.Observe(float64(writes))
	m.m.took.Observe(took.Seconds())
	m.m.queue.Set(float64(waiting))
}

// DatabaseChecked notes how a check of the database ended.
func (m *Metrics) DatabaseChecked(at time.Time, sound bool) {
	m.m.checked.Set(float64(at.Unix()))
	m.m.sound.Set(0)
	if sound {
		m.m.sound.Set(1)
	}
}

// observe needs m.mu.
func (m *Metrics) observe(e agent.Event) {
	switch d := e.Data.(type) {
	case agent.RunStart:
		m.remember(e.RunID, d.Model).open = false // it has no step yet
	case agent.StepStart:
		if r := m.runs[e.RunID]; r != nil {
			r.started, r.told, r.asked, r.open = e.At, false, r.model, true
		}
	case agent.TextDelta, agent.ReasoningDelta, agent.ToolCallStart, agent.ToolCallDelta:
		m.firstToken(e)
	case agent.StepFinish:
		m.stepEnds(e)
	case agent.MessageEvent:
		for _, c := range d.Message.ToolCalls { // later events name the call alone
			m.rememberCall(e.RunID, c.ID, c.Name)
		}
	case agent.ToolCallStateEvent:
		m.callMoves(e, d)
	case agent.RetryEvent:
		m.m.retries.WithLabelValues(statusClass(d.Status)).Inc()
	case agent.FallbackEvent:
		m.fallsBack(e.RunID, d)
	case agent.Finish:
		delete(m.runs, e.RunID)
		m.m.runs.WithLabelValues(string(d.Status), string(d.StopReason)).Inc()
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
