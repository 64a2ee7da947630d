package workflow

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"fusebox/agent"
)

// How long the inputs of a step are at most, in bytes: texts, and values beside them.
const (
	maxTexts  = 32 << 10
	maxValues = 8 << 10
)

// handed is what a step has handed back, as another one gets it.
type handed struct {
	Answer string `json:"answer"`
	// More says how to read on where Answer is only the beginning.
	More    string                     `json:"more,omitempty"`
	Values  map[string]json.RawMessage `json:"values,omitempty"`
	Missing string                     `json:"missing,omitempty"`

	run string // that can be read, "" for none
}

// post is what an agent has added to a board.
type post struct {
	Round int    `json:"round"`
	Step  string `json:"step"`
	handed
}

func handedOf(r *result) *handed {
	h := &handed{Answer: r.Answer, Values: r.Values, Missing: r.without, run: r.RunID}
	if r.earlier {
		h.run = ""
	}
	return h
}

// inputs are those of a step: the person's message, what they have filled in, and what the
// steps that it needs have handed back. Those in more come on top.
func (p *planner) inputs(at int, more map[string]any) map[string]any {
	return p.inputsOf(p.Workflow.Needs(at), more)
}

func (p *planner) inputsOf(steps []int, more map[string]any) map[string]any {
	in := map[string]any{}
	for name, value := range p.Inputs {
		in[name] = value
	}
	maps.Copy(in, more)
	var all []*handed
	if p.Message != "" {
		message := &handed{Answer: p.Message}
		all = append(all, message)
		defer func() { in["message"] = message.whole() }()
	}
	boarded := false
	for _, at := range steps {
		r := p.results[at]
		if r == nil {
			continue // it needs none of its own form
		}
		h := handedOf(r)
		all, in[p.Workflow.StepName(at)] = append(all, h), h
		boarded = boarded || p.board != nil && slices.Contains(p.Workflow.First(), at)
	}
	if boarded {
		in["board"] = slices.Clone(p.board)
	}
	for name, value := range in {
		switch v := value.(type) {
		case []*post:
			posts := make([]*post, len(v))
			for i := range v {
				copied := *v[i]
				posts[i] = &copied
				all = append(all, &posts[i].handed)
			}
			in[name] = posts
		case *handed:
			if !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	fit(all)
	return in
}

// whole is a text of a person's, which cannot be read on.
func (h *handed) whole() string {
	if h.More != "" {
		return h.Answer + "\n[" + h.More + "]"
	}
	return h.Answer
}

// fit shortens texts until all of them fit: the longest first, all to the same length. Values
// that are too long are left out.
func fit(all []*handed) {
	lengths := make([]int, len(all))
	for i, h := range all {
		lengths[i] = len(h.Answer)
	}
	slices.Sort(lengths)
	room, each := maxTexts, maxTexts
	for i, n := range lengths {
		each = room / (len(lengths) - i)
		if n > each {
			break
		}
		room -= n
		each = maxTexts
	}
	values := maxValues
	for _, h := range all {
		if whole := h.Answer; len(whole) > each {
			h.Answer = agent.ClipBytes(whole, each)
			h.More = fmt.Sprintf("This has %d characters, these are the first %d", utf8.RuneCountInString(whole), utf8.RuneCountInString(h.Answer))
			if h.run != "" {
				h.More += ": read on by part with " + agent.ReadResultTool + " and runId " + h.run
			}
			h.More += "."
		}
		if n := len(agent.MustJSON(h.Values)); len(h.Values) > 0 && n > values {
			names := slices.Sorted(maps.Keys(h.Values))
			h.Values = nil
			h.More += fmt.Sprintf("Its values are too long to be shown here: %q.", names)
			if h.run != "" {
				h.More += " Read each with " + agent.ReadResultTool + ", runId " + h.run + ", and its name as value."
			}
		} else {
			values -= n
		}
	}
}
