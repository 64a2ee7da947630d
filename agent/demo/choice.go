package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fusebox/agent/demo/wire"
)

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

// checkChoice refuses a choice that cannot be met.
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
