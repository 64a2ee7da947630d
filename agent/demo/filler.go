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
