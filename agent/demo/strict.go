package demo

import (
	"encoding/json"
	"fmt"
	"slices"
)

// history is a request as the strict checks see it: as it was sent, with the
// keys that rules of answering have no use for.
type history struct {
	Messages       []pastMessage   `json:"messages"`
	Stream         bool            `json:"stream"`
	ToolChoice     json.RawMessage `json:"tool_choice"`
	EnableThinking bool            `json:"enable_thinking"`

	// recall finds what the demo model sent with a call of its own.
	recall func(id string) (sent, bool)
}

// pastMessage keeps keys raw whose mere presence matters.
type pastMessage struct {
	Role             string          `json:"role"`
	Content          content         `json:"content"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ExtraContent     json.RawMessage `json:"extra_content"`
	ToolCalls        []pastCall      `json:"tool_calls"`
	ToolCallID       string          `json:"tool_call_id"`
}

type pastCall struct {
	ID           string          `json:"id"`
	Function     wireFunction    `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

// check is one rule of a strict provider. Its error names the message and the
// rule.
type check func(h history) error

// with adds a family's own checks to those that all have.
func with(own ...check) []check {
	return slices.Concat([]check{noLeadingResult, resultsFollow, uniqueIDs, namedCalls, objectArguments, noEmptyAnswer}, own)
}

// strict checks a request against all checks of a family.
func strict(f family, body []byte, m *memory) error {
	if len(f.checks) == 0 {
		return nil
	}
	h := history{recall: func(id string) (sent, bool) { return m.recall(f.name, id) }}
	if err := json.Unmarshal(body, &h); err != nil {
		return fmt.Errorf(badJSON+"%w", err)
	}
	for _, c := range f.checks {
		if err := c(h); err != nil {
			return err
		}
	}
	return nil
}

// broken says which rule a message breaks, and how.
func broken(message int, rule, how string, args ...any) error {
	return fmt.Errorf("messages[%d]: %s (rule %s)", message, fmt.Sprintf(how, args...), rule)
}
