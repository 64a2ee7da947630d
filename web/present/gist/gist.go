// Package gist finds the one argument of a tool call that a person wants to see.
package gist

import (
	"encoding/json"
	"strings"

	"fusebox/web/present/invisible"
	"fusebox/web/present/jsontext"
)

// mains are the arguments that matter most of the tools that come with Fusebox.
var mains = map[string]string{
	"calculator":       "expression",
	"get_weather":      "city",
	"list_files":       "path",
	"read_file":        "path",
	"write_file":       "path",
	"edit_file":        "path",
	"glob":             "pattern",
	"grep":             "pattern",
	"fetch_output":     "path",
	"find_tools":       "query",
	"run_shell":        "command",
	"ask_user":         "question",
	"hand_over":        "reason",
	"emit_value":       "name",
	"terminate":        "message",
	"remember":         "text",
	"recall":           "query",
	"web_search":       "query",
	"web_fetch":        "url",
	"delegate":         "agent",
	"read_result":      "runId",
	"document_list":    "name",
	"document_read":    "part",
	"document_save":    "name",
	"knowledge_search": "query",
}

// instead are the arguments that may take the place of those.
var instead = map[string]string{"delegate": "workflow"}

// OfCall is the argument that matters of a call, in one line: the one that the table
// has, else the first text that the tool's schema requires, else all arguments.
func OfCall(tool, args string, schema json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &fields) != nil {
		return oneLine(jsontext.Plain(args))
	}
	for i, name := range append([]string{mains[tool], instead[tool]}, required(schema)...) {
		var value string
		var number json.Number
		switch {
		case json.Unmarshal(fields[name], &value) == nil && value != "":
			return oneLine(invisible.Visible(value))
		case i == 0 && json.Unmarshal(fields[name], &number) == nil && number != "":
			return number.String()
		}
	}
	return oneLine(jsontext.Short(args))
}

func required(schema json.RawMessage) []string {
	var s struct {
		Required []string `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	return s.Required
}

// resultFields are the fields of a result that say it in short, the first one first.
var resultFields = []string{"result", "answer", "summary", "message", "error"}

// OfResult is a result in one line: the field of a JSON object that says it in short,
// else "" for what is long or has no such field.
func OfResult(result string, longest int) string {
	said := strings.TrimSpace(result)
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(said), &fields) == nil {
		said = short(fields)
	}
	said = invisible.Visible(said)
	if strings.Contains(said, "\n") || len([]rune(said)) > longest {
		return ""
	}
	return said
}

// listOf is the field with what a search has found.
var listOf = map[string]string{"knowledge_search": "passages", "web_search": "results", "document_list": "documents"}

// Found counts what a search has found; false for what is no search.
func Found(tool, result string) (n int, ok bool) {
	list, ok := listOf[tool]
	var fields map[string]json.RawMessage
	var items []json.RawMessage
	if !ok || json.Unmarshal([]byte(result), &fields) != nil || json.Unmarshal(fields[list], &items) != nil {
		return 0, false
	}
	return len(items), true
}

func short(fields map[string]json.RawMessage) string {
	for _, name := range resultFields {
		raw := fields[name]
		var said string
		switch {
		case json.Unmarshal(raw, &said) == nil && said != "":
			return said
		case len(raw) > 0 && raw[0] != '{' && raw[0] != '[' && raw[0] != 'n' && raw[0] != '"':
			return string(raw) // a number, or true or false
		}
	}
	return ""
}

// oneLine shows where a text breaks, because what looks like its end may not be.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.TrimSpace(s), "\n", " ⏎ ")), " ")
}
