package answer

import (
	"regexp"
	"strings"

	"fusebox/agent"
)

// What DeepSeek writes since its third version.
var (
	dsmlOuter = regexp.MustCompile(`(?s)^<｜DSML｜(function_calls|tool_calls)>(.*)</｜DSML｜(?:function_calls|tool_calls)>$`)
	dsmlName  = regexp.MustCompile(`^<｜DSML｜invoke name="([^"]+)">`)
	dsmlParam = regexp.MustCompile(`(?s)^<｜DSML｜parameter name="([^"]+)"(?: string="(true|false)")?>(.*?)</｜DSML｜parameter>\s*`)
)

func readDSML(text string, _ offer) ([]agent.CallRequest, bool) {
	outer := dsmlOuter.FindStringSubmatch(text)
	if outer == nil {
		return nil, false
	}
	const end = "</｜DSML｜invoke>"
	var all []agent.CallRequest
	for rest := strings.TrimSpace(outer[2]); rest != ""; {
		name := dsmlName.FindStringSubmatch(rest)
		if name == nil {
			return nil, false
		}
		inner, tail, closed := strings.Cut(rest[len(name[0]):], end)
		calls, ok := dsmlCall(name[1], strings.TrimSpace(inner))
		if !closed || !ok {
			return nil, false
		}
		all, rest = append(all, calls...), strings.TrimSpace(tail)
	}
	return all, true
}

func dsmlCall(name, params string) ([]agent.CallRequest, bool) {
	args := make(map[string]any)
	for rest := params; rest != ""; {
		p := dsmlParam.FindStringSubmatch(rest)
		if p == nil {
			return nil, false
		}
		args[p[1]] = p[3]
		if p[2] == "false" {
			args[p[1]] = looseValue(p[3])
		}
		rest = rest[len(p[0]):]
	}
	return encodeCall(name, args)
}

// readMarks reads function<sep>NAME and a JSON fence between DeepSeek's marks.
func readMarks(text string, _ offer) ([]agent.CallRequest, bool) {
	return between(text, "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", func(inner string) ([]agent.CallRequest, bool) {
		return between(inner, "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", func(one string) ([]agent.CallRequest, bool) {
			_, body, typed := strings.Cut(one, "<｜tool▁sep｜>")
			name, args, split := strings.Cut(body, "\n")
			c := agent.CallRequest{Name: strings.TrimSpace(name), Arguments: RepairArguments(strings.TrimSpace(args))}
			return []agent.CallRequest{c}, typed && split && IsObject(c.Arguments)
		})
	})
}
