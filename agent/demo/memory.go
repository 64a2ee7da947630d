package demo

import "sync"

// maxCallsRemembered bounds the memory for calls; the oldest are forgotten.
const maxCallsRemembered = 4096

// sent is what a family wants back of a call that the demo model made.
type sent struct {
	reasoning string
	signature string
}

// callKey keeps the families apart: what one wants back, another must not get.
type callKey struct {
	family Family
	id     string
}

// memory knows the calls that the demo model made lately.
type memory struct {
	mu    sync.Mutex
	calls map[callKey]sent
	order []callKey
}

// remember keeps what a completion sent with its calls.
func (m *memory) remember(c completion) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls == nil {
		m.calls = make(map[callKey]sent)
	}
	for i, call := range c.message.ToolCalls {
		if len(m.order) == maxCallsRemembered {
			delete(m.calls, m.order[0])
			m.order = m.order[1:]
		}
		key := callKey{c.family.name, call.ID}
		s := sent{reasoning: c.message.ReasoningContent}
		if i == 0 {
			s.signature = signature(call.ID)
		}
		m.calls[key], m.order = s, append(m.order, key)
	}
}

// recall finds what was sent with a call; ok is false for calls from elsewhere.
func (m *memory) recall(f Family, id string) (s sent, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok = m.calls[callKey{f, id}]
	return s, ok
}
