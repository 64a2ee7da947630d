package demo

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent/demo/fill"
	"fusebox/agent/demo/reports"
	"fusebox/agent/demo/sums"
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
	i := slices.IndexFunc(t.tools, func(w wire.Tool) bool { return w.Function.Name == k.name })
	if i < 0 {
		i = slices.IndexFunc(t.tools, func(w wire.Tool) bool { return k.has(w.Function.Name) })
	}
	if i < 0 {
		return call{}, false
	}
	tool := t.tools[i]
	args := t.arguments(tool, nil)
	args[k.field(tool)] = what
	return invoke(tool.Function.Name, args), true
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

// filled is a value of a schema, made of what the request says where that fits, as JSON.
func filled(t turn, schema json.RawMessage) string {
	raw, err := json.Marshal(fill.Value(schema, t.hints(sums.Numbers(t.text))))
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// arguments are made up for a tool, with these numbers.
func (t turn) arguments(tool wire.Tool, numbers []float64) map[string]any {
	args, isObject := fill.Value(tool.Function.Parameters, t.hints(numbers)).(map[string]any)
	if !isObject {
		return map[string]any{}
	}
	return args
}

func (t turn) hints(numbers []float64) fill.Hints {
	return fill.Hints{
		Text: t.text, Numbers: numbers, Named: t.named,
		Picks: func(option string) bool { return t.means(strings.TrimSpace(wordsOf(option))) },
	}
}

// named is what the request says of a place or a calculation, where a name asks for it.
func (t turn) named(name string) string {
	lower := strings.ToLower(name)
	switch {
	case slices.Contains(weatherSkill.fields[:3], lower):
		if named := reports.Cities(t.words); len(named) > 0 {
			return named[0].Name
		}
		return "Guangzhou"
	case slices.Contains(sumSkill.fields[:4], lower):
		return cmp.Or(sums.Expression(t.text), "1+1")
	}
	return ""
}
