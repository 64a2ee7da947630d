package history

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
)

// lostResult replaces the missing result of a call. It must not claim
// anything: it is unknown whether the call ran.
const lostResult = "result unavailable; do not assume it ran; retry only if safe"

// maxToolName is the longest name of a function that endpoints accept.
const maxToolName = 64

// repairer repairs the histories of a run. What it has repaired before it does
// not look at again.
type repairer struct {
	in      []agent.Message
	sound   int             // so many of the first need no repair
	out     []agent.Message // of the others
	used    []bool          // results that have found their call
	ids     map[string]bool // given out so far
	raw     map[string]bool // standing anywhere in the input
	made    map[string]bool // given out in the place of others
	lost    map[string]bool // of calls whose result may still come
	calls   int             // in the input
	repairs int
	marks   []mark
}

// mark is the length of the output after a message of the input.
type mark struct{ out, repairs int }

func newRepairer() *repairer {
	return &repairer{ids: map[string]bool{}, raw: map[string]bool{}, made: map[string]bool{}, lost: map[string]bool{}}
}

// repair returns the history as every endpoint accepts it, and how much had to
// be repaired: each result directly follows its call, one each, ids are unique,
// arguments are JSON objects, no assistant message is empty. Arguments that were none are told
// in the call's result. It never fails, always gives the same for the same, changes nothing
// the second time and leaves a sound history as it is.
func (r *repairer) repair(history []agent.Message) ([]agent.Message, int) {
	from := inCommon(r.in, history)
	if r.beginsAgain(from, history) {
		*r, from = *newRepairer(), 0
	}
	r.goBack(from)
	for _, m := range history[len(r.used):] {
		r.used = append(r.used, false)
		r.calls += len(m.ToolCalls)
		for _, c := range m.ToolCalls {
			r.raw[c.ID] = true
		}
	}
	r.in = history
	r.out = slices.Grow(r.out, len(history)-from)
	for i := range history[from:] {
		r.message(from + i)
		r.marks = append(r.marks, mark{r.sound + len(r.out), r.repairs})
	}
	return r.output(), r.repairs
}

// output returns the repaired history, which is the input itself if nothing needed repair.
func (r *repairer) output() []agent.Message {
	switch {
	case r.repairs == 0:
		r.sound, r.out = len(r.in), nil
		return r.in
	case r.sound > 0:
		r.sound, r.out = 0, append(slices.Clone(r.in[:r.sound]), r.out...)
	}
	return r.out
}

// beginsAgain reports whether a history calls for another repair of what it has
// in common with the one before: that is not so where it goes on after it.
func (r *repairer) beginsAgain(from int, history []agent.Message) bool {
	for _, m := range r.in[from:] {
		if m.Role == agent.FromTool || len(m.ToolCalls) > 0 {
			return true
		}
	}
	for _, m := range history[from:] {
		if m.Role == agent.FromTool && r.lost[m.ToolCallID] {
			return true
		}
		for _, c := range m.ToolCalls {
			if r.made[c.ID] {
				return true
			}
		}
	}
	return false
}

// goBack drops the messages from a position on; they were texts. Slices that output
// returned before stay valid.
func (r *repairer) goBack(to int) {
	if to == len(r.in) {
		return
	}
	r.marks, r.used = r.marks[:to], r.used[:to]
	last := mark{}
	if to > 0 {
		last = r.marks[to-1]
	}
	if r.repairs == 0 {
		r.sound = to
		return
	}
	r.out, r.repairs = r.out[:last.out:last.out], last.repairs
}

func (r *repairer) message(i int) {
	m := r.in[i]
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

// assistant writes a message with calls and the results of these, in the order
// in which they appear, lost ones last.
func (r *repairer) assistant(i int) {
	m := r.in[i]
	calls := make([]agent.CallRequest, len(m.ToolCalls))
	answers := make(map[int]int, len(calls)) // position of a result -> its call's
	last := i
	var lost []agent.Message
	for k, c := range m.ToolCalls {
		at := r.result(i, c.ID)
		calls[k] = r.call(c)
		if at < 0 {
			lost = append(lost, agent.Message{Role: agent.FromTool, ToolCallID: calls[k].ID, Content: lostResult + mistake(c, calls[k])})
			continue
		}
		r.used[at], answers[at] = true, k
		last = max(last, at)
	}
	asked := m.ToolCalls
	m.ToolCalls = calls
	r.out = append(r.out, m)
	for at := i + 1; at <= last; at++ {
		if k, ok := answers[at]; ok {
			result := r.in[at]
			result.ToolCallID = calls[k].ID
			result.Content += mistake(asked[k], calls[k])
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
	r.lost[id] = true
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
	r.made[fixed.ID] = r.made[fixed.ID] || fixed.ID != c.ID
	if fixed != c {
		r.repairs++
	}
	return fixed
}

// maxMistake bounds how much is told of arguments, in bytes.
const maxMistake = 4000

// mistake tells the model the arguments that it wrote where a JSON object had to take
// their place, so that it sees what was wrong with them; "" where there were none.
func mistake(wrote, sent agent.CallRequest) string {
	args := strings.TrimSpace(wrote.Arguments)
	if sent.Arguments != noArguments || args == "" || args == "null" || args == `""` || args == noArguments {
		return ""
	}
	if len(args) > maxMistake {
		args = strings.ToValidUTF8(args[:maxMistake/2], "") + " […] " + strings.ToValidUTF8(args[len(args)-maxMistake/2:], "")
	}
	return "\n[The arguments of this call were no JSON object. You wrote: " + args + "]"
}

// soundArguments leaves a JSON object byte for byte alone. Anything else the model is
// told of in the result.
func soundArguments(args string) string {
	if t := strings.TrimSpace(args); strings.HasPrefix(t, "{") && json.Valid([]byte(args)) {
		return args
	}
	var inner string
	if json.Unmarshal([]byte(args), &inner) == nil && strings.HasPrefix(strings.TrimSpace(inner), "{") && json.Valid([]byte(inner)) {
		return inner // JSON in a JSON string
	}
	return noArguments
}

// noArguments takes the place of what is no JSON object.
const noArguments = "{}"

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

// Flatten tells calls and results as plain text. It is the last resort for an
// endpoint that refuses a history that is sound: no rule about calls can be
// broken where there are none.
func Flatten(history []agent.Message) []agent.Message {
	names := make(map[string]string)
	out := make([]agent.Message, 0, len(history))
	for _, m := range history {
		switch {
		case m.Role == agent.FromTool:
			out = append(out, agent.Message{Role: agent.FromUser, Content: "[Result of " + names[m.ToolCallID] + "]\n" + m.Content})
		case len(m.ToolCalls) > 0:
			lines := []string{m.Content}
			for _, c := range m.ToolCalls {
				names[c.ID] = c.Name
				lines = append(lines, "[Called "+c.Name+" with "+c.Arguments+"]")
			}
			out = append(out, agent.Message{Role: agent.FromAssistant, Content: strings.TrimSpace(strings.Join(lines, "\n"))})
		default:
			out = append(out, m)
		}
	}
	return out
}
