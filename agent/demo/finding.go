package demo

import (
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent/demo/wire"
)

const finder = "find_tools"

// findPhrases ask for a tool: what follows says for what.
var findPhrases = pattern(`(?i)(?:find|use) (?:a|the) tool (?:for|to|that) (.+)|找(?:一?个)?工具[，,：:\s]*(.+)|用工具[，,：:\s]*(.+)`)

// finding looks for the tool that is asked for, calls the best one, and tells its result.
func finding(t turn) (answer, bool) {
	wish := findPhrases().FindStringSubmatch(t.text)
	if wish == nil {
		return answer{}, false
	}
	query := strings.Trim(strings.Join(wish[1:], ""), " .。!！?？")
	switch _, did := t.last(); {
	case did:
		return say(summary(t)), true
	case !t.searched(query) && t.may(finder):
		return search(query), true
	case len(t.found) == 0:
		return answer{}, false
	}
	var best struct{ Tools []struct{ Name string } }
	i := -1
	if json.Unmarshal([]byte(t.found[len(t.found)-1].results[0]), &best) == nil && len(best.Tools) > 0 && best.Tools[0].Name != "" {
		i = slices.IndexFunc(t.tools, func(w wire.Tool) bool { return w.Function.Name == best.Tools[0].Name })
	}
	if i < 0 {
		return say(t.in("I found no tool for that.", "没有找到合适的工具。")), true
	}
	return use(call{name: best.Tools[0].Name, args: filled(t, t.tools[i].Function.Parameters)}), true
}

func search(query string) answer { return use(invoke(finder, map[string]any{"query": query})) }

func (t turn) searched(query string) bool {
	return slices.ContainsFunc(t.found, func(s step) bool { return argument(s.calls[0], "query") == query })
}
