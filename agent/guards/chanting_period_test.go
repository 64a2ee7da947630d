package guards

import (
	"strings"
	"testing"
)

// periodTexts are what the rule must leave alone and what it must cut.
var periodTexts = func() ruleTexts {
	good := words(700, 31) + "\n\n"
	return ruleTexts{rulePeriod, map[string]string{
		"nineteen units of thirty":           strings.Repeat("0123456789;0123456789;123456789\n", 19),
		"399 characters of a sum":            strings.Repeat("2 + 2 = 4, ", 36),
		"999 signs of a rule":                strings.Repeat("~", 999),
		"rows of table rules":                strings.Repeat("+---+----", 100),
		"2,999 zeros":                        strings.Repeat("0", 2999),
		"zeros with blanks":                  strings.Repeat("0 ", 1400),
		"an encoded block that stands still": "data:" + strings.Repeat("NjI4", 740),
		"dot leaders":                        strings.Repeat("Chapter"+strings.Repeat(" .", 200)+"\n", 3),
		"a string of spaces":                 strings.Repeat(" ", 2000),
		"pieces of one word each":            strings.Join([]string{strings.Repeat("ab", 20), strings.Repeat("cd", 20), strings.Repeat("ef", 20)}, "\n"),
		"units that differ in one sign":      rows(40, func(i int) string { return "x = x + " + word(i)[:2] + ";\n" }),
		"an array of equal words":            "```json\n[" + strings.Repeat(`"active",`, 39) + `"active"]` + "\n```",
		"lines of pluses and minuses":        rows(60, func(i int) string { return strings.Repeat("+", i%37) + strings.Repeat("-", 37-i%37) + "\n" }),
	}, map[string]loudText{
		"a sum":                       {good, strings.Repeat("2 + 2 = 4, ", 40), 0},
		"closing tags":                {good, strings.Repeat("</div>\n", 60), 0},
		"a path upwards":              {good, strings.Repeat("../", 400), 3},
		"arguments of an address":     {good, "https://example.org/list?" + strings.Repeat("&page=1", 70), 30},
		"objects of json":             {good + "```json\n[\n", strings.Repeat(`{"x":0,"y":0},`, 40), 0},
		"lines of code":               {good + "```js\n", strings.Repeat("    x = x + 1\n", 40), 8},
		"equal items of a list":       {good, strings.Repeat("- Look it up again.\n", 24), 0},
		"a tree of files":             {good + "```\n", strings.Repeat("    └── src\n", 40), 8},
		"rows of a table":             {good + "| a | b |\n|---|---|\n", strings.Repeat("| 2026-01-01 | ok |\n", 24), 0},
		"bytes in backslashes":        {good + "```\n", strings.Repeat(`\x90`, 110), 0},
		"a flood of dashes":           {good, strings.Repeat("—", 1200), 0},
		"a flood of dots":             {good, strings.Repeat(".", 1200), 0},
		"a flood of zeros":            {good, strings.Repeat("0", 3200), 0},
		"an encoded block in lines":   {good + "data: ", wrapped(strings.Repeat("NjI4", 900), 158), 200},
		"an encoded block that stops": {good + "data:", strings.Repeat("NjI4", 800), 4},
		"one sign of chinese in rows": {"| 好 |\n| --- |\n", strings.Repeat("| 好 |\n", 70), 0},
		"letters with numbers":        {good + "```\n", strings.Repeat("a1,b2,", 80), 0},
		"a unit of sixty-four":        {good + "```\n", strings.Repeat(words(63, 9)+"\n", 24), 0},
	}}
}()

func TestExactPeriod(t *testing.T) {
	t.Parallel()
	periodTexts.prove(t)
}

func wrapped(text string, width int) string {
	return rows(len(text)/width, func(i int) string { return text[i*width:(i+1)*width] + "\n" })
}

func TestExactPeriodSaysWhatAndHowOften(t *testing.T) {
	t.Parallel()
	v, _ := plain("Now:\n" + strings.Repeat("2 + 2 = 4, ", 60))
	if want := `The answer has repeated the same 11 characters 37 times in a row: "2 + 2 = 4,"`; v.Message != want || v.Count != 37 {
		t.Errorf("%d, %q, want %q", v.Count, v.Message, want)
	}
}

func BenchmarkExactPeriod(b *testing.B) {
	benchRule(b, func() func(rune, int) bool {
		w := &periodWindow{}
		return func(r rune, at int) bool {
			w.push(r, at, false)
			n, _ := w.row()
			return n > 0
		}
	})
}
