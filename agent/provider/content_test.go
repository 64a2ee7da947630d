package provider

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/history"
	"fusebox/agent/provider/streamtest"
	"fusebox/agent/provider/wire"
)

// readContent takes a text in pieces of some characters.
func readContent(t *testing.T, text string, size int) (content, reasoning string, calls int, page agent.Completion) {
	t.Helper()
	w := &watcher{}
	var events []string
	for piece := range slices.Chunk([]rune(text), max(size, 1)) {
		events = append(events, streamtest.Text(string(piece)))
	}
	a := answer.NewAccumulator(history.New(), answer.NewOutput(w.sink), streamtest.Tools)
	s, err := wire.Open(strings.NewReader(streamtest.Answered(events...)), func() {})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Read(s, func() {}); err != nil && a.Completion().Content != "" {
		t.Fatal(err)
	}
	c := a.Completion()
	return c.Content, c.Reasoning, len(c.Calls), w.assembled()
}

// FuzzContent: reasoning and calls in a text are found the same however it is
// cut, and the page shows what the completion says.
func FuzzContent(f *testing.F) {
	call := `<tool_call>{"name":"get_time","arguments":{}}</tool_call>`
	for _, seed := range []string{
		"<think>hm</think>answer", "hm\n</think>\nanswer", "look.\n" + call, "```\n" + call + "\n```\n", `{"name":"get_time","arguments":{}}`,
		"[TOOL_CALLS]get_time[ARGS]{}", "~~~\n</think>\n~~~", "<think>\n\n</think>\n" + call, "a\n</think> b", "<thin", "[TOOL_", "{ \n\"name\" x",
	} {
		f.Add(seed, uint8(1))
		f.Add(seed, uint8(4))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if !utf8.ValidString(text) {
			return // JSON holds none
		}
		content, reasoning, calls, page := readContent(t, text, len(text)+1)
		c, r, n, p := readContent(t, text, int(size%9)+1)
		if c != content || r != reasoning || n != calls {
			t.Fatalf("%q: in pieces %q after %q and %d calls, whole %q after %q and %d", text, c, r, n, content, reasoning, calls)
		}
		if page.Content != content || p.Content != content || page.Reasoning != reasoning || p.Reasoning != reasoning {
			t.Fatalf("%q: the page shows %q or %q, the completion says %q", text, page.Content, p.Content, content)
		}
	})
}
