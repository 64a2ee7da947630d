package strict

import (
	"encoding/json"
	"regexp"
)

// noLeadingResult: a conversation does not begin with a result.
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

// uniqueIDs: every call has an id that no other call of the request has.
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

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// namedCalls: every call names a tool.
func namedCalls(r Request) error {
	for i, m := range r.Messages {
		for _, c := range m.ToolCalls {
			if !toolName.MatchString(c.Function.Name) {
				return broken(i, "tool-names", "the name %q of a tool call does not match %s", c.Function.Name, toolName)
			}
		}
	}
	return nil
}

// objectArguments: the arguments of every call are the JSON text of an object.
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

// noEmptyAnswer: an answer says something or calls something.
func noEmptyAnswer(r Request) error {
	for i, m := range r.Messages {
		if m.Role == "assistant" && m.Content == "" && len(m.ToolCalls) == 0 {
			return broken(i, "empty-answer", "an assistant message must have content or tool_calls")
		}
	}
	return nil
}
