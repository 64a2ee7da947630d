package gist

import (
	"encoding/json"
	"testing"
)

// TestOfCall: the argument that matters, by the table, by the schema, or all there are.
func TestOfCall(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"required":["count","title"]}`)
	for _, row := range []struct{ name, tool, args, want string }{
		{"a path, not the content", "write_file", `{"content":"long","path":"a.txt"}`, "a.txt"},
		{"a question, not its options", "ask_user", `{"options":["Red"],"question":"Which?"}`, "Which?"},
		{"a command of two lines", "run_shell", `{"command":"ls\nrm -rf /"}`, "ls ⏎ rm -rf /"},
		{"a hidden character", "run_shell", `{"command":"ls\u202e"}`, "ls‹U+202E›"},
		{"by the schema", "ticket", `{"body":"b","title":"Printer","count":3}`, "Printer"},
		{"neither", "poke", `{"b":2,"a":1}`, "a=1 b=2"},
		{"no object", "poke", `[1]`, "[1]"},
		{"not written yet", "poke", ``, ""},
	} {
		if got := OfCall(row.tool, row.args, schema); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// TestOfResult: short results stand in the row, long ones only behind its fold.
func TestOfResult(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		`{"expression":"1+1","result":2}`: "2",
		`{"message":"Saved."}`:            "Saved.",
		`{"days":[1,2]}`:                  "",
		`{"result":{"a":1}}`:              "",
		"26 °C":                           "26 °C",
		"one\ntwo":                        "",
		"a text that is much too long":    "",
	} {
		if got := OfResult(result, 20); got != want {
			t.Errorf("%s: %q, want %q", result, got, want)
		}
	}
}
