package present

import (
	"strings"
	"testing"

	"fusebox/agent"
)

// TestMarksInPieces: a mark that comes in pieces ends as one that came at once, and so does the
// list below the answer.
func TestMarksInPieces(t *testing.T) {
	t.Parallel()
	const said = "The pump is old [1]. 滤网每月清洗【2†source】。\n\nBoth [1, 2][^1], not [9]: `a[0]`.\n\n[1]: https://a.example/ \"Official answer\"\n\n[1](https://a.example/)"
	for size := 1; size <= 8; size++ {
		s := newScript()
		s.said("r", "u", "How old is the pump?")
		s.add("r", 1, agent.StepStart{MessageID: "m"})
		s.stream("r", 1, "m", said, size)
		final := answered("m", said)
		final.Message.Citations = []agent.Citation{{N: 1, URL: "https://a.example/", Name: "Page"}, {N: 2, PassageID: "p1", DocumentID: "d1", Name: "pumps.md", Misquoted: true}}
		final.Message.UnknownCitations = []string{"9"}
		s.add("r", 1, final)
		page := strings.ReplaceAll(liveEqualsReload(t, s.events, func() *Presenter { return fold(agent.Conversation{ID: "c"}, true) }), "\n", "")
		if n := strings.Count(page, `class="cite"`); n != 6 {
			t.Errorf("in pieces of %d bytes: %d marks lead to sources\n%s", size, n, page)
		}
		for _, has := range []string{`>[9]</span>: <code dir="ltr">a[0]</code>`, "清洗<a", `href="/passages/p1?document=d1"`, "The quoted words are not in this source."} {
			if !strings.Contains(page, has) {
				t.Errorf("in pieces of %d bytes: lacks %s\n%s", size, has, page)
			}
		}
	}
}
