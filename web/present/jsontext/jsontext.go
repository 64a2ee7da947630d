// Package jsontext writes JSON for people: indented, without needless escapes,
// and with nothing hidden in it.
package jsontext

import (
	"bytes"
	"encoding/json"
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
