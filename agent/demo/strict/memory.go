package strict

import (
	"crypto/sha256"
	"encoding/base64"
	"sync"

	"fusebox/agent/demo/wire"
)

// maxCalls bounds the memory for calls; the oldest are forgotten.
const maxCalls = 4096

// sent holds what a family wants back with a call that the demo model made.
type sent struct {
	reasoning string
	signature string
}

// callKey keeps the families apart: what one wants back, another must not get.
type callKey struct {
	family string
	id     string
}

// Memory knows the calls that the demo model made lately. The zero Memory is
// empty; it may be used by several goroutines at once.
type Memory struct {
	mu    sync.Mutex
	calls map[callKey]sent
	order []callKey
}

// Remember keeps what a family sent with the calls of an answer.
func (m *Memory) Remember(family string, answer wire.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls == nil {
		m.calls = make(map[callKey]sent)
	}
	for i, c := range answer.ToolCalls {
		if len(m.order) == maxCalls {
			delete(m.calls, m.order[0])
			m.order = m.order[1:]
		}
		key := callKey{family, c.ID}
		s := sent{reasoning: answer.ReasoningContent}
		if i == 0 {
			s.signature = Signature(c.ID)
		}
		m.calls[key], m.order = s, append(m.order, key)
	}
}

// recall finds what was sent with a call; ok is false for calls from elsewhere.
func (m *Memory) recall(family, id string) (s sent, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok = m.calls[callKey{family, id}]
	return s, ok
}

// Signature signs the call with an id, and is opaque to clients. It follows from
// the id, so that the demo model knows its own after a restart.
func Signature(id string) string {
	sum := sha256.Sum256([]byte("demo model, thought of " + id))
	return base64.StdEncoding.EncodeToString(sum[:])
}
