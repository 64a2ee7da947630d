package history

import (
	"encoding/json"
	"strings"

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
	// Alternate puts an answer between a result and what a person says behind it, and
	// Filled a text beside calls: strict templates want both.
	Alternate, Filled bool
}

// encodedHistory is messages as they are sent, the sides of which take turns. Bytes
// that were given out are not written over: a transport may still read them when its
// request is over.
type encodedHistory struct {
	style    Style
	messages []agent.Message
	raw      []byte
	ends     []int
}

// encode encodes messages, of which only those are looked at that were not encoded before.
func (e *encodedHistory) encode(messages []agent.Message, open OpenImage) ([]byte, error) {
	n := inCommon(e.messages, messages)
	for joinsAt(e.messages, n) || joinsAt(messages, n) {
		n-- // to the first of those that are sent as one
	}
	if n < len(e.messages) {
		e.goBack(n)
	}
	for from := n; from < len(messages); from = len(e.ends) {
		if err := e.add(messages, from, open); err != nil {
			e.goBack(0)
			return nil, err
		}
	}
	e.messages = messages
	return e.raw, nil
}

// add encodes the message at a position, and those that are sent as one with it.
func (e *encodedHistory) add(messages []agent.Message, from int, open OpenImage) error {
	m, to := messages[from], from+1
	for ; joinsAt(messages, to); to++ {
		m = joined(m, messages[to])
	}
	raw, err := json.Marshal(e.sent(m, open))
	if err != nil {
		return err
	}
	if e.style.lacksAnswer(messages, from) {
		e.raw = append(e.raw, between...)
	}
	e.raw = append(append(e.raw, ','), raw...)
	for range to - from {
		e.ends = append(e.ends, len(e.raw))
	}
	return nil
}

// sent is a message as the protocol has it.
func (e *encodedHistory) sent(m agent.Message, open OpenImage) any {
	if m.Role == agent.FromUser && len(m.Images) > 0 {
		return open.illustrated(m)
	}
	return e.style.message(m)
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
	if m.Role == agent.FromAssistant {
		return s.assistant(m)
	}
	if strings.TrimSpace(m.Content) == "" {
		m.Content = nothing
	}
	if m.Role == agent.FromTool {
		return Message{Role: "tool", Content: &m.Content, ToolCallID: &m.ToolCallID}
	}
	return Message{Role: "user", Content: &m.Content}
}

// assistant sends content null with calls, as the model itself did: some
// servers want the key, others refuse an empty text.
func (s Style) assistant(m agent.Message) Message {
	out := Message{Role: "assistant"}
	if s.Filled && strings.TrimSpace(m.Content) == "" {
		m.Content = callsAlone
	}
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
