package demo

import (
	"encoding/json"
	"errors"
)

// reasoningBack: every answer with calls comes with its reasoning, which may
// be empty where another model made it.
func reasoningBack(h history) error {
	const rule = "reasoning-back"
	for i, m := range h.Messages {
		if m.Role != "assistant" || len(m.ToolCalls) == 0 {
			continue
		}
		if m.ReasoningContent == nil {
			return broken(i, rule, "thinking is enabled but `reasoning_content` is missing in the assistant message with tool calls")
		}
		var text *string
		if json.Unmarshal(m.ReasoningContent, &text) != nil || text == nil {
			return broken(i, rule, "`reasoning_content` must be a string")
		}
		for _, c := range m.ToolCalls {
			if s, own := h.recall(c.ID); own && s.reasoning != *text {
				return broken(i, rule, "the `reasoning_content` in the thinking mode must be passed back as it was sent with the tool call %q", c.ID)
			}
		}
	}
	return nil
}

// noReasoning: reasoning is not accepted back.
func noReasoning(h history) error {
	for i, m := range h.Messages {
		if m.Role == "assistant" && (m.ReasoningContent != nil || m.Reasoning != nil) {
			return broken(i, "no-reasoning", "unknown field: `reasoning_content` and `reasoning` are not permitted in an assistant message")
		}
	}
	return nil
}

// dummySignature is the documented signature for calls that another model made.
const dummySignature = "skip_thought_signature_validator"

// signaturesBack: the first call of each answer comes with its signature, word
// for word, or with the dummy where another model made it.
func signaturesBack(h history) error {
	for i, m := range h.Messages {
		for j, c := range m.ToolCalls {
			got := c.signature()
			s, own := h.recall(c.ID)
			foreign := got == dummySignature || got == signature(c.ID) // the latter from before a restart
			if (own && got != s.signature) || (!own && j == 0 && !foreign) {
				return broken(i, "signatures-back", "the function call %q is missing its thought_signature, or has another one", c.ID)
			}
		}
	}
	return nil
}

// signature is the signature next to a call; "" for none.
func (c pastCall) signature() string {
	var extra struct {
		Google struct {
			Signature string `json:"thought_signature"`
		} `json:"google"`
	}
	if json.Unmarshal(c.ExtraContent, &extra) != nil {
		return ""
	}
	return extra.Google.Signature
}

// noExtra: what one family adds to its calls, the others do not know.
func noExtra(h history) error {
	const rule, how = "no-extra-content", "unknown field: `extra_content` is not permitted"
	for i, m := range h.Messages {
		if m.ExtraContent != nil {
			return broken(i, rule, how)
		}
		for _, c := range m.ToolCalls {
			if c.ExtraContent != nil {
				return broken(i, rule, how)
			}
		}
	}
	return nil
}

// freeChoice: a model that thinks is not forced to call a tool.
func freeChoice(h history) error {
	switch string(h.ToolChoice) {
	case "", "null", `"auto"`, `"none"`:
		return nil
	}
	return errors.New("The tool_choice parameter does not support being set to required or object in thinking mode (rule free-choice)")
}

// streamedThinking: thinking needs a stream.
func streamedThinking(h history) error {
	if h.EnableThinking && !h.Stream {
		return errors.New("parameter.enable_thinking must be set to false for non-streaming calls (rule streamed-thinking)")
	}
	return nil
}

// lastSpeaker: the model answers a person or a result, and nothing else.
func lastSpeaker(h history) error {
	last := len(h.Messages) - 1
	if last < 0 {
		return nil // refused for all models alike
	}
	switch role := h.Messages[last].Role; role {
	case "user", "tool":
		return nil
	default:
		return broken(last, "last-speaker", "Expected last role User or Tool for serving but got %s", role)
	}
}
