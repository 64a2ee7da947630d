package provider

import (
	"encoding/json"

	"fusebox/agent"
)

// style is how messages are written: whether reasoning and signatures go back,
// and to where.
type style struct {
	reasoning bool
	from      string // whose reasoning goes back
	// signer is whose signatures go back, "" for no one's. signed fills in what
	// the endpoint wants to see where another one made the call.
	signer string
	signed bool
}

// encodedHistory is messages as they are sent. Bytes that were given out are not
// written over: a transport may still read them when its request is over.
type encodedHistory struct {
	style    style
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

// wireMessage is a message as the protocol has it.
type wireMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"`
	Reasoning  *string    `json:"reasoning_content,omitempty"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID *string    `json:"tool_call_id,omitempty"`
	// Extra is what came with the message, such as a signature of its thoughts.
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

type wireCall struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function wireFunction    `json:"function"`
	Extra    json.RawMessage `json:"extra_content,omitempty"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func (s style) message(m agent.Message) wireMessage {
	switch m.Role {
	case agent.FromAssistant:
		return s.assistant(m)
	case agent.FromTool:
		return wireMessage{Role: "tool", Content: &m.Content, ToolCallID: &m.ToolCallID}
	default:
		return wireMessage{Role: "user", Content: &m.Content}
	}
}

// assistant sends content null with calls, as the model itself did: some
// servers want the key, others refuse an empty text.
func (s style) assistant(m agent.Message) wireMessage {
	out := wireMessage{Role: "assistant"}
	if m.Content != "" {
		out.Content = &m.Content
	}
	made := readSignatures(m.Data)
	signed := made.by(s.signer)
	out.Extra = signed.Message
	if made.From != s.from {
		m.Reasoning = ""
	}
	if s.reasoning && len(m.ToolCalls) > 0 {
		out.Reasoning = &m.Reasoning
	}
	for i, c := range m.ToolCalls {
		call := wireCall{ID: c.ID, Type: "function", Function: wireFunction{c.Name, c.Arguments}}
		call.Extra = signed.signature(i)
		if s.signed && i == 0 {
			call.Extra = orSkip(call.Extra)
		}
		out.ToolCalls = append(out.ToolCalls, call)
	}
	return out
}
