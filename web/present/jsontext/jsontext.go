// Package jsontext writes JSON for people: indented, without needless escapes,
// and with nothing hidden in it.
package jsontext

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"fusebox/web/present/invisible"
)

// Indent makes JSON readable; what is none stays as it is.
func Indent(raw string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(raw), "", "  ") != nil {
		return raw
	}
	return Plain(b.String())
}

// Plain shows JSON as a person would write it, with nothing hidden in it.
func Plain(raw string) string { return invisible.VisibleJSON(htmlEscapes.Replace(raw)) }

// Short writes the arguments of a call in as few words as possible: the value
// alone where there is only one, and it is a text.
func Short(raw string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(raw), &fields) == nil && len(fields) == 1 {
		for _, value := range fields {
			if only, ok := value.(string); ok {
				return invisible.Visible(only)
			}
		}
	}
	return Line(raw)
}

// Line writes the arguments of a call in one line: each behind its name, short
// texts first. What is no object stays as it is.
func Line(raw string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &fields) != nil {
		return Plain(raw)
	}
	names := slices.SortedFunc(maps.Keys(fields), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(fields[a]), rank(fields[b])), cmp.Compare(len(fields[a]), len(fields[b])), cmp.Compare(a, b))
	})
	pairs := make([]string, len(names))
	for i, name := range names {
		pairs[i] = invisible.Visible(name) + "=" + Plain(Compact(fields[name]))
	}
	return strings.Join(pairs, " ")
}

// rank puts texts before lists and objects, which tell less.
func rank(value json.RawMessage) int {
	if len(value) > 0 && (value[0] == '[' || value[0] == '{') {
		return 1
	}
	return 0
}

// htmlEscapes are the escapes that programs put into JSON for the sake of
// HTML. They hide what a command says; our pages escape by themselves. Two
// backslashes come first, so that the second of them begins nothing.
var htmlEscapes = strings.NewReplacer(`\\`, `\\`, `\u0026`, "&", `\u003c`, "<", `\u003e`, ">", `\u003C`, "<", `\u003E`, ">")

// Compact writes JSON in one line; text that is not JSON stays as it is.
func Compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
