package guards

import (
	"strings"
	"testing"
)

// risingTexts are what the rule must leave alone and what it must cut.
var risingTexts = func() ruleTexts {
	good := words(700, 33) + "\n\n"
	return ruleTexts{ruleRising, map[string]string{
		"29 long items":          times(29, "- Item %d: "+strings.Repeat("look at the pull request and merge it ", 3)+"\n"),
		"sixty short items":      times(60, "- Room %d: free and clean\n"),
		"a table of sixty users": "| name | state |\n| --- | --- |\n" + times(60, "| user%d | active |\n"),
		"names of files":         times(100, "report_%d.pdf\n"),
		"items that say more": rows(80, func(i int) string {
			return "- Item " + num(i) + ": look at " + word(i*7) + " and at " + word(i*11+2) + "\n"
		}),
		"counters that jump":        rows(80, func(i int) string { return "- Item " + num(i*i) + ": look at the pull request and merge it\n" }),
		"counters that fall":        rows(80, func(i int) string { return "- Item " + num(900-2*i) + ": look at the pull request and merge it\n" }),
		"counters that start again": rows(80, func(i int) string { return "- Item " + num(i%20) + ": look at the pull request and merge it\n" }),
		"records of json":           "```json\n[\n" + times(200, "  {\"id\": %d, \"name\": \"User\", \"active\": true},\n") + "]\n```\n",
		"records of csv":            times(200, "%d,User,active,2026-01-01,none\n"),
		"hours of a day": rows(48, func(i int) string {
			return "| " + num(i/2) + ":" + num(i%2*3) + "0 | " + word(i) + " | open for everybody who comes |\n"
		}),
		"a multiplication table": rows(90, func(i int) string {
			return "- 7 * " + num(i) + " = " + num(7*i) + ", and one more is " + num(7*i+7) + "\n"
		}),
		"more numbers than compare": times(60, "%d %d %d %d %d %d %d %d %d of the numbers that rise on this line\n"),
	}, map[string]loudText{
		"items of a list":        {good, times(60, "- [ ] Task %d: write a test for the function\n"), 12},
		"rows of a table":        {good + "| id | what | state |\n|---|---|---|\n", times(60, "| %d | The same description of it | open |\n"), 0},
		"two counters":           {good, times(60, "| user%d | user%d@example.org | active | no |\n"), 0},
		"lines of code":          {good + "```python\n", times(60, "    x%d = layers.Dense(64, name='dense')(x%d)\n"), 0},
		"blocks of two lines":    {good + "```python\n", times(60, "elif x == %d:\n    print(\"x is a number\")\n"), 8},
		"blocks with empty ones": {good + "```\n", times(60, "def test_%d():\n\n    assert that_it_works()\n\n\n"), 8},
		"blocks of five lines":   {good + "```\n", times(40, "begin %d\n  take the first\n  take the second\n  take the third\nend %d\n"), 8},
		"numbers alone":          {good, times(900, "%d\n"), 0},
		"in chinese":             {good, times(200, "- 第%d步：检查日志再试一次。\n"), 12},
		"lines that end in CR":   {good, times(60, "- Item %d: look at the request and merge it\r\n"), 12},
	}}
}()

func TestRisingCounters(t *testing.T) {
	t.Parallel()
	risingTexts.prove(t)
}

func TestRisingCountersShowTheirBlock(t *testing.T) {
	t.Parallel()
	v, _ := plain("```\n" + times(60, "elif x == %d:\n    print(\"x is a number\")\n"))
	if !strings.HasPrefix(v.Excerpt, "elif x ==") && !strings.HasPrefix(v.Excerpt, "print") || strings.Count(v.Excerpt, "\n") != 1 {
		t.Errorf("shows %q", v.Excerpt)
	}
}

func BenchmarkRisingCounters(b *testing.B) {
	benchRule(b, func() func(rune, int) bool {
		w := &risingLines{}
		return func(r rune, at int) bool {
			if r != '\n' {
				w.push(r)
				return false
			}
			n, _ := w.endLine(at+1, at+1, prose)
			return n > 0
		}
	})
}
