package demo

import (
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent/demo/wire"
)

// skill is what a tool is for. Clients name their tools and arguments as they like.
type skill struct {
	name   string   // of the tool in Fusebox
	stems  []string // one of them in a tool's name tells the skill
	fields []string // the argument that takes what is asked for, the best first
}

var (
	weatherSkill = skill{"get_weather", []string{"weather", "forecast", "temperature"}, []string{"city", "location", "place", "town", "query"}}
	sumSkill     = skill{"calculator", []string{"calc", "math", "arithmetic", "evaluate"}, []string{"expression", "expr", "formula", "equation", "input", "query"}}
)

// ask makes the call of the tool that has a skill; ok is false where none has.
func (t turn) ask(k skill, what string) (c call, ok bool) {
	tool, ok := t.toolFor(k)
	if !ok {
		return call{}, false
	}
	args := t.arguments(tool, nil)
	args[k.field(tool)] = what
	return invoke(tool.Function.Name, args), true
}

func (t turn) toolFor(k skill) (wire.Tool, bool) {
	i := slices.IndexFunc(t.tools, func(w wire.Tool) bool { return w.Function.Name == k.name })
	if i < 0 {
		i = slices.IndexFunc(t.tools, func(w wire.Tool) bool { return k.has(w.Function.Name) })
	}
	if i < 0 {
		return wire.Tool{}, false
	}
	return t.tools[i], true
}

// has reports whether a tool's name tells the skill.
func (k skill) has(tool string) bool {
	name := strings.ToLower(tool)
	return slices.ContainsFunc(k.stems, func(s string) bool { return strings.Contains(name, s) })
}

// field is the argument of a tool that takes what is asked for.
func (k skill) field(tool wire.Tool) string {
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(tool.Function.Parameters, &s) != nil {
		return k.fields[0]
	}
	for _, want := range k.fields {
		for name := range s.Properties {
			if strings.EqualFold(name, want) {
				return name
			}
		}
	}
	for _, name := range s.Required {
		if s.Properties[name].Type == "string" {
			return name
		}
	}
	return k.fields[0]
}
