package tools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fusebox/agent"
)

var readsOn = regexp.MustCompile(`\n\[… bytes \d+ to \d+ of \d+; read on with offset (\d+) …\]$`)

// TestReadFileByPart: the parts of a kept output, put together, are all of it, whole
// characters each; other conversations' outputs and what is beside them stay out of reach.
func TestReadFileByPart(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "line %d 天气\n", i)
	}
	whole := b.String()
	r, dir := kit(t, odd{name: "wordy", do: func(context.Context) agent.ToolResult { return agent.ToolResult{Content: whole} }})
	res := run(t.Context(), r, "wordy", nil)
	const kept = "outputs/c1/r1/k1.txt"
	if !res.Truncated || !strings.Contains(res.Content, kept) {
		t.Fatalf("%+v", res)
	}
	for _, limit := range []int{0, 1000, 1 << 30} {
		got, offset := "", 0
		for range 100 {
			args := map[string]any{"path": kept, "offset": offset}
			if limit > 0 {
				args["limit"] = limit
			}
			part := run(t.Context(), r, "read_file", args)
			if part.ErrorType != "" || part.Truncated || strings.Contains(part.Content, "\uFFFD") {
				t.Fatalf("at %d: %+v", offset, part)
			}
			more := readsOn.FindStringSubmatch(part.Content)
			got += readsOn.ReplaceAllString(part.Content, "")
			if more == nil {
				break
			}
			offset, _ = strconv.Atoi(more[1])
		}
		if got != whole {
			t.Errorf("with limit %d, the parts are %d bytes of %d", limit, len(got), len(whole))
		}
	}
	other := filepath.Join(dir, "outputs", "c2", "r1")
	if err := os.MkdirAll(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "k1.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"outputs/c2/r1/k1.txt", "outputs/c1/../c2/r1/k1.txt", "outputs/c1/r1/none.txt", "../outputs/c1/r1/k1.txt"} {
		if res := run(t.Context(), r, "read_file", map[string]any{"path": path}); res.ErrorType == "" || strings.Contains(res.Content, "secret") {
			t.Errorf("%s: %+v", path, res)
		}
	}
	if res := run(t.Context(), r, "read_file", map[string]any{"path": kept, "offset": len(whole)}); res.ErrorType != agent.ErrInvalidParams {
		t.Errorf("beyond the end: %+v", res)
	}
}

// TestReadFileByPartOfTheWorkspace reads a part of the model's own file.
func TestReadFileByPartOfTheWorkspace(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	run(t.Context(), r, "write_file", map[string]any{"path": "outputs/own.txt", "content": "0123456789"})
	res := run(t.Context(), r, "read_file", map[string]any{"path": "outputs/own.txt", "offset": 2, "limit": 5})
	if want := "23456\n[… bytes 2 to 7 of 10; read on with offset 7 …]"; res.Content != want {
		t.Errorf("%+v", res)
	}
}
