package ranking_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent/ranking"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, words string
		want        []string
	}{
		{"The pump, a PUMP, and pumps", "pump", []string{"pump", "PUMP", "pump"}},
		{"水泵的阀门和阀门", "阀门", []string{"阀门", "阀门"}},
		{"水泵的閥門", "阀门", []string{"閥門"}},
		{"ＬＫ－９７ is full width", "lk-97", []string{"ＬＫ－９７"}},
		{"over two\n  lines", "TWO lines", []string{"two\n  lines"}},
		{"aaaa", "aa", []string{"aa", "aa"}},
		{"2*3 = 6", "2*3", []string{"2*3"}},
		{"short", "much longer than it", nil},
		{"anything", "", nil},
		{"anything", "\u200b", nil},
	} {
		var got []string
		for _, at := range ranking.Places(tc.text, tc.words) {
			got = append(got, tc.text[at[0]:at[1]])
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%q in %q: %s", tc.words, tc.text, d)
		}
	}
}
