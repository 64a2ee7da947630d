package answer

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"fusebox/agent"
)

// dialect is a way in which models write tool calls as text.
type dialect struct {
	open string
	// bare is an object that is the whole answer; where it is not a call after all
	// it need not have meant to be one.
	bare bool
	// read takes all calls of a text that contains nothing else.
	read func(string, offer) ([]agent.CallRequest, bool)
}

var dialects = []dialect{
	{open: "<tool_call>", read: readTagged}, // Qwen, Hermes
	{open: "<function=", read: readFunctions},
	{open: "[TOOL_CALLS]", read: readMistral},
	{open: "<｜DSML｜", read: readDSML},               // DeepSeek
	{open: "<｜tool▁calls▁begin｜>", read: readMarks}, // DeepSeek before that
	{open: "{", bare: true, read: readBare},
}

func (d dialect) begins(line string, started bool) (is, may bool) {
	if !d.bare {
		return begins(line, d.open)
	}
	if started {
		return false, false
	}
	return bareBegins(line)
}

// readMarkup reads the calls of a text that begins as one. They count only
// where each names an offered tool and its arguments fit; why says what was
// wrong, "" where the text need not have meant to be a call.
func readMarkup(text string, tools []agent.ToolSpec) (calls []agent.CallRequest, why string) {
	offered := make(offer, len(tools))
	for _, t := range tools {
		offered[t.Name] = t.Parameters
	}
	for _, d := range dialects {
		if !strings.HasPrefix(text, d.open) {
			continue
		}
		calls, ok := d.read(strings.TrimSpace(text), offered)
		why = "it is not whole"
		if ok && len(calls) > 0 && len(calls) <= maxCalls {
			why = offered.misfit(calls)
		}
		switch {
		case why == "":
			return calls, ""
		case d.bare:
			return nil, ""
		}
		return nil, why
	}
	return nil, ""
}

// offer are the tools that may be called, with their schemas.
type offer map[string]json.RawMessage

// misfit says why calls cannot be made, "" where they can.
func (o offer) misfit(calls []agent.CallRequest) string {
	for _, c := range calls {
		schema, known := o[c.Name]
		switch {
		case len(o) == 0:
			return "no tools are offered here"
		case !known:
			return "there is no tool of that name"
		case !FitsSchema(schema, c.Arguments):
			return "its arguments do not fit the tool"
		}
	}
	return ""
}

// wantsText reports whether a tool takes an argument as a string.
func (o offer) wantsText(tool, param string) bool {
	var schema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	return json.Unmarshal(o[tool], &schema) == nil && schema.Properties[param].Type == "string"
}

// FitsSchema reports whether arguments fit a tool's schema.
func FitsSchema(schema json.RawMessage, args string) bool {
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
	c := agent.CallRequest{Name: o.Name, Arguments: RepairArguments(string(args))}
	return c, o.Name != "" && IsObject(c.Arguments)
}

func readObject(text string) ([]agent.CallRequest, bool) {
	var o object
	if json.Unmarshal([]byte(text), &o) != nil {
		return nil, false
	}
	c, ok := o.call()
	return []agent.CallRequest{c}, ok
}

// readBare reads an object that is the whole answer. Without arguments it is
// data that happens to have a name.
func readBare(text string, _ offer) ([]agent.CallRequest, bool) {
	var o object
	if json.Unmarshal([]byte(text), &o) != nil || o.Arguments == nil && o.Parameters == nil {
		return nil, false
	}
	return readObject(text)
}

// between reads what is between pairs of marks, and nothing outside them.
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

func readTagged(text string, o offer) ([]agent.CallRequest, bool) {
	return between(text, "<tool_call>", "</tool_call>", func(inner string) ([]agent.CallRequest, bool) {
		if strings.HasPrefix(inner, "<function=") {
			return readFunctions(inner, o)
		}
		return readObject(inner)
	})
}

// readFunctions reads <function=NAME> with one <parameter=KEY> for each argument.
func readFunctions(text string, o offer) ([]agent.CallRequest, bool) {
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
			value, rest = strings.Trim(value, "\n"), strings.TrimSpace(tail)
			if args[key] = looseValue(value); o.wantsText(name, key) {
				args[key] = value
			}
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
func readMistral(text string, _ offer) (all []agent.CallRequest, ok bool) {
	const open, args = "[TOOL_CALLS]", "[ARGS]"
	for rest := text; rest != ""; {
		after, opened := strings.CutPrefix(rest, open)
		name, body, named := strings.Cut(after, args)
		if !named || strings.ContainsAny(name, "[{") {
			name, body = "", after
		}
		value := json.NewDecoder(strings.NewReader(body))
		var raw json.RawMessage
		if !opened || value.Decode(&raw) != nil {
			return nil, false
		}
		calls, ok := mistralCalls(strings.TrimSpace(name), raw)
		if !ok {
			return nil, false
		}
		all, rest = append(all, calls...), strings.TrimSpace(body[value.InputOffset():])
	}
	return all, true
}

func mistralCalls(name string, raw json.RawMessage) (all []agent.CallRequest, ok bool) {
	if name != "" {
		return []agent.CallRequest{{Name: name, Arguments: string(raw)}}, true
	}
	var list []object
	if json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	for _, o := range list {
		c, ok := o.call()
		if !ok {
			return nil, false
		}
		all = append(all, c)
	}
	return all, true
}
