package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"fusebox/agent"
)

func TestFilesStayInTheWorkspace(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	ctx := t.Context()
	if res := run(ctx, r, "write_file", map[string]any{"path": "notes/a.txt", "content": "hello\n"}); res.ErrorType != "" {
		t.Fatalf("write: %+v", res)
	}
	if res := run(ctx, r, "read_file", map[string]any{"path": "./notes/a.txt"}); res.Content != "hello\n" {
		t.Errorf("read: %+v", res)
	}
	if res := run(ctx, r, "list_files", map[string]any{}); res.Content != "notes/\n" {
		t.Errorf("list: %+v", res)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	space := filepath.Join(dir, "workspaces", "c1")
	for link, target := range map[string]string{"out": dir, "file": filepath.Join(dir, "secret"), "rel": "../../secret"} {
		if err := os.Symlink(target, filepath.Join(space, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"../secret", "/etc/passwd", "notes/../../../secret", `..\..\secret`, "out/secret", "file", "rel", "a\x00b"} {
		for _, tool := range []string{"read_file", "list_files", "write_file"} {
			args := map[string]any{"path": path}
			if tool == "write_file" {
				if path == "file" || path == "rel" {
					continue // a link is replaced by the file, its target is left alone
				}
				args["content"] = "overwritten"
			}
			res := run(ctx, r, tool, args)
			if res.ErrorType != agent.ErrPathOutside && res.ErrorType != agent.ErrInvalidParams || strings.Contains(res.Content, dir) {
				t.Errorf("%s %q: %+v", tool, path, res)
			}
		}
	}
	if res := run(ctx, r, "read_file", map[string]any{"path": "none"}); res.ErrorType != agent.ErrFileNotFound || strings.Contains(res.Content, dir) {
		t.Errorf("missing: %+v", res)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "secret")); err != nil || string(raw) != "key" {
		t.Errorf("outside was touched: %s %v", raw, err)
	}
}

func TestWriteShowsItsDiff(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	run(t.Context(), r, "write_file", map[string]any{"path": "a.txt", "content": "one\ntwo\n"})
	e := r.Evidence("write_file", agent.ToolInput{ConversationID: "c1", Args: json.RawMessage(`{"path":"a.txt","content":"one\nthree\n"}`)})
	if e.Effect != agent.EffectWrite || !strings.Contains(e.Diff, "-two") || !strings.Contains(e.Diff, "+three") {
		t.Errorf("evidence: %+v", e)
	}
	e = r.Evidence("run_shell", agent.ToolInput{ConversationID: "c1", Args: json.RawMessage(`{"command":"rm -rf build"}`)})
	if names := strings.Join(e.Env, " "); names != "PATH HOME LANG TERM" {
		t.Errorf("variables %q", names)
	}
	if e.Command != "rm -rf build" || e.Cwd != "workspaces/c1" {
		t.Errorf("evidence: %+v", e)
	}
}

// TestALinkOutIsRefused: for writing as for reading, also where the link stands
// in the place of the whole workspace.
func TestALinkOutIsRefused(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	run(t.Context(), r, "write_file", map[string]any{"path": "a.txt", "content": "x"})
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"workspaces/c1/out": secret, "workspaces/c1/rel": "../../secret", "workspaces/c1/new": "../../new", "workspaces/c2": dir} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ conversation, path string }{{"c1", "out"}, {"c1", "rel"}, {"c1", "new"}, {"c2", "secret"}} {
		in := agent.ToolInput{RunID: "r1", ConversationID: tc.conversation, CallID: "k", Args: json.RawMessage(`{"path":"` + tc.path + `","content":"overwritten"}`)}
		for _, tool := range []string{"write_file", "read_file"} {
			if res := r.Execute(t.Context(), tool, in); res.ErrorType != agent.ErrPathOutside || strings.Contains(res.Content, dir) {
				t.Errorf("%s %v: %+v", tool, tc, res)
			}
		}
		if e := r.Evidence("write_file", in); strings.Contains(e.Diff, "key") || !strings.Contains(e.Diff, "leads out") {
			t.Errorf("evidence of %v: %+v", tc, e)
		}
	}
	if raw, err := os.ReadFile(secret); err != nil || string(raw) != "key" {
		t.Errorf("outside was touched: %s %v", raw, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "new")); err == nil {
		t.Error("a file was made outside")
	}
}

func TestWriteReplacesTheWholeFile(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	ctx, path := t.Context(), filepath.Join(dir, "workspaces", "c1", "run.sh")
	run(ctx, r, "write_file", map[string]any{"path": "run.sh", "content": "a much longer first version"})
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	run(ctx, r, "write_file", map[string]any{"path": "run.sh", "content": "short"})
	raw, err := os.ReadFile(path)
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || string(raw) != "short" || info.Mode().Perm() != 0o700 {
		t.Errorf("%q %v %v", raw, info, err)
	}
	if res := run(ctx, r, "list_files", map[string]any{"path": "."}); res.Content != "run.sh\t5 bytes\n" {
		t.Errorf("a draft is left: %q", res.Content)
	}
	run(ctx, r, "write_file", map[string]any{"path": "folder/x", "content": "x"})
	for _, path := range []string{"folder", ".", "run.sh/x"} {
		if res := run(ctx, r, "write_file", map[string]any{"path": path, "content": "x"}); res.ErrorType == "" || strings.Contains(res.Content, dir) {
			t.Errorf("%s: %+v", path, res)
		}
	}
	if res := run(ctx, r, "write_file", map[string]any{"path": "big", "content": strings.Repeat("é", maxWrite/2+1)}); res.ErrorType != agent.ErrInvalidParams {
		t.Errorf("too large: %+v", res.ErrorType)
	}
}

func TestReadsAreBounded(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	run(t.Context(), r, "list_files", nil)
	space := filepath.Join(dir, "workspaces", "c1")
	big := strings.Repeat("0123456789abcde\n", maxRead/16) + "beyond"
	for name, text := range map[string]string{"big": big, "binary": "\x00\xff\xfe"} {
		if err := os.WriteFile(filepath.Join(space, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if res := run(t.Context(), r, "read_file", map[string]any{"path": "big"}); !res.Truncated || len(res.Content) > 3400 || strings.Contains(res.Content, "beyond") || !strings.Contains(res.Content, "goes on") {
		t.Errorf("big: %d bytes: %.100s", len(res.Content), res.Content)
	}
	if res := run(t.Context(), r, "read_file", map[string]any{"path": "binary"}); res.ErrorType != agent.ErrExecution {
		t.Errorf("binary: %+v", res)
	}
	e := r.Evidence("write_file", agent.ToolInput{ConversationID: "c1", Args: json.RawMessage(`{"path":"binary","content":"text"}`)})
	if !utf8.ValidString(e.Diff) || !strings.Contains(e.Diff, "+text") {
		t.Errorf("diff of a binary: %q", e.Diff)
	}
	many := filepath.Join(space, "many")
	if err := os.Mkdir(many, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range maxEntries + 5 {
		if err := os.WriteFile(filepath.Join(many, fmt.Sprintf("%05d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := readFolder(mustRoot(t, space), "many")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(listing(entries)), "\n")
	if len(lines) != maxEntries+1 || lines[0] != "00000\t0 bytes" || !strings.Contains(lines[maxEntries], "5 more") {
		t.Errorf("%d lines, the last: %s", len(lines), lines[len(lines)-1])
	}
	if err := os.WriteFile(filepath.Join(space, "a\nb"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if res := run(t.Context(), r, "list_files", nil); !strings.Contains(res.Content, `"a\nb"`) {
		t.Errorf("a name with a line feed: %q", res.Content)
	}
}

func mustRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// TestPartsOfEncodedFiles: the parts of a file add up to its text in any encoding, wherever
// they are cut, and each names the encoding.
func TestPartsOfEncodedFiles(t *testing.T) {
	t.Parallel()
	r, dir := kit(t)
	run(t.Context(), r, "list_files", nil)
	for name, row := range map[string]struct {
		codec      encoding.Encoding
		mark, text string
	}{
		"gbk":    {simplifiedchinese.GB18030, "", strings.Repeat("你好，𠮷世界 is fine\n", 400)},
		"utf16":  {unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "\xfe\xff", strings.Repeat("名字 name 😀\r\n", 400)},
		"latin1": {charmap.Windows1252, "", strings.Repeat("un café à la crème — 5 €\n", 300)},
		"marked": {unicode.UTF8, "\xef\xbb\xbf", strings.Repeat("你好 name\n", 400)},
	} {
		raw, err := row.codec.NewEncoder().String(row.text)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, "workspaces", "c1", name), []byte(row.mark+raw), 0o600))
		for _, limit := range []int{7, 500, 100_000} {
			got, parts := "", 0
			for offset, more := 0, true; more && len(got) < 400; parts++ {
				part := run(t.Context(), r, "read_file", map[string]any{"path": name, "offset": offset, "limit": limit})
				text, notes, _ := strings.Cut(part.Content, "\n[… ")
				if part.ErrorType != "" || part.Truncated || name != "marked" && !strings.Contains(notes, "written in") {
					t.Fatalf("%s from %d: %+v", name, offset, part)
				}
				got += text
				_, more = strings.CutPrefix(notes, "bytes")
				if more {
					_, next, _ := strings.Cut(notes, "with offset ")
					_, err := fmt.Sscan(next, &offset)
					must(t, err)
				}
			}
			if !strings.HasPrefix(row.text, got) || len(got) < 400 {
				t.Errorf("%s by %d: %d parts give %q", name, limit, parts, got)
			}
		}
	}
}
