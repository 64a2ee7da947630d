package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"fusebox/agent/demo/wire"
)

// request is the part of a chat-completions request that the rules look at.
type request struct {
	Model               string         `json:"model"`
	Messages            []wire.Message `json:"messages"`
	Tools               []wire.Tool    `json:"tools"`
	Stream              bool           `json:"stream"`
	MaxTokens           int            `json:"max_tokens"`
	MaxCompletionTokens int            `json:"max_completion_tokens"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ResponseFormat responseFormat `json:"response_format"`
	ToolChoice     toolChoice     `json:"tool_choice"`
	Parallel       *bool          `json:"parallel_tool_calls"`
	N              *int           `json:"n"`
	Stop           stops          `json:"stop"`
}

// maxChoices bounds how many answers one request gets.
const maxChoices = 16

// choices is how many answers a request wants.
func (r request) choices() int {
	if r.N == nil {
		return 1
	}
	return *r.N
}

// stops are the texts at which an answer ends.
type stops []string

// UnmarshalJSON accepts one text, or several.
func (s *stops) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*s = nil
		if one != "" {
			*s = stops{one}
		}
		return nil
	}
	var several []string
	if err := json.Unmarshal(raw, &several); err != nil {
		return errors.New("stop must be a string or a list of strings")
	}
	*s = several
	return nil
}

// cut ends a text before the first of the stops in it.
func (s stops) cut(text string) string {
	end := len(text)
	for _, stop := range s {
		if i := strings.Index(text[:end], stop); stop != "" && i >= 0 {
			end = i
		}
	}
	return text[:end]
}

// check refuses what a strict endpoint refuses: above all a tool call without
// its result right behind it, and a result without its call.
func (r request) check() error {
	if r.Model == "" {
		return errors.New("you must provide a model parameter")
	}
	if len(r.Messages) == 0 {
		return errors.New("messages must not be empty")
	}
	if n := r.choices(); n < 1 || n > maxChoices {
		return fmt.Errorf("n is %d; allowed: 1 to %d", n, maxChoices)
	}
	if err := r.checkChoice(); err != nil {
		return err
	}
	open := map[string]bool{}
	for i, m := range r.Messages {
		if m.Role == "tool" {
			if !open[m.ToolCallID] {
				return fmt.Errorf("messages[%d]: a message with role 'tool' must follow the message with its tool_calls", i)
			}
			delete(open, m.ToolCallID)
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("messages[%d]: an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'", i)
		}
		switch m.Role {
		case "system", "developer", "user", "assistant":
		default:
			return fmt.Errorf("messages[%d]: unknown role %q", i, m.Role)
		}
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		return errors.New("the last tool_calls have no tool messages responding to them")
	}
	return nil
}

// limit is the most tokens an answer may have, 0 for no limit.
func (r request) limit() int { return max(r.MaxTokens, r.MaxCompletionTokens) }

type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
	reasoning        int // part of the completion; not all tell it
}

// tokens is a plain estimate: about four letters, or less, make a token.
func tokens(s string) int {
	if s == "" {
		return 0
	}
	return len([]rune(s))/4 + 1
}

// messageTokens is what a message costs in addition to its text.
const messageTokens = 4

func (r request) tokens() int {
	n := 0
	for _, m := range r.Messages {
		n += messageTokens + tokens(string(m.Content))
		for _, c := range m.ToolCalls {
			n += tokens(c.Function.Name) + tokens(c.Function.Arguments)
		}
	}
	for _, t := range r.Tools {
		n += tokens(t.Function.Name) + tokens(t.Function.Description) + tokens(string(t.Function.Parameters))
	}
	return n
}
