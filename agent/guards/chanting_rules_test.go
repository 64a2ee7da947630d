package guards

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

// loudText is good text and then what one of the rules must cut. from is how
// many characters behind its beginning the rule may take as good.
type loudText struct {
	before, chant string
	from          int
}

// ruleTexts are texts that must pass all rules of chanting, and texts that one
// of them must cut.
type ruleTexts struct {
	rule  string
	quiet map[string]string
	loud  map[string]loudText
}

// allRuleTexts are those of the rules with a file of their own.
func allRuleTexts() []ruleTexts {
	return []ruleTexts{periodTexts, risingTexts, sentenceTexts, noveltyTexts, whiteTexts, {quiet: natural}}
}

func (r ruleTexts) prove(t *testing.T) {
	t.Helper()
	for name, text := range r.quiet {
		if v, at := plain(text); v.Level != agent.Pass {
			t.Errorf("%s: cut at character %d of %d: %s", name, at, utf8.RuneCountInString(text), v.Message)
		}
	}
	for name, tc := range r.loud {
		v, _ := plain(tc.before + tc.chant)
		if v.Rule != r.rule || v.Level != agent.Pause || v.Excerpt == "" || v.Message == "" || v.Count < v.Threshold || v.Threshold < 1 {
			t.Errorf("%s: %+v", name, v)
			continue
		}
		if off := v.Keep - len(tc.before); off < -8 || off > tc.from {
			t.Errorf("%s: keeps %d bytes, want %d and at most %d more", name, v.Keep, len(tc.before), tc.from)
		}
	}
}

// TestRulesDoNotSeePieces: each rule says the same of a text that comes in
// pieces, also cut within characters, and of one that comes after a tool call
// that follows other text.
func TestRulesDoNotSeePieces(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	other := words(777, 30) + " これ。\n"
	for _, r := range allRuleTexts() {
		for name, tc := range r.loud {
			text := tc.before + tc.chant
			want, wantAt := plain(text)
			if got, at := inPieces(pieces(text, rnd, 13)); !cmp.Equal(got, want) || at != wantAt {
				t.Errorf("%s: in pieces %+v at %d, in one %+v at %d", name, got, at, want, wantAt)
			}
			g := newChanting()
			g.Write(other)
			g.Reset()
			got := g.Write(text)
			if got.Keep -= len(other); !cmp.Equal(got, want) {
				t.Errorf("%s: after other text %+v, alone %+v", name, got, want)
			}
		}
	}
}

// natural are texts of all kinds that people ask for, none of which any rule
// may cut. They are made from facts, not taken from anybody.
var natural = map[string]string{
	"a changelog": rows(60, func(i int) string {
		return "## 1." + num(i) + ".0\n\n- Fix " + word(i) + " when " + word(i*7+3) + " is empty\n- Bump " + word(i*5) + " from 2." + num(i) + ".1 to 2." + num(i+1) + ".0\n\n"
	}),
	"requirements of versions": rows(20, func(i int) string { return "Tool 2." + num(i) + " requires Base " + num(4+i/3) + ".\n" }),
	"classifiers":              rows(12, func(i int) string { return "Classifier: Language :: Python :: 3." + num(i+2) + "\n" }),
	"years and an author": "Copyright: 2005, Ann Other <ann@example.org>\n" + strings.Join([]string{
		"  2006, Ann Other <ann@example.org>", "  2007, Ann Other <ann@example.org>", "  2009, Ann Other <ann@example.org>",
		"  2010, Ann Other <ann@example.org>", "  2011, Ann Other <ann@example.org>", "  2014, Ann Other <ann@example.org>",
	}, "\n"),
	"paths of one folder": rows(80, func(i int) string {
		return " libs/garden/include/garden/market/" + word(i*3) + "_" + word(i) + ".hpp\n"
	}),
	"statements of sql": rows(60, func(i int) string {
		return "INSERT INTO users VALUES (" + num(i) + ", '" + word(i*11) + "', " + num(i*i*37%991) + ");\n"
	}),
	"csv":                 "id,name,state,amount\n" + rows(90, func(i int) string { return num(i) + "," + word(i%5) + ",open," + num(i*i%83) + "\n" }),
	"csv of equal states": "id,name,state\n" + rows(90, func(i int) string { return num(i) + ",bed,free\n" }),
	"a log": rows(60, func(i int) string {
		return "2026-03-02 10:" + num(10+i/6) + ":" + num(10+i*7%50) + " INFO  worker finished job " + num(i*i*13%9973) + " in " + num(i*31%211) + " ms\n"
	}),
	"a log with brackets": rows(60, func(i int) string {
		return "[10:" + num(10+i%50) + ":07] GET /api/" + word(i) + " 200 " + num(i*97%1009) + "\n"
	}),
	"test output": strings.Repeat(strings.Repeat(".", 70)+" [ 10%]\n", 8) + "1 failed, 559 passed\n",
	"a progress bar": rows(40, func(i int) string {
		return "[" + strings.Repeat("#", i) + strings.Repeat(".", 40-i) + "] " + num(i*100/40) + "%\n"
	}),
	"a hex dump": rows(60, func(i int) string {
		return "000000" + num(10+i) + "0: 00ff 00ff 1234 " + num(1000+i*37) + " 0000 0000 0000 0000  ........\n"
	}),
	"a picture of signs": rows(20, func(i int) string {
		return strings.Repeat(" ", 20-i) + strings.Repeat("*", 2*i+1) + "\n"
	}) + strings.Repeat("#", 80) + "\n",
	"a table of contents": rows(30, func(i int) string {
		return word(i) + " and " + word(i*3+1) + " " + strings.Repeat(". ", 30) + num(3+i*4) + "\n"
	}),
	"a wide table": strings.Repeat("| ", 60) + "|\n" + strings.Repeat("|---", 60) + "|\n" + strings.Repeat("|   ", 60) + "|\n",
	"cities":       "Shenzhen, Chengdu, Berlin, Lagos, Lima, Oslo, Quito, Rome, Seoul, Tunis, Utrecht, Vienna, Warsaw, Xi'an, York, Zagreb. ",
	"a song with a refrain": rows(8, func(i int) string {
		return words(240, uint64(300+i)) + "\nAnd we go down, down to the river,\nand we go down to the river to sing,\noh, down to the river to sing.\n\n"
	}),
	"legal text": rows(30, func(i int) string {
		return "§ " + num(i+1) + ". The licensee shall not, without the prior written consent of the licensor, " + words(90, uint64(500+i)) + ".\n"
	}),
	"japanese":               strings.Repeat("はい、わかりました。", 3) + "東京は日本の首都で、多くの人が住んでいます。京都には古いお寺がたくさんあります。大阪は食べ物で有名です。",
	"chinese with a list":    rows(40, func(i int) string { return num(i+1) + "、" + string([]rune(chineseProse(400))[i*9:i*9+9]) + "；\n" }),
	"json of many objects":   "```json\n[\n" + rows(60, func(i int) string { return "  {\n    \"id\": " + num(i) + ",\n    \"active\": true\n  },\n" }) + "]\n```\n",
	"script without a space": "```js\n" + rows(80, func(i int) string { return "function " + word(i) + "(a,b){return a+b*" + num(i*i%97) + "};" }) + "\n```\n",
	"genes":                  ">seq\n" + genes(2400),
	"a matrix of zeros":      "```\n" + strings.Repeat(strings.Repeat("0 ", 20)+"\n", 30) + "```\n",
	"code of a state machine": "```go\n" + rows(60, func(i int) string {
		return "case " + num(i) + ":\n\treturn \"" + word(i*13) + "\"\n"
	}) + "```\n",
	"code with 29 equal lines": "```\n" + strings.Repeat("\tx++\n", 29) + "```\n",
	"html": rows(60, func(i int) string {
		return "<li class=\"item\"><a href=\"/p/" + word(i*7) + "\">" + word(i) + "</a></li>\n"
	}),
	"a form": rows(12, func(i int) string { return "Name of " + word(i*5) + ": ______________________________\n\n" }),
}

func rows(n int, row func(int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(row(i))
	}
	return b.String()
}

func num(i int) string { return strconv.Itoa(i) }

// word is another made-up word for each number.
func word(i int) string {
	const a, b, c = "bdfghklmnprst", "aeiou", "lmnrst"
	return string([]byte{a[i%13], b[i%5], c[i%6], b[i/13%5], a[(i*3+i/5)%13], b[i/7%5], c[i/65%6]})
}

func genes(n int) string {
	rnd := rand.New(rand.NewPCG(8, 8))
	return rows(n/60, func(int) string { return rows(60, func(int) string { return "ACGT"[rnd.IntN(4):][:1] }) + "\n" })
}

func TestChantingLeavesNaturalTextAlone(t *testing.T) {
	t.Parallel()
	ruleTexts{quiet: natural}.prove(t)
}
