package history

import (
	"encoding/json"

	"fusebox/agent"
)

// Style is how messages are written: whether reasoning and signatures go back,
// and to where.
type Style struct {
	Reasoning bool
	From      string // whose reasoning goes back
	// Signer is whose signatures go back, "" for no one's. Signed fills in what
	// the endpoint wants to see where another one made the call.
	Signer string
	Signed bool
}

// encodedHistory is messages as they are sent. Bytes that were given out are not
// written over: a transport may still read them when its request is over.
type encodedHistory struct {
	style    Style
	messages []agent.Message
	raw      []byte
	ends     []int
}

// encode encodes messages, of which only those are looked at that were not encoded before.
func (e *encodedHistory) encode(messages []agent.Message) ([]byte, error) {
	if n := inCommon(e.messages, messages); n < len(e.messages) {
		e.goBack(n)
	}
	for _, m := range messages[len(e.ends):] {
		raw, err := json.Marshal(e.style.message(m))
		if err != nil {
			e.goBack(0)
			return nil, err
		}
		e.raw = append(append(e.raw, ','), raw...)
		e.ends = append(e.ends, len(e.raw))
	}
	e.messages = messages
	return e.raw, nil
}

func (e *encodedHistory) goBack(to int) {
	end := 0
	if to > 0 {
		end = e.ends[to-1]
	}
	e.messages, e.raw, e.ends = e.messages[:to], e.raw[:end:end], e.ends[:to]
}

// Message is a message as the protocol has it.
type Message struct {
	Role       string  `json:"role"`
	Content    *string `json:"content"`
	Reasoning  *string `json:"reasoning_content,omitempty"`
	ToolCalls  []call  `json:"tool_calls,omitempty"`
	ToolCallID *string `json:"tool_call_id,omitempty"`
	// Extra is what came with the message, such as a signature of its thoughts.
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

type call struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function function        `json:"function"`
	Extra    json.RawMessage `json:"extra_content,omitempty"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func (s Style) message(m agent.Message) Message {
	switch m.Role {
	case agent.FromAssistant:
		return s.assistant(m)
	case agent.FromTool:
		return Message{Role: "tool", Content: &m.Content, ToolCallID: &m.ToolCallID}
	default:
		return Message{Role: "user", Content: &m.Content}
	}
}

// assistant sends content null with calls, as the model itself did: some
// servers want the key, others refuse an empty text.
func (s Style) assistant(m agent.Message) Message {
	out := Message{Role: "assistant"}
	if m.Content != "" {
		out.Content = &m.Content
	}
	made := ReadSignatures(m.Data)
	signed := made.by(s.Signer)
	out.Extra = signed.Message
	if made.From != s.From {
		m.Reasoning = ""
	}
	if s.Reasoning && len(m.ToolCalls) > 0 {
		out.Reasoning = &m.Reasoning
	}
	for i, c := range m.ToolCalls {
		sent := call{ID: c.ID, Type: "function", Function: function{c.Name, c.Arguments}}
		sent.Extra = signed.Calls[i]
		if s.Signed && i == 0 {
			sent.Extra = orSkip(sent.Extra)
		}
		out.ToolCalls = append(out.ToolCalls, sent)
	}
	return out
}
