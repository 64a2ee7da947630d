package strict

import (
	"encoding/json"
	"fmt"
	"slices"

	"fusebox/agent/demo/wire"
)

// Request is a request as the rules see it: as it was sent, with the keys that
// answering has no use for.
type Request struct {
	Messages       []message       `json:"messages"`
	Stream         bool            `json:"stream"`
	ToolChoice     json.RawMessage `json:"tool_choice"`
	EnableThinking bool            `json:"enable_thinking"`

	// recall finds what the demo model sent with a call of its own.
	recall func(id string) (sent, bool)
}

// message keeps keys raw whose mere presence matters.
type message struct {
	Role             string          `json:"role"`
	Content          wire.Content    `json:"content"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ExtraContent     json.RawMessage `json:"extra_content"`
	ToolCalls        []call          `json:"tool_calls"`
	ToolCallID       string          `json:"tool_call_id"`
}

type call struct {
	ID           string          `json:"id"`
	Function     wire.Function   `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

// Rule is one rule of a strict provider. Its error names the message and the
// rule.
type Rule func(Request) error

// Rules are what a provider asks of requests; without any it takes what it gets.
type Rules []Rule

// With adds a family's own rules to those that all have.
func With(own ...Rule) Rules {
	return slices.Concat(Rules{noLeadingResult, resultsFollow, uniqueIDs, namedCalls, objectArguments, noEmptyAnswer}, own)
}

// Check holds the body of a request to a family against all of its rules. Its
// error is the reason of the refusal.
func (rules Rules) Check(body []byte, family string, m *Memory) error {
	if len(rules) == 0 {
		return nil
	}
	r := Request{recall: func(id string) (sent, bool) { return m.recall(family, id) }}
	if err := json.Unmarshal(body, &r); err != nil {
		return fmt.Errorf(wire.BadJSON+"%w", err)
	}
	for _, rule := range rules {
		if err := rule(r); err != nil {
			return err
		}
	}
	return nil
}

// broken says which rule a message breaks, and how.
func broken(message int, rule, how string, args ...any) error {
	return fmt.Errorf("messages[%d]: %s (rule %s)", message, fmt.Sprintf(how, args...), rule)
}
