package ranking_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent/ranking"
)

func textsOf(terms []ranking.Term) (texts []string) {
	for _, t := range terms {
		texts = append(texts, t.Text)
	}
	return texts
}

// TestTerms: ids are there whole and in their parts, a unit apart from its number, and
// characters in pairs and alone.
func TestTerms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"QT-208":               "qt 208 qt208",
		"v7.0.3":               "v7 0 3 v7·0·3",
		"max_idle_time":        "max idl tim maxidletim",
		"maxIdleTimes":         "max idl tim maxidletim",
		"0.25MPa":              "0 25 0·25 mpa",
		"15KB":                 "15 kb",
		"E404":                 "e404",
		"2026-05-09":           "2026 05 09 20260509",
		"the miller's batches": "the miller batch",
		"don’t":                "dont",
		"berries berry":        "berry berry",
		"planned planning":     "plan plan",
		"cancel cancellation":  "cancel cancel",
		"inspects inspection":  "inspect inspect",
		"stored store":         "stor stor",
		"need speed string":    "need speed string",
		"泵房":                   "泵房 泵 房",
		"旧key作废":               "旧 key 作废 作 废",
		"第3次":                  "第 3 次",
		"한국어":                  "한국 한 국어 국 어",
		"a@b.org":              "a b org b·org",
		"!? 。……":               "",
	} {
		if got := strings.Join(textsOf(ranking.Terms(text)), " "); got != want {
			t.Errorf("%q has the terms %q, want %q", text, got, want)
		}
	}
}

// TestLookAlikes: radicals, ligatures, full width, soft hyphens, and what nobody sees make no
// difference to terms, nor does traditional writing.
func TestLookAlikes(t *testing.T) {
	t.Parallel()
	for written, plain := range map[string]string{
		"\u2f64\u6237\u2f45\u6848":      "用户方案",
		"\u2ed4\u7981":                  "门禁",
		"\ufb01lter o\ufb03ce":          "filter office",
		"Ｂ２０７":                          "b207",
		"reser\u00advoir":               "reservoir",
		"reser\u00ad\nvoir":             "reservoir",
		"reser\u200bvoir\ufeff":         "reservoir",
		"no\u00a0break":                 "no break",
		"發動機維護":                         "发动机维护",
		"業務準備、刪除個別證書":                   "业务准备、删除个别证书",
		"cafe\u0301":                    "café",
		"\u8fbb\U000e0100\u8fbb":        "\u8fbb\u8fbb",
		"\U000e0041hidden\U000e0042tag": "hiddentag",
	} {
		if diff := cmp.Diff(textsOf(ranking.Terms(plain)), textsOf(ranking.Terms(written))); diff != "" {
			t.Errorf("%q (-%q +got):\n%s", written, plain, diff)
		}
	}
}

// TestFind: terms are found where they stand in the original, whatever form they have there.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, question string
		want           []string
	}{
		{"The o\ufb03ces are closed.", "office", []string{"o\ufb03ces"}},
		{"看\u2f64\u6237手册", "用户", []string{"\u2f64\u6237"}},
		{"更换滤网和密封圈。", "哪天更换了滤网", []string{"更换滤网"}},
		{"A reser\u00advoir, and QT_208", "qt-208 reservoir", []string{"reser\u00advoir", "QT_208"}},
		{"nothing", "else", nil},
	} {
		var got []string
		for _, m := range ranking.Find(tc.text, textsOf(ranking.Question(tc.question))) {
			got = append(got, tc.text[m[0]:m[1]])
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q in %q (-want +got):\n%s", tc.question, tc.text, diff)
		}
	}
}

// TestQuestion: words that only ask are left out, unless there are no others.
func TestQuestion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"What is the price of rye?": "pric rye",
		"what is it":                "what is it",
		"滤网多久换一次？":                  "滤网 换一 一次",
		"什么":                        "什么",
		"钥":                         "钥",
		"？？？ …":                     "",
		"":                          "",
	} {
		if got := strings.Join(textsOf(ranking.Question(text)), " "); got != want {
			t.Errorf("%q asks for %q, want %q", text, got, want)
		}
	}
}

// FuzzTerms: the terms of any text are in its order, within it, and safe to be put between
// double quotes.
func FuzzTerms(f *testing.F) {
	for _, text := range []string{"QT-208 v7.0.3", "發動機\u00ad\n維護", "\ufdfa\xff\u0301-a", "한국어 가\u0301"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, term := range slices.Concat(ranking.Terms(text), ranking.Question(text)) {
			if term.Start < 0 || term.Start >= term.End || term.End > len(text) || term.Text == "" || strings.ContainsAny(term.Text, "\" *^-:()\x00") {
				t.Errorf("%q has the term %+v", text, term)
			}
		}
	})
}
