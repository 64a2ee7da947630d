package guards

import (
	"strings"
	"testing"
)

// whiteTexts are what the rule must leave alone and what it must cut.
var whiteTexts = func() ruleTexts {
	good := words(700, 32)
	return ruleTexts{ruleWhite, map[string]string{
		"599 empty lines":       strings.Repeat("\n", 599) + "end",
		"a page break":          rows(12, func(i int) string { return words(200, uint64(60+i)) + strings.Repeat("\n", 40) }),
		"blank lines of a form": strings.Repeat(strings.Repeat(" ", 80)+"\n", 7) + "end",
		"a wide column":         rows(20, func(i int) string { return word(i) + strings.Repeat(" ", 400) + word(i*3) + "\n" }),
		"deep indents":          rows(40, func(i int) string { return strings.Repeat("\t", 40+i) + word(i*7) + "\n" }),
		"one line of 2,999":     "a" + strings.Repeat(" ", 2999) + "b",
		"wide blanks":           "詩\n" + strings.Repeat("\u3000", 500) + "終",
	}, map[string]loudText{
		"empty lines":            {good, strings.Repeat("\n", 700), 0},
		"empty lines with CR":    {good, strings.Repeat("\r\n", 400), 0},
		"tabs and lines":         {good, strings.Repeat("\t\t\t\t\n", 200), 0},
		"lines of blanks":        {good, strings.Repeat("    \n", 200), 0},
		"blanks of many kinds":   {good, strings.Repeat("\u3000\u00a0 \n", 200), 0},
		"tabs on one line":       {good, strings.Repeat("\t", 3100), 0},
		"blanks in a code fence": {good + "\n```go\nx := 1", strings.Repeat("\n", 700), 0},
		"blanks in a table":      {"| a | b |", strings.Repeat("\n    ", 200), 0},
	}}
}()

func TestWhiteSpace(t *testing.T) {
	t.Parallel()
	whiteTexts.prove(t)
}

func BenchmarkWhiteSpace(b *testing.B) {
	benchRule(b, func() func(rune, int) bool {
		w := &whiteRun{}
		return w.push
	})
}
