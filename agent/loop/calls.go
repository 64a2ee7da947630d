package loop

import (
	"slices"

	"fusebox/agent"
)

// calls are the run's tool calls, in the order of steps and of each answer.
type calls struct {
	list  []agent.ToolCall
	ended int      // so many of the first have ended, and stay as they are
	named []string // the ids of so many of the first
	loads int      // how often they were read from a snapshot
}

// load takes over the calls of a snapshot.
func (cs *calls) load(list []agent.ToolCall) {
	cs.list, cs.ended, cs.named = list, 0, nil
	cs.loads++
	cs.skipEnded()
}

// adopt takes over what the journal has committed.
func (cs *calls) adopt(changes []agent.CallChange) {
	for _, c := range changes {
		if c.From == "" {
			cs.list = append(cs.list, c.Call)
		} else if i := cs.index(c.Call.ID); i >= 0 {
			cs.list[i] = c.Call
		}
	}
	cs.skipEnded()
}

func (cs *calls) skipEnded() {
	for cs.ended < len(cs.list) && cs.list[cs.ended].State.Ended() {
		cs.ended++
	}
}

// index returns the position of a call, or -1. It searches from the newest call,
// which is the usual one.
func (cs *calls) index(id string) int {
	for i := len(cs.list) - 1; i >= 0; i-- {
		if cs.list[i].ID == id {
			return i
		}
	}
	return -1
}

// open are the calls from the first one on that has not ended.
func (cs *calls) open() []agent.ToolCall { return cs.list[cs.ended:] }

// since are the calls from a step on.
func (cs *calls) since(step int) []agent.ToolCall {
	i := len(cs.list)
	for i > 0 && cs.list[i-1].Step >= step {
		i--
	}
	return cs.list[i:]
}

// ids are those of all calls. The list only grows.
func (cs *calls) ids() []string {
	for _, c := range cs.list[len(cs.named):] {
		cs.named = append(cs.named, c.ID)
	}
	return slices.Clip(cs.named)
}

// any reports whether a call is in a state in which it has not ended.
func (cs *calls) any(s agent.CallState) bool {
	return slices.ContainsFunc(cs.open(), func(c agent.ToolCall) bool { return c.State == s })
}

// twin is the first call of the same answer that is equal to c and is made for both, as it
// is after e; nil for none. Nothing lies between them that may change what they do.
func (cs *calls) twin(c agent.ToolCall, e agent.Change, readOnly func(agent.ToolCall) bool) (twin *agent.ToolCall) {
	for _, d := range slices.Backward(cs.list[:cs.index(c.ID)]) {
		equal := d.Name == c.Name && d.ArgsHash == c.ArgsHash
		if d.Step != c.Step || !equal && !readOnly(d) {
			return twin
		}
		if equal {
			first := after(e, d)
			twin = &first
		}
	}
	return twin
}

// after is a call as it is after a change.
func after(e agent.Change, c agent.ToolCall) agent.ToolCall {
	if i := slices.IndexFunc(e.Calls, func(ch agent.CallChange) bool { return ch.Call.ID == c.ID }); i >= 0 {
		return e.Calls[i].Call
	}
	return c
}

// of is the call with an id. It has to be one of the run's.
func (cs *calls) of(id string) agent.ToolCall { return cs.list[cs.index(id)] }
