package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"context"

	"fusebox/agent"
)

// searched is a workspace with files of all kinds.
func searched(t *testing.T) (*Registry, string) {
	t.Helper()
	r, dir := kit(t)
	space := filepath.Join(dir, "workspaces", "c1")
	for name, content := range map[string]string{
		"a.go": "package a\nvar secret = 1\n", "src/b.go": "package b\r\n", "src/deep/c.ts": "let package = 2", ".git/config": "package hidden",
		"bin": "package\x00\x01", "wide.txt": "package " + strings.Repeat("x", 3*maxHitLine), "src/.env": "package env",
	} {
		must(t, os.MkdirAll(filepath.Join(space, filepath.Dir(name)), 0o700))
		must(t, os.WriteFile(filepath.Join(space, name), []byte(content), 0o600))
	}
	must(t, os.WriteFile(filepath.Join(dir, "outside.go"), []byte("package outside"), 0o600))
	must(t, os.Symlink(dir, filepath.Join(space, "way-out")))
	must(t, os.Symlink(filepath.Join(dir, "outside.go"), filepath.Join(space, "link.go")))
	return r, space
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	r, _ := searched(t)
	for pattern, want := range map[string]string{
		"**/*.go": "a.go\nlink.go\nsrc/b.go\n", "*.go": "a.go\nlink.go\n", "src/**": "src/b.go\nsrc/deep/c.ts\n", "**/*.{ts,md}": "src/deep/c.ts\n",
		".git/*": ".git/config\n", "src/.*": "src/.env\n", "./a.go": "a.go\n", "*.none": "No file matches *.none.\n",
		"way-out/*": "No file matches way-out/*.\n",
	} {
		if res := run(t.Context(), r, "glob", map[string]any{"pattern": pattern}); res.Content != want || res.ErrorType != "" {
			t.Errorf("%s: %+v, want %q", pattern, res, want)
		}
	}
	for pattern, want := range map[string]agent.ErrorType{
		"[": agent.ErrInvalidParams, strings.Repeat("{a,b}", 9): agent.ErrInvalidParams, "../*": agent.ErrPathOutside, "/etc/*": agent.ErrPathOutside,
	} {
		if res := run(t.Context(), r, "glob", map[string]any{"pattern": pattern}); res.ErrorType != want {
			t.Errorf("%s: %+v", pattern, res)
		}
	}
}

func TestGrep(t *testing.T) {
	t.Parallel()
	r, _ := searched(t)
	res := run(t.Context(), r, "grep", map[string]any{"pattern": `^(let )?package\b`})
	want := "a.go:1: package a\nsrc/b.go:1: package b\nsrc/deep/c.ts:1: let package = 2\nwide.txt:1: package " +
		strings.Repeat("x", maxHitLine-8) + "…\n[… binary files that were left out: 1 …]\n"
	if res.Content != want {
		t.Errorf("%+v", res)
	}
	for path, want := range map[string]string{
		"src": "src/b.go:1: package b\n", ".git": ".git/config:1: package hidden\n", "src/.env": "src/.env:1: package env\n",
		"a.go": "a.go:1: package a\n", "none": "none does not exist", "link.go": "leads out", "way-out": "leads out", "../outside.go": "leads out",
	} {
		res := run(t.Context(), r, "grep", map[string]any{"pattern": "package [a-z]", "path": path})
		if !strings.Contains(res.Content, want) || strings.Contains(res.Content, "outside\n") || strings.Count(res.Content, "\n") > 1 {
			t.Errorf("%s: %+v", path, res)
		}
	}
	if res := run(t.Context(), r, "grep", map[string]any{"pattern": "("}); res.ErrorType != agent.ErrInvalidParams {
		t.Errorf("%+v", res)
	}
}

// TestGrepReadsEncodings: the text of a file is searched, however it is written, and wherever
// it says so.
func TestGrepReadsEncodings(t *testing.T) {
	t.Parallel()
	r, space := searched(t)
	plain := strings.Repeat("int x = 1;\n", maxHead/8)
	for name, content := range map[string]string{
		"gbk.c": plain + "// \xca\xc0\xbd\xe7\n", "big5.txt": "\xa7\x41\xa6\x6e\xa1\x41\xa5\x40\xac\xc9\xa1\x43\r\n", "utf16.txt": "\xfe\xff\x00a\x00\r\x00\n\x4e\x16\x75\x4c",
		"marked.txt": "\xef\xbb\xbf世界\n", "noise": "\x81\x20\xff世界\xfe\n",
	} {
		must(t, os.WriteFile(filepath.Join(space, name), []byte(content), 0o600))
	}
	res := run(t.Context(), r, "grep", map[string]any{"pattern": "^(.. |你好，)?世界。?$"})
	want := fmt.Sprintf("big5.txt:1: 你好，世界。\ngbk.c:%d: // 世界\nmarked.txt:1: 世界\nutf16.txt:2: 世界\n[… binary files that were left out: 1 …]\n", maxHead/8+1)
	if res.Content != want {
		t.Errorf("%+v", res)
	}
}

// TestSearchesAreBounded: many hits, a line without an end, and a call that is over.
func TestSearchesAreBounded(t *testing.T) {
	t.Parallel()
	r, space := searched(t)
	must(t, os.WriteFile(filepath.Join(space, "many"), []byte(strings.Repeat("hit\n", maxHits+1)), 0o600))
	must(t, os.WriteFile(filepath.Join(space, "endless"), []byte("first\n"+strings.Repeat("y", maxLine+1)), 0o600))
	args := agent.ToolInput{ConversationID: "c1", Args: []byte(`{"pattern":"hit"}`)}
	if res := (grepFiles{r.spaces}).Run(t.Context(), args); strings.Count(res.Content, "hit\n") != maxHits || !strings.Contains(res.Content, "more than 500") || !strings.Contains(res.Content, "endless has a very long line") {
		t.Errorf("%.300s", res.Content[max(len(res.Content)-300, 0):])
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if res := (grepFiles{r.spaces}).Run(over, args); strings.Contains(res.Content, "many") {
		t.Errorf("a call that is over goes on: %.300s", res.Content)
	}
}

var partLine = regexp.MustCompile(`\n\[… part \d+ of (\d+) …\]$`)

// TestFetchOutput: the parts of a truncated result add up to the whole output.
func TestFetchOutput(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("天气 is fine\n", 1500)
	r, _ := kit(t, odd{name: "wordy", do: func(context.Context) agent.ToolResult { return agent.ToolResult{Content: whole} }})
	cut := run(t.Context(), r, "wordy", nil)
	const kept = "outputs/c1/r1/k1.txt"
	if !strings.Contains(cut.Content, "kept in "+kept+"; fetch_output") {
		t.Fatalf("%+v", cut)
	}
	got, parts := "", 1
	for n := 1; n <= parts; n++ {
		part := run(t.Context(), r, "fetch_output", map[string]any{"path": kept, "part": n})
		count := partLine.FindStringSubmatch(part.Content)
		if part.ErrorType != "" || part.Truncated || count == nil {
			t.Fatalf("part %d: %+v", n, part)
		}
		_, err := fmt.Sscan(count[1], &parts)
		must(t, err)
		got += partLine.ReplaceAllString(part.Content, "")
	}
	if got != whole || parts < 3 {
		t.Errorf("%d parts have %d bytes of %d", parts, len(got), len(whole))
	}
	for _, args := range []map[string]any{{"path": kept, "part": parts + 1}, {"path": "outputs/c2/r1/k1.txt"}, {"path": "a.txt"}, {"path": "../outputs/c1/r1/k1.txt"}} {
		if res := run(t.Context(), r, "fetch_output", args); res.ErrorType == "" {
			t.Errorf("%v: %+v", args, res)
		}
	}
}
