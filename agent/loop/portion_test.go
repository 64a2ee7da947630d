package loop

import (
	"strings"
	"testing"
	"unicode/utf8"

	"fusebox/agent"
)

// FuzzPortions: whatever the text and its pieces, nothing is lost, doubled or
// put into another order, and no piece ends inside a character.
func FuzzPortions(f *testing.F) {
	for _, seed := range []string{
		"你好。ok. next", "A. B! C? D", "```go\na. b\n```\r\nDone. x", "e.g. `x. y` 1. 2. 3.5 …", "é。\u00a0z. \n\n. ", "a.\tb!  c",
	} {
		f.Add(seed, uint8(1))
		f.Add(seed, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if !utf8.ValidString(text) {
			return // JSON holds none
		}
		p := portion{mode: agent.OutputSentence}
		var out strings.Builder
		for runes := []rune(text); len(runes) > 0; {
			n := min(len(runes), int(size%7)+1)
			got := p.push(string(runes[:n]))
			if !utf8.ValidString(got) {
				t.Fatalf("%q ends inside a character", got)
			}
			out.WriteString(got)
			runes = runes[n:]
		}
		out.WriteString(p.flush())
		if out.String() != text {
			t.Fatalf("got %q of %q", out.String(), text)
		}
	})
}
