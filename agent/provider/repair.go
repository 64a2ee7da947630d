package provider

import (
	"encoding/json"
	"strconv"
	"strings"

	"fusebox/agent"
)

// lostResult replaces the missing result of a call. It must not claim
// anything: it is unknown whether the call ran.
const lostResult = "result unavailable; do not assume it ran; retry only if safe"

// maxToolName is what endpoints accept.
const maxToolName = 64

// repair returns the history as every endpoint accepts it, and how much had to
// be repaired: each result directly follows its call, one each, ids are unique,
// arguments are JSON objects, no assistant message is empty. It never fails,
// always gives the same for the same, changes nothing the second time and
// leaves a sound history as it is.
func repair(history []agent.Message) ([]agent.Message, int) {
	r := repairer{in: history, used: make([]bool, len(history)), ids: make(map[string]bool), raw: make(map[string]bool)}
	for _, m := range history {
		for _, c := range m.ToolCalls {
			r.raw[c.ID] = true
		}
	}
	for i, m := range history {
		switch {
		case m.Role == agent.FromTool:
			if !r.used[i] {
				r.repairs++ // a result without a call, or a second one
			}
		case m.Role == agent.FromAssistant && len(m.ToolCalls) > 0:
			r.assistant(i)
		case m.Role == agent.FromAssistant && strings.TrimSpace(m.Content) == "":
			r.repairs++
		default:
			r.out = append(r.out, m)
		}
	}
	return r.out, r.repairs
}

type repairer struct {
	in, out []agent.Message
	used    []bool          // results that have found their call
	ids     map[string]bool // given out so far
	raw     map[string]bool // standing anywhere in the input
	repairs int
}

// assistant writes a message with calls and the results of these, in the order
// in which they appear, lost ones last.
func (r *repairer) assistant(i int) {
	m := r.in[i]
	calls := make([]agent.CallRequest, len(m.ToolCalls))
	answers := make(map[int]string, len(calls)) // position of a result -> id of its call
	last := i
	var lost []agent.Message
	for k, c := range m.ToolCalls {
		at := r.result(i, c.ID)
		calls[k] = r.call(c)
		if at < 0 {
			lost = append(lost, agent.Message{Role: agent.FromTool, ToolCallID: calls[k].ID, Content: lostResult})
			continue
		}
		r.used[at], answers[at] = true, calls[k].ID
		last = max(last, at)
	}
	m.ToolCalls = calls
	r.out = append(r.out, m)
	for at := i + 1; at <= last; at++ {
		if id, ok := answers[at]; ok {
			result := r.in[at]
			result.ToolCallID = id
			r.out = append(r.out, result)
		}
	}
	r.out = append(r.out, lost...)
	r.repairs += len(lost)
	if last-i > len(answers) {
		r.repairs++ // something stood between the call and its results
	}
}

// result finds the first free result of a call, before another message uses
// the same id: ids may come back in every turn.
func (r *repairer) result(i int, id string) int {
	for at := i + 1; at < len(r.in); at++ {
		m := r.in[at]
		if m.Role == agent.FromTool && m.ToolCallID == id && !r.used[at] {
			return at
		}
		for _, c := range m.ToolCalls {
			if c.ID == id {
				return -1
			}
		}
	}
	return -1
}

func (r *repairer) call(c agent.CallRequest) agent.CallRequest {
	fixed := agent.CallRequest{ID: c.ID, Name: soundName(c.Name), Arguments: soundArguments(c.Arguments)}
	for n := 2; fixed.ID == "" || r.ids[fixed.ID]; n++ {
		if id := c.ID + "_" + strconv.Itoa(n); c.ID != "" && !r.raw[id] {
			fixed.ID = id
		} else if id := "call_r" + strconv.Itoa(n); c.ID == "" && !r.raw[id] {
			fixed.ID = id
		}
	}
	r.ids[fixed.ID] = true
	if fixed != c {
		r.repairs++
	}
	return fixed
}

// soundArguments leaves a JSON object byte for byte alone. Of anything else
// the model has already been told that it was not valid.
func soundArguments(args string) string {
	if t := strings.TrimSpace(args); strings.HasPrefix(t, "{") && json.Valid([]byte(args)) {
		return args
	}
	var inner string
	if json.Unmarshal([]byte(args), &inner) == nil && strings.HasPrefix(strings.TrimSpace(inner), "{") && json.Valid([]byte(inner)) {
		return inner // JSON in a JSON string
	}
	return "{}"
}

// soundName keeps what endpoints accept as the name of a function.
func soundName(name string) string {
	if name == "" {
		return "unknown"
	}
	name = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' {
			return c
		}
		return '_'
	}, name)
	return name[:min(len(name), maxToolName)]
}
