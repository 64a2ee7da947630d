// Package wire has the messages of the chat-completions protocol as they are
// written in JSON: what requests and answers of the demo model are made of.
//
// It imports the standard library only.
package wire

import (
	"encoding/json"
	"errors"
	"strings"
)

// BadJSON begins the refusal of a body that is not a request.
const BadJSON = "We could not parse the JSON body of your request: "

// Tool is a tool that a request offers.
type Tool struct {
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// Message is one message of a conversation.
type Message struct {
	Role             string  `json:"role"`
	Content          Content `json:"content"`
	ReasoningContent string  `json:"reasoning_content,omitempty"`
	ToolCalls        []Call  `json:"tool_calls,omitempty"`
	ToolCallID       string  `json:"tool_call_id,omitempty"`
}

// Call is a tool call of an answer, or in a stream a piece of one.
type Call struct {
	Index    *int     `json:"index,omitempty"` // in streams only
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function Function `json:"function"`
}

// Function is which tool a call names, and its arguments as JSON text.
type Function struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// Content is a string, null or a list of text parts.
type Content string

// UnmarshalJSON accepts every form that the API documents.
func (c *Content) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err == nil {
		*c = Content(s)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return errors.New("content must be a string, null or a list of parts")
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	*c = Content(b.String())
	return nil
}

// MarshalJSON writes missing text as null, as the API does for tool calls.
func (c Content) MarshalJSON() ([]byte, error) {
	if c == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(c))
}
