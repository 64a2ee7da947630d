package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Chunk is one piece of an answer, or a whole completion that came instead of
// a stream. Its types forgive what endpoints send in place of the documented
// ones.
type Chunk struct {
	ID      text            `json:"id"` // some change it in every piece
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	XGroq   *groqExtra      `json:"x_groq"`
	Error   json.RawMessage `json:"error"`
	Timings *timings        `json:"timings"`
	// PromptEval and Eval are the counts of Ollama's own protocol.
	PromptEval Count `json:"prompt_eval_count"`
	Eval       Count `json:"eval_count"`
}

// Failure is the error that a chunk tells, nil where it tells none.
func (c Chunk) Failure() error {
	if !isError(c.Error) {
		return nil
	}
	return bodyFailure([]byte(`{"error":` + string(c.Error) + `}`))
}

type groqExtra struct {
	Usage *usage `json:"usage"`
}

type choice struct {
	Index        int             `json:"index"`
	Delta        *Message        `json:"delta"`
	Message      *Message        `json:"message"` // in a whole completion
	FinishReason text            `json:"finish_reason"`
	Usage        *usage          `json:"usage"`
	Error        json.RawMessage `json:"error"`
}

// Message is what a choice says: a piece of it, or all.
type Message struct {
	Content          content           `json:"content"`
	Refusal          text              `json:"refusal"`
	ReasoningContent text              `json:"reasoning_content"`
	Reasoning        text              `json:"reasoning"`
	ReasoningDetails []reasoningDetail `json:"reasoning_details"`
	ToolCalls        []Fragment        `json:"tool_calls"`
	FunctionCall     *function         `json:"function_call"`
	ExtraContent     json.RawMessage   `json:"extra_content"`
}

type reasoningDetail struct {
	Text    text `json:"text"`
	Summary text `json:"summary"`
}

// Fragment is a piece of a tool call.
type Fragment struct {
	Index        *int            `json:"index"`
	ID           text            `json:"id"`
	Function     function        `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

type function struct {
	Name      text `json:"name"`
	Arguments text `json:"arguments"`
}

// text is a string that may also come as null, or as a JSON value where its
// text should be (arguments sent as an object).
type text string

// UnmarshalJSON never fails: what is not a string is kept unchanged.
func (t *text) UnmarshalJSON(raw []byte) error {
	s, isString := plainString(raw)
	switch {
	case isString:
		*t = text(s)
	case bytes.Equal(raw, []byte("null")):
	case json.Unmarshal(raw, &s) == nil:
		*t = text(s)
	default:
		*t = text(raw)
	}
	return nil
}

// plainString reads a JSON string without escapes, which most pieces of an
// answer are, at the cost of one copy.
func plainString(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 || !utf8.Valid(raw) {
		return "", false
	}
	return string(raw[1 : len(raw)-1]), true
}

// content is a message's text: a string, or a list of parts.
type content struct{ Text, reasoning string }

type part struct {
	Type     string  `json:"type"`
	Text     text    `json:"text"`
	Thinking content `json:"thinking"`
}

// UnmarshalJSON takes strings, null and lists of text and thinking parts;
// whatever else there is is not text.
func (c *content) UnmarshalJSON(raw []byte) error {
	if s, isString := plainString(raw); isString {
		c.Text = s
		return nil
	}
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &c.Text)
	}
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	var parts []part
	_ = json.Unmarshal(raw, &parts) // what is not a list leaves no parts
	var shown, thought strings.Builder
	for _, p := range parts {
		if p.Type == "thinking" {
			thought.WriteString(p.Thinking.Text)
			continue
		}
		shown.WriteString(string(p.Text))
	}
	c.Text, c.reasoning = shown.String(), thought.String()
	return nil
}
