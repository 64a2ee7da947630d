package provider

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"fusebox/agent"
)

// dialect is a way in which models write tool calls as text.
type dialect struct {
	open string
	// first demands that the answer begins with it; quiet tells nobody where
	// it was no call after all.
	first, quiet bool
	// read takes all calls of a text, which holds nothing else.
	read func(string) ([]agent.CallRequest, bool)
}

var dialects = []dialect{
	{open: "<tool_call>", read: readTagged}, // Qwen, Hermes
	{open: "<function=", read: readFunctions},
	{open: "[TOOL_CALLS]", read: readMistral},
	{open: "<｜DSML｜", read: readDSML},               // DeepSeek
	{open: "<｜tool▁calls▁begin｜>", read: readMarks}, // DeepSeek before that
	{open: `{"name"`, first: true, quiet: true, read: readBare},
	{open: `{ "name"`, first: true, quiet: true, read: readBare},
	{open: "{\n  \"name\"", first: true, quiet: true, read: readBare},
}

func (d dialect) begins(line string, started bool) (is, may bool) {
	if d.first && started {
		return false, false
	}
	return begins(line, d.open)
}

// readMarkup reads the calls of a text that begins as one. They count only
// where each names an offered tool and its arguments fit; why says what was
// wrong, "" where the text need not have meant to be a call.
func readMarkup(text string, tools []agent.ToolSpec) (calls []agent.CallRequest, why string) {
	for _, d := range dialects {
		if !strings.HasPrefix(text, d.open) {
			continue
		}
		calls, ok := d.read(strings.TrimSpace(text))
		why = "it is not whole"
		if ok && len(calls) > 0 && len(calls) <= maxCalls {
			why = misfit(calls, tools)
		}
		if why == "" {
			return calls, ""
		}
		if d.quiet {
			return nil, ""
		}
		return nil, why
	}
	return nil, ""
}

// misfit says why calls cannot be made, "" where they can.
func misfit(calls []agent.CallRequest, tools []agent.ToolSpec) string {
	offered := make(map[string]json.RawMessage, len(tools))
	for _, t := range tools {
		offered[t.Name] = t.Parameters
	}
	for _, c := range calls {
		schema, known := offered[c.Name]
		switch {
		case len(tools) == 0:
			return "no tools are offered here"
		case !known:
			return "there is no tool of that name"
		case !fitsSchema(schema, c.Arguments):
			return "its arguments do not fit the tool"
		}
	}
	return ""
}

func fitsSchema(schema json.RawMessage, args string) bool {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(args))
	if err != nil {
		return false
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return false
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // nothing is loaded from anywhere
	if err := c.AddResource("tool", doc); err != nil {
		return false
	}
	s, err := c.Compile("tool")
	return err == nil && s.Validate(value) == nil
}

// object is a call as a JSON object; models call its arguments this or that.
type object struct {
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	Parameters json.RawMessage `json:"parameters"`
}

func (o object) call() (agent.CallRequest, bool) {
	args := o.Arguments
	if args == nil {
		args = o.Parameters
	}
	c := agent.CallRequest{Name: o.Name, Arguments: mendArguments(string(args))}
	return c, o.Name != "" && isObject(c.Arguments)
}

func readObject(text string) ([]agent.CallRequest, bool) {
	var o object
	if json.Unmarshal([]byte(text), &o) != nil {
		return nil, false
	}
	c, ok := o.call()
	return []agent.CallRequest{c}, ok
}

func readBare(text string) ([]agent.CallRequest, bool) { return readObject(text) }

// between reads what stands between pairs of marks, and nothing outside them.
func between(text, open, end string, read func(string) ([]agent.CallRequest, bool)) (all []agent.CallRequest, ok bool) {
	for rest := strings.TrimSpace(text); rest != ""; {
		after, opened := strings.CutPrefix(rest, open)
		inner, tail, closed := strings.Cut(after, end)
		calls, ok := read(strings.TrimSpace(inner))
		if !opened || !closed || !ok {
			return nil, false
		}
		all, rest = append(all, calls...), strings.TrimSpace(tail)
	}
	return all, true
}

func readTagged(text string) ([]agent.CallRequest, bool) {
	return between(text, "<tool_call>", "</tool_call>", func(inner string) ([]agent.CallRequest, bool) {
		if strings.HasPrefix(inner, "<function=") {
			return readFunctions(inner)
		}
		return readObject(inner)
	})
}

// readFunctions reads <function=NAME> with one <parameter=KEY> for each argument.
func readFunctions(text string) ([]agent.CallRequest, bool) {
	return between(text, "<function=", "</function>", func(inner string) ([]agent.CallRequest, bool) {
		name, params, ok := strings.Cut(inner, ">")
		if !ok {
			return nil, false
		}
		args := make(map[string]any)
		for rest := strings.TrimSpace(params); rest != ""; {
			after, opened := strings.CutPrefix(rest, "<parameter=")
			key, body, named := strings.Cut(after, ">")
			value, tail, closed := strings.Cut(body, "</parameter>")
			if !opened || !named || !closed {
				return nil, false
			}
			args[key], rest = looseValue(strings.Trim(value, "\n")), strings.TrimSpace(tail)
		}
		return encodeCall(name, args)
	})
}

// looseValue reads an argument without a type: JSON where it is some, else text.
func looseValue(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}

func encodeCall(name string, args map[string]any) ([]agent.CallRequest, bool) {
	raw, err := json.Marshal(args)
	return []agent.CallRequest{{Name: strings.TrimSpace(name), Arguments: string(raw)}}, err == nil
}

// readMistral reads [TOOL_CALLS] with a list of objects, or NAME[ARGS]{…} for each call.
func readMistral(text string) ([]agent.CallRequest, bool) {
	var all []agent.CallRequest
	for _, part := range strings.Split(text, "[TOOL_CALLS]")[1:] {
		part = strings.TrimSpace(part)
		if name, args, ok := strings.Cut(part, "[ARGS]"); ok {
			all = append(all, agent.CallRequest{Name: strings.TrimSpace(name), Arguments: strings.TrimSpace(args)})
			continue
		}
		var list []object
		if json.Unmarshal([]byte(part), &list) != nil {
			return nil, false
		}
		for _, o := range list {
			c, ok := o.call()
			if !ok {
				return nil, false
			}
			all = append(all, c)
		}
	}
	return all, true
}

var (
	dsmlOuter = regexp.MustCompile(`(?s)^<｜DSML｜(function_calls|tool_calls)>(.*)</｜DSML｜(?:function_calls|tool_calls)>$`)
	dsmlName  = regexp.MustCompile(`^<｜DSML｜invoke name="([^"]+)">`)
	dsmlParam = regexp.MustCompile(`(?s)^<｜DSML｜parameter name="([^"]+)"(?: string="(true|false)")?>(.*?)</｜DSML｜parameter>\s*`)
)

func readDSML(text string) ([]agent.CallRequest, bool) {
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
func readMarks(text string) ([]agent.CallRequest, bool) {
	return between(text, "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", func(inner string) ([]agent.CallRequest, bool) {
		return between(inner, "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", func(one string) ([]agent.CallRequest, bool) {
			_, body, typed := strings.Cut(one, "<｜tool▁sep｜>")
			name, args, split := strings.Cut(body, "\n")
			c := agent.CallRequest{Name: strings.TrimSpace(name), Arguments: mendArguments(strings.TrimSpace(args))}
			return []agent.CallRequest{c}, typed && split && isObject(c.Arguments)
		})
	})
}
