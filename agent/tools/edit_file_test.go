package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fusebox/agent"
)

func editCall(id, args string) agent.ToolInput {
	return agent.ToolInput{RunID: "r1", ConversationID: "c1", CallID: id, Args: json.RawMessage(args)}
}

// TestEditTellsConflicts: an edit replaces one place or all, and what it cannot do it
// says without touching the file.
func TestEditTellsConflicts(t *testing.T) {
	t.Parallel()
	const text = "one\ntwo\ntwo\nthree\n"
	for _, tc := range []struct{ name, args, want, says string }{
		{"one place", `{"path":"a","old":"one","new":"ONE"}`, "ONE\ntwo\ntwo\nthree\n", "1 place"},
		{"all", `{"path":"./a","old":"two","new":"2","all":true}`, "one\n2\n2\nthree\n", "2 places"},
		{"deleted", `{"path":"a","old":"one\n","new":""}`, "two\ntwo\nthree\n", "1 place"},
		{"none", `{"path":"a","old":"four","new":"4"}`, text, "was not found"},
		{"two", `{"path":"a","old":"two","new":"2"}`, text, "found 2 times"},
		{"same", `{"path":"a","old":"one","new":"one"}`, text, "nothing would change"},
		{"no file", `{"path":"b","old":"one","new":"1"}`, text, "does not exist"},
		{"outside", `{"path":"../a","old":"one","new":"1"}`, text, "leads out"},
		{"too large", `{"path":"a","old":"one","new":"` + strings.Repeat("x", maxWrite) + `"}`, text, "too large"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, dir := kit(t)
			run(t.Context(), r, "write_file", map[string]any{"path": "a", "content": text})
			in := editCall("k2", tc.args)
			shown := r.Evidence("edit_file", in)
			res := r.Execute(t.Context(), "edit_file", in)
			raw, err := os.ReadFile(filepath.Join(dir, "workspaces", "c1", "a"))
			if err != nil || string(raw) != tc.want || !strings.Contains(res.Content, tc.says) {
				t.Errorf("%q %v: %+v", raw, err, res)
			}
			if failed := tc.want == text; failed != (res.ErrorType != "") || failed != strings.Contains(shown.Diff, tc.says) {
				t.Errorf("the card shows %q, the result is %+v", shown.Diff, res)
			}
		})
	}
}

// TestEditKeepsLineEnds: each line keeps its own end, whatever the model writes, and new
// lines end like those around them.
func TestEditKeepsLineEnds(t *testing.T) {
	t.Parallel()
	const dos = "def greet(name):\r\n    print(f\"hello, {name}\")\r\n\r\ndef add(a, b):\r\n    return a + b\r\n"
	const mixed = "one\r\ntwo\nthree\r\nfour\n"
	for _, row := range []struct{ file, old, new, want string }{
		{dos, "hello", "hi\nthere", strings.Replace(dos, "hello", "hi\r\nthere", 1)},
		{
			dos, "def add(a, b):\n    return a + b\n", "def add(a, b):\n    # sum\n    return a + b\n",
			strings.Replace(dos, "    return", "    # sum\r\n    return", 1),
		},
		{mixed, "two\nthree\n", "TWO\nTHREE\n", "one\r\nTWO\nTHREE\r\nfour\n"},
		{mixed, "two\r\nthree\r\n", "TWO\r\nTHREE\r\n", "one\r\nTWO\nTHREE\r\nfour\n"},
		{mixed, "one\ntwo\nthree\nfour\n", "ONE\ntwo\nnew\nthree\nFOUR\n", "ONE\r\ntwo\nnew\nthree\r\nFOUR\n"},
		{mixed, "two\nthree", "three", "one\r\nthree\r\nfour\n"},
		{mixed, "three", "3\nand", "one\r\ntwo\n3\r\nand\r\nfour\n"},
		{mixed, "one\n", "zero\none\n", "zero\r\none\r\ntwo\nthree\r\nfour\n"},
		{mixed, "four\n", "four\nfive\n", mixed + "five\n"},
		{"a\r\nb", "b", "b\nc\n", "a\r\nb\r\nc\r\n"},
		{"a\nb\n", "a\r\nb", "a\r\nx\r\nb", "a\nx\nb\n"},
		{"a\rb\rc\r", "b\n", "b\nx\n", "a\rb\rx\rc\r"},
		{"x", "x", "x\ny", "x\ny"},
		{"a\r\n\r\nb\n\nc\r\n", "\n\n", "\n", "a\r\nb\nc\r\n"},
		{"\ufeffa\r\nb\r\n", "a\nb", "a\nc\nb", "\ufeffa\r\nc\r\nb\r\n"},
		// Edits of the ends themselves.
		{mixed, "\r\n", "\n", "one\ntwo\nthree\nfour\n"},
		{mixed, "\n", "\r\n", "one\r\ntwo\r\nthree\r\nfour\r\n"},
		{mixed, "two\n", "two\r\n", "one\r\ntwo\r\nthree\r\nfour\n"},
		// What differs in more.
		{dos, "hello,\n", "hi,\n", ""},
		{dos, "return a  + b\n", "return b\n", ""},
		{mixed, "two\n\nthree", "x", ""},
		{mixed, "three\r", "three\n", ""},
	} {
		got, _, err := editArgs{Old: row.old, New: row.new, All: true}.replaced(row.file)
		if got != row.want || (err != nil) != (row.want == "") {
			t.Errorf("%q, %q -> %q: %q %v, want %q", row.file, row.old, row.new, got, err, row.want)
		}
	}
	// The last line of many cannot make the search for its end quadratic.
	many := strings.Repeat("x", 300_000)
	if got, n, err := (editArgs{Old: "x", New: "y\n", All: true}).replaced("a\r\n" + many); err != nil || n != len(many) || !strings.HasSuffix(got, "y\r\n") {
		t.Errorf("%d places, %v", n, err)
	}
}

// TestEditIsBoundToTheFileThatWasShown: its evidence names the file's state, and that of
// several edits in one answer is what the earlier ones leave.
func TestEditIsBoundToTheFileThatWasShown(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	run(t.Context(), r, "write_file", map[string]any{"path": "a", "content": "one\n"})
	first, second := `{"path":"a","old":"one","new":"two"}`, `{"path":"a","old":"two","new":"three"}`
	in := editCall("k3", `{"path":"a","old":"three","new":"four"}`)
	in.Before = []agent.EarlierCall{
		{ToolCallID: "k1", ToolName: "edit_file", Args: json.RawMessage(first)}, {ToolCallID: "k2", ToolName: "edit_file", Args: json.RawMessage(second)},
	}
	shown := r.Evidence("edit_file", in)
	if !strings.Contains(shown.Diff, "-three") || !strings.Contains(shown.Before[1].Diff, "-two") {
		t.Fatalf("%+v", shown)
	}
	for i, args := range []string{first, second} {
		now := r.Evidence("edit_file", editCall("k3", string(in.Args)))
		if len(agent.ChangedFiles(shown.Files, now.Files)) == 0 {
			t.Errorf("before call %d, the file is taken for what was shown", i)
		}
		if res := r.Execute(t.Context(), "edit_file", editCall("k"+string(rune('1'+i)), args)); res.ErrorType != "" {
			t.Fatalf("%+v", res)
		}
	}
	now := r.Evidence("edit_file", editCall("k3", string(in.Args)))
	if changed := agent.ChangedFiles(shown.Files, now.Files); len(changed) > 0 {
		t.Errorf("it is taken for another file than was shown: %v", changed)
	}
}
