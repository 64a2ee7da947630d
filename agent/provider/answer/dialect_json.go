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

func (o object) call() (agent.CallRequest, bool) {
	o = o.flat()
	c := agent.CallRequest{Name: o.Name, Arguments: RepairArguments(string(o.Arguments))}
	return c, o.Name != "" && IsObject(c.Arguments)
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
			c, ok := o.call()
			if !ok {
				return reading{}, false
			}
			all.calls = append(all.calls, c)
		}
		rest = tail
	}
	return all, true
}

// inList is a list of a value that is none.
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

// readBare reads an answer that is nothing but objects. One without arguments is data that
// happens to have a name.
func readBare(text string, _ bool, _ offer) (reading, bool) {
	value, tail, ok := jsonAhead(text)
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
