package tools

import (
	"context"
	_ "embed" // the description is a file
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/ranking"
)

//go:embed find_tools.md
var findToolsText string

// maxFound is how many tools one search brings; maxFoundText is how much of what each is
// for is said again, in bytes: its whole description comes with its schema.
const (
	maxFound     = 5
	maxFoundText = 300
)

// findTools finds tools by what they are for. Which come into view the loop decides.
type findTools struct{}

func (findTools) Spec() agent.ToolSpec {
	s := builtin(agent.FindToolsTool, findToolsText, `{
		"type": "object", "additionalProperties": false, "required": ["query"],
		"properties": {"query": {"type": "string", "minLength": 1, "maxLength": 500, "description": "What the tool should do, in a few words"}}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Pure = agent.EffectRead, agent.RiskLow, true, true
	return s
}

type foundTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (findTools) Run(_ context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ Query string }
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	var there []agent.ToolSpec
	if in.Tools != nil {
		there = slices.DeleteFunc(in.Tools(), func(s agent.ToolSpec) bool { return s.SetName() == agent.CoreTools })
	}
	found := []foundTool{}
	var names []string
	for _, i := range best(args.Query, there) {
		found = append(found, foundTool{there[i].Name, agent.Clip(there[i].Description, maxFoundText)})
		names = append(names, there[i].Name)
	}
	res := encode(map[string]any{"tools": found})
	res.Found = names
	return res
}

// best are the indexes of the tools that fit a query.
func best(query string, there []agent.ToolSpec) []int {
	var documents [][]ranking.Text
	for _, s := range there {
		documents = append(documents, []ranking.Text{{Text: s.Name, Weight: 4}, {Text: s.Description, Weight: 1}, {Text: parametersText(s.Parameters), Weight: 1}})
	}
	found := ranking.Rank(query, documents)
	return found[:min(len(found), maxFound)]
}

// parametersText is what a schema says of its arguments: their names and what they are for.
func parametersText(schema json.RawMessage) string {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return ""
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		var property struct{ Description string }
		_ = json.Unmarshal(s.Properties[name], &property) // true and false are schemas, too
		words = append(words, name, property.Description)
	}
	return strings.Join(words, " ")
}
