package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

const maxChoices = 16

func (r request) choices() int {
	if r.N == nil {
		return 1
	}
	return *r.N
}

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

// messageTokens is the cost of a message in addition to its text.
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

// toolChoice is what a request says of calls: "none", "auto", "required", or
// the name of the tool that is to be called.
type toolChoice struct {
	mode string
	name string
}

// UnmarshalJSON accepts every form that the API documents.
func (c *toolChoice) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	if json.Unmarshal(raw, &c.mode) == nil {
		return nil
	}
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if err := json.Unmarshal(raw, &named); err != nil || named.Function.Name == "" {
		return errors.New("tool_choice must be none, auto, required or an object that names a function")
	}
	c.mode, c.name = "required", named.Function.Name
	return nil
}

func (r request) checkChoice() error {
	has := func(w wire.Tool) bool { return w.Function.Name == r.ToolChoice.name }
	switch {
	case !slices.Contains([]string{"", "none", "auto", "required"}, r.ToolChoice.mode):
		return fmt.Errorf("Invalid value for 'tool_choice': %q", r.ToolChoice.mode)
	case r.ToolChoice.mode == "required" && len(r.Tools) == 0:
		return errors.New("'tool_choice' is only allowed when 'tools' are specified")
	case r.ToolChoice.name != "" && !slices.ContainsFunc(r.Tools, has):
		return fmt.Errorf("Tool choice %q not found in 'tools' parameter", r.ToolChoice.name)
	}
	return nil
}

// mayCall are the tools that the choice leaves.
func (r request) mayCall() []wire.Tool {
	switch {
	case r.ToolChoice.mode == "none":
		return nil
	case r.ToolChoice.name != "":
		return slices.DeleteFunc(slices.Clone(r.Tools), func(w wire.Tool) bool { return w.Function.Name != r.ToolChoice.name })
	}
	return r.Tools
}

// forced makes a call where the request insists on one and the rules have made none.
func (r request) forced(t turn, a answer) answer {
	if r.ToolChoice.mode == "required" && len(a.calls) == 0 && a.refused == nil {
		tool := t.nearestTool()
		a = use(call{name: tool.Function.Name, args: filled(t, tool.Function.Parameters)})
	}
	if one := r.Parallel; one != nil && !*one && len(a.calls) > 1 {
		a.calls = a.calls[:1]
	}
	return a
}

// nearestTool is the tool whose name the request comes nearest to, else the first.
func (t turn) nearestTool() wire.Tool {
	best, most := 0, 0
	for i, tool := range t.tools {
		shared := 0
		for _, word := range strings.Fields(wordsOf(tool.Function.Name)) {
			if strings.Contains(t.words, " "+word+" ") {
				shared++
			}
		}
		if shared > most {
			best, most = i, shared
		}
	}
	return t.tools[best]
}
