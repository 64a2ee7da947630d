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
	r, _ := kit(t)
	run(t.Context(), r, "write_file", map[string]any{"path": "dos", "content": "a\r\nb\r\n"})
	if res := run(t.Context(), r, "edit_file", map[string]any{"path": "dos", "old": "a\nb", "new": "c"}); !strings.Contains(res.Content, `\r\n`) {
		t.Errorf("other line ends: %+v", res)
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
