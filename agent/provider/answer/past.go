package answer

import "fusebox/agent"

// Past is what an answer has to know of the calls before it: which ids they
// have taken, and how many they are.
type Past interface {
	Taken(id string) bool
	Calls() int
}

// past is the Past of one request.
type past struct {
	ids   map[string]bool
	calls int
}

func (p past) Taken(id string) bool { return p.ids[id] }
func (p past) Calls() int           { return p.calls }

func pastOf(req agent.Request, sent []agent.Message) past {
	p := past{ids: make(map[string]bool)}
	for _, id := range req.CallIDs {
		p.ids[id] = true
	}
	for _, history := range [][]agent.Message{req.Messages, sent} {
		n := 0
		for _, m := range history {
			for _, c := range m.ToolCalls {
				p.ids[c.ID] = true
				n++
			}
		}
		p.calls = max(p.calls, n)
	}
	return p
}
