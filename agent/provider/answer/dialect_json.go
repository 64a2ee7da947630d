package answer

import (
	"encoding/json"
	"strings"

	"fusebox/agent"
)

// object is a call as a JSON object; models call its parts this or that.
type object struct {
	Name       string          `json:"name"`
	ToolName   string          `json:"tool_name"`
	Function   json.RawMessage `json:"function"` // the name, or all of the call
	Arguments  json.RawMessage `json:"arguments"`
	Parameters json.RawMessage `json:"parameters"`
}

// flat is an object whose name and arguments are where they belong.
func (o object) flat() object {
	var inner object
	switch {
	case json.Unmarshal(o.Function, &o.Name) == nil:
	case json.Unmarshal(o.Function, &inner) == nil:
		o.Name, o.Arguments, o.Parameters = inner.Name, inner.Arguments, inner.Parameters
	case o.Name == "":
		o.Name = o.ToolName
	}
	if o.Arguments == nil {
		o.Arguments = o.Parameters
	}
	return o
}

// readJSON reads objects and lists of them, one behind the other.
func readJSON(text string) (all reading, ok bool) {
	for rest := RepairArguments(text); rest != ""; rest = strings.TrimLeft(rest, " \t\r\n;,") {
		value, tail, ok := jsonAhead(rest)
		var list []object
		if !ok || json.Unmarshal(inList(value), &list) != nil || len(all.calls) > maxCalls {
			return reading{}, false
		}
		for _, o := range list {
			o = o.flat()
			c := agent.CallRequest{Name: o.Name, Arguments: RepairArguments(string(o.Arguments))}
			if c.Name == "" || !IsObject(c.Arguments) {
				return reading{}, false
			}
			all.calls = append(all.calls, c)
		}
		rest = tail
	}
	return all, true
}

func inList(value json.RawMessage) json.RawMessage {
	if value[0] == '[' {
		return value
	}
	return append(append([]byte("["), value...), ']')
}

// jsonAhead takes the JSON value with which a text begins.
func jsonAhead(text string) (value json.RawMessage, tail string, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	if d.Decode(&value) != nil {
		return nil, "", false
	}
	return value, text[d.InputOffset():], true
}

// readFunctools reads the list that Phi writes behind a word.
func readFunctools(text string, _ bool, _ offer) (reading, bool) {
	return readJSON(strings.TrimPrefix(text, "functools"))
}

// blank is the white space of JSON.
const blank = " \t\r\n"

// objectStarts looks for a JSON object whose first key is that of a call, however it is laid
// out.
func objectStarts(line string) (is, may bool) {
	rest, opened := strings.CutPrefix(line, "{")
	if !opened {
		return false, line == ""
	}
	rest = strings.TrimLeft(rest, blank)
	if key, value, typed := strings.Cut(rest, ":"); typed && strings.TrimRight(key, blank) == `"type"` {
		return begins(strings.TrimLeft(value, blank), `"function"`)
	}
	for _, key := range []string{`"name"`, `"function"`} {
		i, m := begins(rest, key)
		is, may = is || i, may || m
	}
	_, typed := begins(rest, `"type"`)
	return is, may || typed || strings.TrimRight(rest, blank) == `"type"`
}

// listStarts looks for a list of such objects, or of calls as Python has them.
func listStarts(line string) (is, may bool) {
	rest, opened := strings.CutPrefix(line, "[")
	if !opened {
		return false, line == ""
	}
	rest = strings.TrimLeft(rest, blank)
	if is, may = objectStarts(rest); is || may {
		return is, may
	}
	name := pythonName.FindString(rest)
	return name != "" && strings.HasPrefix(rest[len(name):], "("), name == rest && len(name) <= maxName
}

// readBare reads an answer that is nothing but objects, or a list of calls as Python has them.
// An object without arguments is data that happens to have a name.
func readBare(text string, _ bool, _ offer) (reading, bool) {
	value, tail, ok := jsonAhead(text)
	if !ok && strings.HasPrefix(text, "[") {
		return readPython(text)
	}
	var list []object
	if !ok || tail != "" || json.Unmarshal(inList(value), &list) != nil {
		return reading{}, false
	}
	for _, o := range list {
		if o.flat().Arguments == nil {
			return reading{}, false
		}
	}
	return readJSON(text)
}
