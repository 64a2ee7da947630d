package guards

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fusebox/agent"
)

// saved are the arguments of a call that writes a text.
func saved(text string) string {
	raw, err := json.Marshal(map[string]string{"path": "a.txt", "content": text})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// TestArgumentsThatChant: a call whose arguments say the same sentence hundreds of times
// is cut; files, tables, and records that repeat by nature are not.
func TestArgumentsThatChant(t *testing.T) {
	t.Parallel()
	times := func(n int, text string) string { return strings.Repeat(text, n) }
	escaped := func(text string) string {
		var b strings.Builder
		for _, r := range text {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		return b.String()
	}
	for _, tc := range []struct {
		name, args, task string
		cut              bool
	}{
		{name: "a sentence, line by line", args: saved(words(3000, 1) + times(300, "I will write the next part now.\n")), cut: true},
		{name: "a sentence in one line", args: saved(times(300, "I will write the next part now. ")), cut: true},
		{name: "without marks", args: saved(times(300, "and then we go on with the next ")), cut: true},
		{name: "a paragraph", args: saved(times(150, "This is the next part. It says what has to be said, and no more.\n\n")), cut: true},
		{name: "in any order", args: saved(inAnyOrder(900, "\n", waits...)), cut: true},
		{name: "chinese", args: saved(times(300, "我会再检查一次日志。")), cut: true},
		{name: "chinese in any order", args: saved(inAnyOrder(400, "", "我会再检查一次日志。", "对不起，我刚才错了。", "让我从头开始。")), cut: true},
		{name: "escaped", args: `{"text":"` + times(200, escaped("我会再检查一次日志。")) + `"}`, cut: true},
		{name: "in a list of texts", args: `{"lines":[` + times(200, `"I will write the next part now.", `) + `""]}`, cut: true},
		{name: "arguments that are no JSON", args: times(200, "I will write the next part now.\n"), cut: true},
		{name: "another sentence than was asked for", args: saved(times(300, "I will write the next part now.\n")), task: "Write 'I will be good.' 300 times into a.txt", cut: true},

		{name: "what was asked for", args: saved(times(300, "I will be good.\n")), task: "Write 'I will be good.' 300 times into a.txt"},
		{name: "zeros", args: `{"grid":[` + times(9000, "0, ") + `0]}`},
		{name: "a table of equal rows", args: saved("| is it so | what was said |\n| --- | --- |\n" + times(400, "| yes | It is as it was before. |\n"))},
		{name: "CSV", args: saved("name,state\n" + times(400, "garden,It is as it was before,no one knows why\n"))},
		{name: "TSV", args: saved(times(400, "garden\tIt is as it was before.\tno one knows why.\n"))},
		{name: "base64", args: saved(times(900, "aGVsbG8gd29ybGQ0MgAA"))},
		{name: "indentation", args: saved(times(200, times(40, " ")+"}\n"))},
		{name: "a lock file", args: saved(rows(300, func(i int) string {
			return "  " + word(i) + "@1." + num(i) + ":\n    dependencies:\n      is-even: 1.0.0\n    dev: true\n"
		}))},
		{name: "minified code", args: saved(times(900, "function(){return this.a};"))},
		{name: "code of equal lines", args: saved(times(300, "    return nil\n}\n\n// Close closes the file.\nfunc close() {\n"))},
		{name: "assembly", args: saved(times(900, "    nop\n    add eax, ebx\n"))},
		{name: "test data that differs in numbers", args: saved(rows(500, func(i int) string { return "This is the line with number " + num(i) + ".\n" }))},
		{name: "records that differ in numbers", args: `{"rows":[` + strings.TrimSuffix(rows(400, func(i int) string { return `{"id":` + num(i) + `,"says":"It is as it was before."},` }), ",") + `]}`},
		{name: "labels", args: `{"labels":[` + times(400, `"positive","negative","neutral","not sure",`) + `"x"]}`},
		{name: "colours, line by line", args: saved(times(300, "red, green, blue, white, black\n"))},
		{name: "chinese labels", args: `{"labels":[` + times(400, `"非常满意","满意","不满意",`) + `"x"]}`},
		{name: "SQL", args: saved(times(300, "INSERT INTO users (name, state) VALUES ('x', 'y');\n"))},
		{name: "HTML", args: saved(times(300, "<li class=\"item\">It is as it was before.</li>\n"))},
		{name: "one word", args: saved(times(900, "lorem "))},
		{name: "fifty equal sentences", args: saved(times(50, "This line is there to make the file longer.\n"))},
		{name: "prose", args: saved(words(30_000, 2))},
		{name: "a song", args: saved(rows(9, func(i int) string {
			return words(200, uint64(i)) + "\nAnd the river runs.\nAnd the river runs.\nIt runs to the sea.\n\n"
		}))},
	} {
		g := NewArgumentsChanting(tc.task)
		v := g.Write(tc.args)
		if cut := v.Level == agent.Pause; cut != tc.cut {
			t.Errorf("%s: cut %t: %s", tc.name, cut, v.Message)
			continue
		}
		if tc.cut && (v.Rule != "arguments" || v.Count < 100 || v.Excerpt == "" || v.Detector != "chanting") {
			t.Errorf("%s: %+v", tc.name, v)
		}
		rnd, got := rand.New(rand.NewPCG(1, 2)), agent.Verdict{}
		g = NewArgumentsChanting(tc.task)
		g.Write(`{"other":"say \u00`)
		g.Reset()
		for _, piece := range pieces(tc.args, rnd, 9) {
			if got = g.Write(piece); got.Level > agent.Pass {
				break
			}
		}
		if got.Message != v.Message {
			t.Errorf("%s: in pieces %q, in one %q", tc.name, got.Message, v.Message)
		}
	}
}

// BenchmarkArguments prints what one character of a call's arguments costs.
func BenchmarkArguments(b *testing.B) {
	text := saved(variedProse(200<<10, 1))
	b.ReportAllocs()
	for b.Loop() {
		g := NewArgumentsChanting("")
		for i := 0; i < len(text); i += 5 {
			if v := g.Write(text[i:min(i+5, len(text))]); v.Level != agent.Pass {
				b.Fatal(v.Message)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(text)), "ns/char")
}
