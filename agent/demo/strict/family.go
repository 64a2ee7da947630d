package strict

import (
	"encoding/json"
	"errors"
)

// ReasoningBack wants every answer with calls to come with its reasoning, which
// may be empty where another model made it.
func ReasoningBack(r Request) error {
	const rule = "reasoning-back"
	for i, m := range r.Messages {
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
			if s, own := r.recall(c.ID); own && s.reasoning != *text {
				return broken(i, rule, "the `reasoning_content` in the thinking mode must be passed back as it was sent with the tool call %q", c.ID)
			}
		}
	}
	return nil
}

// NoReasoning does not accept reasoning back.
func NoReasoning(r Request) error {
	for i, m := range r.Messages {
		if m.Role == "assistant" && (m.ReasoningContent != nil || m.Reasoning != nil) {
			return broken(i, "no-reasoning", "unknown field: `reasoning_content` and `reasoning` are not permitted in an assistant message")
		}
	}
	return nil
}

// DummySignature is the documented signature of calls that another model made.
const DummySignature = "skip_thought_signature_validator"

// SignaturesBack wants the first call of each answer to come with its signature,
// word for word, or with the dummy where another model made it.
func SignaturesBack(r Request) error {
	for i, m := range r.Messages {
		for j, c := range m.ToolCalls {
			got := c.signature()
			s, own := r.recall(c.ID)
			foreign := got == DummySignature || got == Signature(c.ID) // the latter from before a restart
			if (own && got != s.signature) || (!own && j == 0 && !foreign) {
				return broken(i, "signatures-back", "the function call %q is missing its thought_signature, or has another one", c.ID)
			}
		}
	}
	return nil
}

// signature is the signature next to a call; "" for none.
func (c call) signature() string {
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

// NoExtra refuses what another family adds to its calls.
func NoExtra(r Request) error {
	const rule, how = "no-extra-content", "unknown field: `extra_content` is not permitted"
	for i, m := range r.Messages {
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

// FreeChoice does not let a model that thinks be forced to call a tool.
func FreeChoice(r Request) error {
	switch string(r.ToolChoice) {
	case "", "null", `"auto"`, `"none"`:
		return nil
	}
	return errors.New("The tool_choice parameter does not support being set to required or object in thinking mode (rule free-choice)")
}

// StreamedThinking allows thinking in a stream only.
func StreamedThinking(r Request) error {
	if r.EnableThinking && !r.Stream {
		return errors.New("parameter.enable_thinking must be set to false for non-streaming calls (rule streamed-thinking)")
	}
	return nil
}

// LastSpeaker wants a person's message or a result at the end.
func LastSpeaker(r Request) error {
	last := len(r.Messages) - 1
	if last < 0 {
		return nil // refused for all models alike
	}
	switch role := r.Messages[last].Role; role {
	case "user", "tool":
		return nil
	default:
		return broken(last, "last-speaker", "Expected last role User or Tool for serving but got %s", role)
	}
}
