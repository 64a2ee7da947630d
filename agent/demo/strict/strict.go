// Package strict has the rules by which providers refuse requests: those about
// tool calls that all share (strict.go), and those of single families
// (family.go), some of which want back what was sent with a call (memory.go).
//
// It knows nothing of how the demo model answers.
package strict

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"

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

func noLeadingResult(r Request) error {
	for i, m := range r.Messages {
		switch m.Role {
		case "system", "developer":
		case "tool":
			return broken(i, "leading-result", "a message with role 'tool' cannot be the first of a conversation")
		default:
			return nil
		}
	}
	return nil
}

// resultsFollow: directly after the calls of an answer there is one result for
// each, in any order, and no other result anywhere.
func resultsFollow(r Request) error {
	open, asked := map[string]bool{}, 0
	for i, m := range r.Messages {
		if m.Role == "tool" {
			if !open[m.ToolCallID] {
				return broken(i, "orphan-result", "a message with role 'tool' must be a response to a preceding message with 'tool_calls'; %q is none of its calls, or was answered", m.ToolCallID)
			}
			delete(open, m.ToolCallID)
			continue
		}
		if len(open) > 0 {
			return unanswered(asked, len(open))
		}
		asked = i
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		return unanswered(asked, len(open))
	}
	return nil
}

func unanswered(message, n int) error {
	return broken(message, "results-follow-calls", "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'; %d did not have response messages", n)
}

func uniqueIDs(r Request) error {
	seen := map[string]bool{}
	for i, m := range r.Messages {
		for _, c := range m.ToolCalls {
			if c.ID == "" || seen[c.ID] {
				return broken(i, "unique-ids", "the id %q of a tool call is empty or taken", c.ID)
			}
			seen[c.ID] = true
		}
	}
	return nil
}

var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) })

func namedCalls(r Request) error {
	for i, m := range r.Messages {
		for _, c := range m.ToolCalls {
			if !toolName().MatchString(c.Function.Name) {
				return broken(i, "tool-names", "the name %q of a tool call does not match %s", c.Function.Name, toolName())
			}
		}
	}
	return nil
}

func objectArguments(r Request) error {
	for i, m := range r.Messages {
		for _, c := range m.ToolCalls {
			var args map[string]json.RawMessage
			if json.Unmarshal([]byte(c.Function.Arguments), &args) != nil || args == nil {
				return broken(i, "object-arguments", "the arguments of the tool call %q are not a JSON object", c.ID)
			}
		}
	}
	return nil
}

func noEmptyAnswer(r Request) error {
	for i, m := range r.Messages {
		if m.Role == "assistant" && m.Content == "" && len(m.ToolCalls) == 0 {
			return broken(i, "empty-answer", "an assistant message must have content or tool_calls")
		}
	}
	return nil
}
