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
	raw, err := json.Marshal(e.style.message(m, open))
	if err != nil {
		return err
	}
	// An answer is missing before a person's message where the run of the one before has
	// failed, or where the template wants one behind a result.
	if from > 0 && m.Role == agent.FromUser && (sameSide(messages, from) || e.style.Alternate && messages[from-1].Role == agent.FromTool) {
		e.raw = append(e.raw, between...)
	}
	e.raw = append(append(e.raw, ','), raw...)
	for range to - from {
		e.ends = append(e.ends, len(e.raw))
	}
	return nil
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

func (s Style) message(m agent.Message, open OpenImage) any {
	switch {
	case m.Role == agent.FromAssistant:
		return s.assistant(m)
	case m.Role == agent.FromUser && len(m.Images) > 0:
		return open.illustrated(m)
	case strings.TrimSpace(m.Content) == "":
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
	signed := made
	if made.SignedBy == "" || made.SignedBy != s.Signer {
		signed = Signatures{} // another endpoint or model made them
	}
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
		if s.Signed && i == 0 && sent.Extra == nil {
			sent.Extra = skipSignature
		}
		out.ToolCalls = append(out.ToolCalls, sent)
	}
	return out
}

// What stands in the place of an empty text, of a missing text beside calls, and of a
// missing answer.
const (
	nothing    = "(empty)"
	callsAlone = "Calling tools."
	between    = `,{"role":"assistant","content":"Noted."}`
)

// joinsAt reports whether the message at a position is sent as one with the one before
// it: many templates refuse two of one side in a row. A message with calls stays apart
// from what follows it, and one that a person wrote from what stands before it.
func joinsAt(messages []agent.Message, at int) bool {
	if !sameSide(messages, at) {
		return false
	}
	return messages[at].Role == agent.FromAssistant || !written(&messages[at])
}

// sameSide reports whether a message and the one before it are texts of one side.
func sameSide(messages []agent.Message, at int) bool {
	if at < 1 || at >= len(messages) {
		return false
	}
	before, m := &messages[at-1], &messages[at]
	return m.Role == before.Role && m.Role != agent.FromTool && len(before.ToolCalls) == 0
}

// written reports whether a person wrote a message for a run to answer. Reminders are of
// one request, and what was typed on a card belongs to what stands before it.
func written(m *agent.Message) bool { return m.ID != "" && m.SaidBy == "" }

// joined is two messages of one side as one.
func joined(a, b agent.Message) agent.Message {
	switch {
	case strings.TrimSpace(a.Content) == "":
	case strings.TrimSpace(b.Content) == "":
		b.Content = a.Content
	default:
		b.Content = a.Content + "\n\n" + b.Content
	}
	if b.Data == nil {
		b.Data = a.Data
	}
	if len(a.Images) > 0 {
		b.RunID, b.Images = a.RunID, a.Images
	}
	return b
}

// Signatures is what a message takes along for later requests to where it was
// made: agent.Message.Data.
type Signatures struct {
	// From is the endpoint and its family: where reasoning may go back to.
	From string `json:"from"`
	// SignedBy is the endpoint and the model: where signatures may go back to.
	SignedBy string `json:"signedBy,omitempty"`
	// Calls are the extra contents of the calls, by their position, Message is
	// that of the message itself.
	Calls   map[int]json.RawMessage `json:"signatures,omitempty"`
	Message json.RawMessage         `json:"message,omitempty"`
}

// ReadSignatures reads a message's data; data that does not decode is none.
func ReadSignatures(data json.RawMessage) Signatures {
	var c Signatures
	if len(data) > 0 && json.Unmarshal(data, &c) != nil {
		return Signatures{}
	}
	return c
}

// Encode writes what is to be carried; nil where there is nothing to go back.
func (c Signatures) Encode(reasoning string) json.RawMessage {
	if reasoning == "" && len(c.Calls) == 0 && len(c.Message) == 0 {
		return nil
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return nil // a signature that is not JSON is lost; the endpoint says so
	}
	return raw
}

// skipSignature is documented to stand for the signature of a call that the
// endpoint has not made itself.
var skipSignature = json.RawMessage(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`)
