package history

import (
	"bytes"
	"slices"
	"sync"

	"fusebox/agent"
)

// Memory is what is kept of the messages of a conversation's requests: each of them is
// counted, repaired and encoded once. It is as large as the history.
type Memory struct {
	mu        sync.Mutex
	counted   counted
	repairer  *repairer
	histories map[Style]*encodedHistory
	tools     []agent.ToolSpec
	toolsRaw  []byte // the same as they are sent
	runID     string // whose calls these are
	callIDs   []string
	earlier   map[string]bool // the same
}

// maxStyles bounds the ways in which a history is kept encoded: a run has the
// model that it asks, and the one that answers in its place.
const maxStyles = 2

// New is an empty memory.
func New() *Memory {
	return &Memory{repairer: newRepairer(), histories: map[Style]*encodedHistory{}, earlier: map[string]bool{}}
}

// Of is the memory of a request; one that has none gets an empty one.
func Of(req agent.Request) *Memory {
	if req.Memory == nil {
		return New()
	}
	return req.Memory.Keep(func() any { return New() }).(*Memory)
}

// Count is what messages count together for a model that gets the thoughts of one
// origin back; count counts a single one.
func (m *Memory) Count(thoughtsFrom string, messages []agent.Message, count func(agent.Message) int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counted.thoughtsFrom != thoughtsFrom {
		m.counted = counted{thoughtsFrom: thoughtsFrom}
	}
	c := &m.counted // only those messages are looked at that were not counted before
	c.sums = c.sums[:inCommon(c.messages, messages)]
	c.messages = messages
	n := int64(0)
	if len(c.sums) > 0 {
		n = c.sums[len(c.sums)-1]
	}
	for _, m := range messages[len(c.sums):] {
		n += count(m)
		c.sums = append(c.sums, n)
	}
	return n
}

// Repair is the repaired history of a request, and how much had to be repaired.
// The calls of the request are taken from then on.
func (m *Memory) Repair(req agent.Request) (history []agent.Message, repairs int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runID != req.RunID {
		m.runID, m.callIDs, m.earlier = req.RunID, nil, map[string]bool{}
	}
	for _, id := range req.CallIDs[min(len(m.callIDs), len(req.CallIDs)):] {
		m.earlier[id] = true
	}
	m.callIDs = req.CallIDs
	return m.repairer.repair(req.Messages)
}

// Taken implements answer.Past: it knows all ids of the history, as stored and as sent.
func (m *Memory) Taken(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.earlier[id] || m.repairer.raw[id] || m.repairer.ids[id]
}

// Calls implements answer.Past.
func (m *Memory) Calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.repairer.calls
}

// Encode is a repaired history as it is sent, each message with a comma before it. open
// reads its pictures.
func (m *Memory) Encode(s Style, history []agent.Message, open OpenImage) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.histories[s]
	if e == nil {
		if len(m.histories) == maxStyles {
			clear(m.histories)
		}
		e = &encodedHistory{style: s}
		m.histories[s] = e
	}
	return e.encode(history, open)
}

// Tools is a list of tools as it is sent; encode writes one that is not that of
// the request before.
func (m *Memory) Tools(tools []agent.ToolSpec, encode func([]agent.ToolSpec) []byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.EqualFunc(m.tools, tools, SameTool) {
		m.tools, m.toolsRaw = tools, encode(tools)
	}
	return m.toolsRaw
}

type counted struct {
	thoughtsFrom string
	messages     []agent.Message
	sums         []int64 // of the messages up to each one
}

// inCommon is with how many messages both lists begin. A list that was
// appended to in place is not compared: messages do not change.
func inCommon(a, b []agent.Message) int {
	n := min(len(a), len(b))
	if n == 0 || &a[0] == &b[0] {
		return n
	}
	for i := range n {
		if !sameToModels(&a[i], &b[i]) {
			return i
		}
	}
	return n
}

// sameToModels reports whether two messages differ in nothing that is sent.
func sameToModels(a, b *agent.Message) bool {
	return a.Role == b.Role && a.Content == b.Content && a.Reasoning == b.Reasoning && a.ToolCallID == b.ToolCallID &&
		written(a) == written(b) && slices.Equal(a.ToolCalls, b.ToolCalls) && bytes.Equal(a.Data, b.Data) &&
		slices.EqualFunc(a.Images, b.Images, func(x, y agent.Image) bool { return x.Name == y.Name }) &&
		(len(a.Images) == 0 || a.RunID == b.RunID)
}

// SameTool reports whether two tools differ in nothing that is sent.
func SameTool(a, b agent.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
}
