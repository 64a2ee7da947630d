package loop

import (
	"slices"
	"sync"

	"fusebox/agent"
)

// calls are the run's tool calls, in the order of steps and of each answer. mu
// guards changes: the calls of one answer are executed in parallel.
type calls struct {
	mu   sync.Mutex
	list []agent.ToolCall
}

// adopt takes over what the journal has committed.
func (cs *calls) adopt(changes []agent.CallChange) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, c := range changes {
		if i := cs.index(c.Call.ID); i >= 0 {
			cs.list[i] = c.Call
		} else {
			cs.list = append(cs.list, c.Call)
		}
	}
}

// index needs mu, or that no call is being executed.
func (cs *calls) index(id string) int {
	return slices.IndexFunc(cs.list, func(c agent.ToolCall) bool { return c.ID == id })
}

func (cs *calls) any(s agent.CallState) bool {
	return slices.ContainsFunc(cs.list, func(c agent.ToolCall) bool { return c.State == s })
}

// duplicateInAnswer reports whether the same call is earlier in the same answer, where
// the guards have judged it already, and whether they paused it.
func (cs *calls) duplicateInAnswer(c agent.ToolCall, e *agent.Change) (exists, blocked bool) {
	for _, d := range cs.list {
		if d.Step != c.Step || d.Index >= c.Index || d.Name != c.Name || d.ArgsHash != c.ArgsHash {
			continue
		}
		now := slices.ContainsFunc(e.Calls, func(ch agent.CallChange) bool { return ch.Call.ID == d.ID && ch.Call.Blocked })
		return true, now || d.Blocked
	}
	return false, false
}
