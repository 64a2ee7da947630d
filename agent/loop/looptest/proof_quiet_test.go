package looptest

import (
	"fmt"
	"strings"

	"fusebox/agent"
)

// quiet are histories that must not be disturbed: each is a false alarm that
// people of other systems report, or a step before a threshold.
func quiet() []proof {
	const batch, build, poll, list, talk, edge = "batch work", "build, fix, build", "polling with progress", "lists and tables", "talk", "before a threshold"
	return []proof{
		{name: "twelve files", kind: batch, answers: each(12, `read {"path":"notes/LETTER.md"} => text LETTER`)},
		{name: "forty files", kind: batch, answers: each(38, `read {"path":"src/part%d.go"} => package p%d`)},
		{name: "forty numbered files, all empty", kind: batch, answers: each(38, `read {"path":"part%d.txt"} => (empty)`)},
		{name: "images with one answer", kind: batch, answers: each(30, `resize {"file":"img_%d.png"} => ok`)},
		{name: "writes that are all answered with ok", kind: batch, answers: each(30, `save {"id":%d} => ok`), tools: toolNamed("save", writes)},
		{name: "files found by one pattern", kind: batch, answers: each(30, `grep {"pattern":"TODO","file":"src/f%d.go"} => no matches`)},
		{name: "forty calls in one answer", kind: batch, answers: []string{strings.Join(each(40, `read {"path":"f%d.txt"} => t%d`), " ++ "), `"Done."`}},
		{name: "pages with different results", kind: batch, answers: each(20, `search {"q":"cats","page":%d} => hits LETTER`)},
		{name: "users with different results", kind: batch, answers: each(20, `user {"id":%d} => {"name":"LETTER"}`)},
		{name: "three tools for each item", kind: batch, answers: weave(each(9, `read {"path":"f%d.txt"} => t%d`), each(9, `check {"text":"LETTER"} => fine LETTER`), each(9, `store {"text":"LETTER"} => kept LETTER`))},
		{name: "a write for each read", kind: batch, answers: weave(each(14, `read {"path":"f%d.txt"} => t%d`), each(14, `save {"path":"f%d.txt"} => ok`)), tools: toolNamed("save", writes)},
		{name: "one line of text beside forty calls", kind: batch, answers: each(30, `"Now the next file." read {"path":"f%d.txt"} => t%d`)},

		{name: "build with changing results", kind: build, answers: weave(each(8, `edit {"line":"LETTER"} => ok`), each(8, `build {} => %d errors`)), tools: toolNamed("edit", writes)},
		{name: "build, read, fix", kind: build, answers: weave(each(7, `build {} => LETTER is wrong`), each(7, `read {"path":"LETTER.go"} => text LETTER`), each(7, `edit {"path":"LETTER.go"} => ok`)), tools: toolNamed("edit", writes)},
		{name: "tests that get better", kind: build, answers: weave(each(9, `edit {"fix":"LETTER"} => done`), each(9, `test {} => %d of 9 pass`)), tools: toolNamed("edit", writes)},
		{name: "the same build four times", kind: build, answers: round(4, `build {} => same`)},
		{name: "the same build four times between different edits", kind: build, answers: weave(each(4, `edit {"fix":"LETTER"} => ok`), round(4, `build {} => same`)), tools: toolNamed("edit", writes)},

		{name: "the same check after each of twelve files", kind: build, answers: weave(each(12, `save {"path":"f%d.txt","text":"part %d"} => ok`), round(12, `sh {"command":"test -d . && echo ok"} => ok`)), tools: savesAndRuns},
		{name: "the same tests after each fix, read in between", kind: build, answers: weave(each(9, `read {"path":"LETTER.go"} => text LETTER`), each(9, `save {"fix":"LETTER"} => ok`), round(9, `run_tests {} => !1 of 9 failed`)), tools: savesAndRuns},
		{name: "a page fetched after each edit", kind: build, answers: weave(each(9, `sh {"command":"sed -i s/LETTER/x/ page.html"} => (nothing)`), round(9, `sh {"command":"curl -s localhost:8080"} => it works`)), tools: savesAndRuns},
		{name: "build and test after each edit", kind: build, answers: weave(each(9, `save {"fix":"LETTER"} => ok`), round(9, `sh {"command":"go build ./..."} => ok`), round(9, `sh {"command":"go test ./..."} => ok`)), tools: savesAndRuns},
		{name: "numbered pages checked after each edit", kind: build, answers: weave(each(12, `save {"fix":"LETTER"} => ok`), each(12, `look {"page":%d} => fine`)), tools: savesAndRuns},
		{name: "a check known from before a compaction, after edits", kind: build, answers: weave(each(6, `save {"fix":"LETTER"} => ok`), round(6, `look {} => fine`)), tools: savesAndRuns, set: compactedAfter(4)},

		{name: "a poll that counts up", kind: poll, answers: each(30, `job {"id":7} => %d percent`), tools: toolNamed("job", polls)},
		{name: "a poll that changes at the last moment", kind: poll, answers: then(round(3, `job {} => waiting`), round(4, `job {} => running`)), tools: toolNamed("job", polls)},
		{name: "a poll beside work", kind: poll, answers: weave(each(12, `job {} => LETTER`), each(12, `read {"path":"LETTER.txt"} => LETTER`)), tools: toolNamed("job", polls)},
		{name: "four equal polls", kind: poll, answers: round(4, `job {} => waiting`), tools: toolNamed("job", polls)},
		{name: "two jobs by turns, both move", kind: poll, answers: weave(each(9, `job {"id":1} => %d percent`), each(9, `job {"id":2} => %d of 9`)), tools: toolNamed("job", polls)},
		{name: "output with a bar that grows", kind: "progress bars in tool output", answers: each(8, `job {} => [#%d.........] %d`), tools: toolNamed("job", polls)},

		{name: "the same call twice in one answer", kind: "twins", answers: round(2, `look {"x":1} => one ++ look {"x":1} => one`)},
		{name: "the same call four times in one answer", kind: "twins", answers: []string{strings.Join(round(4, `look {"x":1} => one`), " ++ "), `"Done."`}},
		{name: "the same question twice", kind: "a person asks again", answers: then(round(4, `look {"x":1} => one`), []string{`"One."`}, round(4, `look {"x":1} => one`)), again: "go"},
		{name: "the same answer to the same question", kind: "a person asks again", answers: []string{`"It is one."`, `"It is one."`}, again: "go"},
		{name: "failures of two runs", kind: "a person asks again", answers: []string{`look {} => !broken`, `"Sorry."`, `look {} => !broken`, `"Sorry."`}, again: "go"},

		{name: "a table of similar rows", kind: list, answers: []string{text("| name | state |\n| --- | --- |\n" + strings.Join(each(60, "| user%d | active |\n"), ""))}},
		{name: "a list of similar items", kind: list, answers: []string{text(strings.Join(each(60, "- Room %d: free and clean\n"), ""))}},
		{name: "a numbered list of different items", kind: list, answers: []string{text(strings.Join(each(40, "%d. Look at LETTER and write it down\n"), ""))}},
		{name: "code with similar lines", kind: list, answers: []string{text("```go\n" + strings.Join(each(60, "\tx[%d] = append(x[%d], y)\n"), "") + "```\n")}},
		{name: "code with equal lines", kind: list, answers: []string{text("```\n" + strings.Repeat("counter += step\n", 11) + "```\nThat is all.")}},
		{name: "long rules", kind: list, answers: []string{text(strings.Repeat("=", 500) + "\n" + strings.Repeat("-", 500) + "\n")}},
		{name: "bars", kind: list, answers: []string{text(strings.Repeat("█", 300) + strings.Repeat("░", 300))}},
		{name: "headings", kind: list, answers: []string{text(strings.Join(each(40, "## Part %d\nLETTER is another story than the one before, number %d.\n"), ""))}},
		{name: "quotes", kind: list, answers: []string{text(strings.Join(each(40, "> LETTER said that it was so.\n"), ""))}},
		{name: "json in one line", kind: list, answers: []string{text("[" + strings.Join(each(200, "{'id':%d,'state':'ok'},"), "") + "{}]")}},
		{name: "an encoded block", kind: list, answers: []string{text("data:" + strings.Repeat("aGVsbG8gd29ybGQ0Mg", 60))}},
		{name: "zeros", kind: list, answers: []string{text(strings.Repeat("0000 ", 300))}},

		{name: "a poem with a refrain", kind: talk, answers: []string{text(strings.Join(each(8, "Of LETTER and of LETTER sings the bird number %d upon its bough,\nand no one knows what LETTER was about to tell us now.\nOh sing, my heart, oh sing.\n\n"), ""))}},
		{name: "chinese prose", kind: talk, answers: []string{text("天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。寒来暑往，秋收冬藏。闰余成岁，律吕调阳。云腾致雨，露结为霜。金生丽水，玉出昆冈。剑号巨阙，珠称夜光。果珍李柰，菜重芥姜。")}},
		{name: "laughter", kind: talk, answers: []string{text(strings.Repeat("ha ", 20))}},
		{name: "a sentence said four times", kind: talk, answers: []string{text(strings.Repeat("I will check the logs once more. ", 4))}},
		{name: "counting aloud", kind: talk, answers: []string{text(strings.Join(each(200, "%d, "), ""))}},
		{name: "years and figures", kind: talk, answers: []string{text(strings.Join(each(40, "In 20%d it was 3%d percent. "), ""))}},
		{name: "the alphabet, often", kind: talk, answers: []string{text(strings.Repeat("abcdefghijklmnopqrstuvwxyz\n", 4))}},
		{name: "a question, then an answer", kind: talk, answers: []string{`"Let me see." look {} => one`, `"It is one."`}},
		{name: "the same words with progress between", kind: talk, answers: []string{`"Once more." look {"x":1} => one`, `"Once more." look {"x":2} => two`, `"Once more." look {"x":3} => three`, `"Done."`}},

		{name: "four equal calls", kind: edge, answers: round(4, `look {"x":1} => one`)},
		{name: "four calls that take turns", kind: edge, answers: round(4, `look {"x":1} => one`, `turn {"x":2} => two`)},
		{name: "two rounds of three", kind: edge, answers: round(6, `a {} => 1`, `b {} => 2`, `c {} => 3`)},
		{name: "rounds whose results change", kind: edge, answers: weave(each(4, `a {} => %d`), each(4, `b {} => %d`), each(4, `c {} => %d`))},
		{name: "five calls with a counter", kind: edge, answers: each(5, `search {"q":"cats","try":%d} => nothing`)},
		{name: "a counter whose results change", kind: edge, answers: each(15, `search {"q":"cats","try":%d} => hit LETTER`)},
		{name: "one failure", kind: edge, answers: []string{`look {} => !broken`, `look {"x":1} => one`}},
		{name: "failures with successes between", kind: edge, answers: weave(each(8, `look {"path":"LETTER"} => !LETTER is not there`), each(8, `list {"dir":"LETTER"} => LETTER`))},
		{name: "a failure beside a success", kind: edge, answers: each(5, `look {"x":"LETTER"} => !LETTER is not there ++ list {"dir":"LETTER"} => LETTER`)},
		{name: "two made up tools", kind: edge, answers: []string{`?beam {} => x`, `look {"x":1} => one`, `?warp {} => x`, `look {"x":2} => two`}},
		{name: "a plan that moves", kind: edge, answers: []string{
			`update_plan {"plan":[{"step":"a","status":"pending"}]} => noted`, `update_plan {"plan":[{"step":"a","status":"in_progress"}]} => noted`,
			`update_plan {"plan":[{"step":"a","status":"completed"}]} => noted`, `"Done."`}, tools: toolNamed("update_plan", plans)},
		{name: "thirty nine steps", kind: edge, answers: each(38, `look {"x":"LETTER"} => r%d`)},
		{name: "eleven equal items", kind: edge, answers: []string{text(strings.Repeat("- I will check the logs.\n", 11))}},
		{name: "large different results", kind: edge, answers: each(6, `look {} => `+strings.Repeat("x", 20_000)+` %d`), tools: toolNamed("look", polls)},
		{name: "calls that the provider's retries repeat", kind: "a provider's retry", answers: round(4, `^look {"x":1} => one`)},
		{name: "sentences that a retry repeats", kind: "a provider's retry", answers: []string{"^" + text(strings.Repeat("I will check the logs once more. ", 4))}},
		{name: "a chant in a tool's output", kind: "progress bars in tool output", answers: []string{`look {} => ` + strings.Repeat("again and again ", 400), `"That was long."`}},
		{name: "three closing formulas", kind: talk, answers: []string{text(goodText(2000) + strings.Repeat("Please let me know if there is anything else that I can do for you. ", 3))}},
		{name: "names line by line", kind: list, answers: []string{text("These are all of them:\n" + strings.Join(each(60, "report_%d.pdf\n"), ""))}},
		{name: "a rule that makes it polling", kind: "a rule of an admin", answers: each(12, `job {} => %d percent`), set: func(w *world) {
			w.must(w.store.SaveRule(w.t.Context(), agent.GuardRule{ID: "r", ToolRule: agent.ToolRule{Tool: "job", Polling: true}, Actor: "x"}))
		}},
		{name: "a rule with thresholds of its own", kind: "a rule of an admin", answers: round(9, `job {} => same`), set: func(w *world) {
			w.must(w.store.SaveRule(w.t.Context(), agent.GuardRule{ID: "r", ToolRule: agent.ToolRule{Tool: "job", Warning: 10, Critical: 12}, Actor: "x"}))
		}},
	}
}

// text is an answer without calls.
func text(s string) string { return fmt.Sprintf("\"%s\"", strings.ReplaceAll(s, `"`, "'")) }
