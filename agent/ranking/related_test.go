package ranking_test

import (
	"slices"
	"strings"
	"testing"

	"fusebox/agent/ranking"
)

// TestFindRelated: words that others say the same as are found as they stand, the longest at
// each place, whatever their form; words of several terms are phrases of the index.
func TestFindRelated(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		question, word, other string
	}{
		{"Where is the meeting room?", "meeting room", "会议 会 议室"},
		{"會議室在哪裡", "會議室", "meet room"},
		{"Who repaired it?", "repaired", "维修"},
		{"怎么恢复", "恢复", "restor"},
		{"it was turned away", "turned away", "拒绝"},
		{"每顿饭", "饭", "lunch"},
	} {
		all := ranking.FindRelated(tc.question)
		i := slices.IndexFunc(all, func(r ranking.Related) bool { return tc.question[r.Start:r.End] == tc.word })
		if i < 0 || !slices.ContainsFunc(all[i].Others, func(o []string) bool { return strings.Join(o, " ") == tc.other }) {
			t.Errorf("of %q: %+v, want %q for %q", tc.question, all, tc.other, tc.word)
		}
	}
	for _, question := range []string{"", "QT-208", "泵房?!", "the and of"} {
		for _, r := range ranking.FindRelated(question) {
			if len(r.Others) == 0 || r.Start >= r.End {
				t.Errorf("of %q: %+v", question, r)
			}
		}
	}
}
