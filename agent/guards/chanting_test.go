package guards

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"fusebox/agent"
)

// times writes a line for each of n numbers.
func times(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("%d", fmt.Sprint(i+1), "LETTER", string(rune('a'+i%26))).Replace(format))
	}
	return b.String()
}

// words makes a text of n runes in which no word comes twice soon.
func words(n int, seed uint64) string { return variedProse(n, seed) }

// plain reads a text in one piece and returns the verdict and where it came.
func plain(text string) (agent.Verdict, int) {
	g := newChanting()
	return g.Write(text), g.runes
}

func newChanting() *chanting {
	return NewChanting(agent.DefaultGuardSettings(), "").(*chanting)
}

// quietTexts repeat by nature; each is what some guard has cut off somewhere.
var quietTexts = map[string]string{
	"prose":                             words(4000, 3),
	"a sentence said four times":        strings.Repeat("I will check the logs once more. ", 4),
	"a paragraph said four times":       strings.Repeat(words(280, 5), 4),
	"a long paragraph said three times": strings.Repeat(words(700, 6), 3),
	"a poem with a refrain": func() string {
		var b strings.Builder
		for i := range 12 {
			b.WriteString(words(160, uint64(20+i)) + "\nAnd the river runs,\nand the river runs to the sea.\n\n")
		}
		return b.String()
	}(),
	"laughter":                             strings.Repeat("ha ", 20),
	"emphasis":                             "It was very very very very very very good.",
	"counting":                             times(300, "%d, "),
	"years and figures":                    times(40, "In 20%d it was 7%d percent. "),
	"a table of similar rows":              "| name | state |\n| --- | --- |\n" + times(60, "| user%d | active |\n"),
	"a table without bars in front":        times(60, "%d | user | active\n"),
	"a list of similar items":              times(60, "- Room %d: free and clean\n"),
	"a numbered list of different items":   numbered(40),
	"eleven equal items":                   strings.Repeat("- I will check the logs.\n", 11),
	"code with similar lines":              "```go\n" + times(60, "\tx[%d] = append(x[%d], value)\n") + "```\n",
	"code with eleven equal lines":         "```\n" + strings.Repeat("    counter += step\n", 11) + "```\nThat is all.",
	"indented code":                        times(40, "    call(%d)\n"),
	"zeros in code":                        "```\n" + strings.Repeat("0, 0, 0, 0,\n", 200) + "```\n",
	"long rules":                           strings.Repeat("=", 600) + "\n" + strings.Repeat("-", 600) + "\n" + strings.Repeat("·", 300),
	"bars":                                 strings.Repeat("█", 400) + strings.Repeat("─", 400) + strings.Repeat(".", 400),
	"separators between sections":          separated(20),
	"headings":                             headings(30),
	"quotes":                               "> " + strings.ReplaceAll(words(2000, 9), ". ", ".\n> "),
	"json in one line":                     `{"items":[` + strings.TrimSuffix(times(400, `{"id":%d,"state":"ok","kind":"room"},`), ",") + `]}`,
	"json in many lines":                   "{\n" + times(200, "\"room %d\": {\"state\": \"free\"},\n") + "}\n",
	"an array of equal words":              "[" + strings.Repeat(`"active",`, 39) + `"active"]`,
	"base64":                               base64.StdEncoding.EncodeToString([]byte(words(6000, 11))),
	"base64 of what repeats":               "See x1: " + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("hello world 42\n", 100))),
	"hex":                                  strings.Repeat("deadbeef01234567", 30),
	"chinese prose":                        chineseProse(600),
	"emoji at the end of sentences":        strings.ReplaceAll(words(1500, 13), ". ", "! 🎉 "),
	"the next file, many times, in a list": times(30, "%d. part%d.txt has %d lines\n"),
	"names of files, line by line":         times(40, "part%d.txt\n"),
	"addresses, line by line":              times(40, "https://example.org/parts/%d\n"),
	"long addresses, line by line":         times(40, "https://example.org/a/very/long/way/to/the/one/page/about/LETTER%d\n"),
	"paths, line by line":                  times(40, "/srv/a/very/long/way/to/the/one/file/about/all/of/it/LETTER%d\n"),
	"figures that grow, line by line":      times(12, "run: test +0%d... FAIL (%d matches)\n"),
	"states, line by line":                 times(40, "user %d active\n"),
	"comma separated":                      times(40, "%d,free,clean\n"),
	"json in a fence":                      "```json\n[\n" + strings.Repeat("  false,\n", 39) + "]\n```\n",
	"empty lines":                          strings.Repeat("\n", 500),
	"spaces":                               strings.Repeat(" ", 900),
}

// loudTexts are chants: what stands before the chant, and the chant. at is the
// character at which it must be cut, 0 where a test names none.
var loudTexts = map[string]struct {
	before, chant string
	at            int
}{
	"a sentence of twenty five":           {"", strings.Repeat("I will try it once more. ", 40), 125},
	"a sentence of fifty":                 {"", strings.Repeat("I will look into this matter once again right now ", 20), 250},
	"a sentence of seventy four":          {"", strings.Repeat(words(73, 2)+" ", 20), 370},
	"a unit of 250":                       {"", strings.Repeat(words(250, 4), 9), 1250},
	"a unit of 300":                       {"", strings.Repeat(words(300, 4), 9), 1500},
	"one word":                            {"", strings.Repeat("again ", 200), 0},
	"one letter":                          {"", strings.Repeat("a", 400), 0},
	"chinese without spaces":              {"", strings.Repeat("我会再试一次。", 60), 56},
	"chinese that counts":                 {"", times(60, "第%d步：再试一次。"), 0},
	"steps that count":                    {"", times(40, "Step %d: check the logs and try again. "), 0},
	"steps that count, line by line":      {"", times(40, "Step %d: check the logs and try again.\n"), 0},
	"steps of two words":                  {"", times(40, "Step %d: retry. "), 0},
	"a fence of another language":         {"```jsx\n", strings.Repeat("print again and again\n", 30), 0},
	"steps with decimals":                 {"", times(40, "At %d.5 s: still waiting for it. "), 0},
	"after 100 KB of good text":           {words(100<<10, 8), strings.Repeat("I will try it once more. ", 40), 100<<10 + 125},
	"after a list":                        {"- one\n- two\n\n", strings.Repeat("I will try it once more. ", 40), 0},
	"after code":                          {"```go\nx := 1\n```\n", strings.Repeat("I will try it once more. ", 40), 0},
	"after base64":                        {base64.StdEncoding.EncodeToString([]byte(words(300, 1))) + "\n", strings.Repeat("I will try it once more. ", 40), 0},
	"equal items of a list":               {"", strings.Repeat("- I will check the logs.\n", 20), 500},
	"equal items of a numbered list":      {"", times(31, "%d. I will check the logs.\n"), 0},
	"references that count":               {"", times(40, "[%d] Other, A. (2020). A survey of networks. Journal, 1(1), 1-10.\n"), 0},
	"check marks in a table":              {"| done |\n| --- |\n", strings.Repeat("| ✅ |\n", 40), 0},
	"headings that count":                 {"", times(31, "## Attempt %d\nI will check the logs.\n"), 0},
	"a fence that is never closed":        {"```\n", strings.Repeat("print(\"hello again\")\n", 30), 0},
	"an emoji":                            {"", strings.Repeat("🎉", 200), 59},
	"lines that end in CR LF":             {"", strings.Repeat("I will try it once more.\r\n", 40), 0},
	"a paragraph with a blank line":       {"", strings.Repeat("I do not know.\n\nLet me think about it again.\n\n", 20), 0},
	"fifty characters, others in between": {"", times(40, "I shall now carefully read the whole file again, xLETTER%d. "), 0},
	"a reasoning that goes round":         {words(900, 17), strings.Repeat("Wait, maybe I should check again. But no, that was done. ", 30), 0},
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d. %s\n", i+1, words(60, uint64(40+i)))
	}
	return b.String()
}

func separated(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(words(120, uint64(80+i)) + "\n\n----------------------------------------\n\n")
	}
	return b.String()
}

func headings(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "### Result of part %d\n%s\n", i, words(90, uint64(120+i)))
	}
	return b.String()
}

func chineseProse(n int) string {
	rnd := rand.New(rand.NewPCG(5, 5))
	signs := []rune("天地人山水火风云日月星河海花草木石金银铜铁大小长短高低远近东西南北春夏秋冬来去出入上下左右")
	out := make([]rune, n)
	for i := range out {
		out[i] = signs[rnd.IntN(len(signs))]
		if i%17 == 16 {
			out[i] = '。'
		}
	}
	return string(out)
}

func TestChantingStaysQuiet(t *testing.T) {
	t.Parallel()
	for name, text := range quietTexts {
		if v, at := plain(text); v.Level != agent.Pass {
			t.Errorf("%s: cut at character %d of %d: %s", name, at, utf8.RuneCountInString(text), v.Message)
		}
	}
}

func TestChantingTrips(t *testing.T) {
	t.Parallel()
	for name, tc := range loudTexts {
		v, at := plain(tc.before + tc.chant)
		if v.Level != agent.Pause || v.Excerpt == "" || v.Count < v.Threshold {
			t.Errorf("%s: %+v", name, v)
			continue
		}
		if tc.at != 0 && at != tc.at {
			t.Errorf("%s: cut at character %d, want %d", name, at, tc.at)
		}
		// What stood before is kept: all of it, or up to a few characters that
		// happen to be those at the end of the unit.
		if off := v.Keep - len(tc.before); off < -3 || off > 60 {
			t.Errorf("%s: keeps %d bytes, want %d", name, v.Keep, len(tc.before))
		}
	}
}

// pieces cuts a text at random, also in the middle of characters.
func pieces(text string, rnd *rand.Rand, most int) []string {
	var out []string
	for len(text) > 0 {
		n := min(1+rnd.IntN(most), len(text))
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// inPieces reads a text piece by piece.
func inPieces(parts []string) (agent.Verdict, int) {
	g := newChanting()
	var found agent.Verdict
	for _, p := range parts {
		if v := g.Write(p); v.Level > agent.Pass && found.Level == agent.Pass {
			found = v
		}
	}
	return found, g.runes
}

// TestChantingDoesNotSeePieces: however a text is cut, the verdict is the same,
// at the same character.
func TestChantingDoesNotSeePieces(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	texts := map[string]string{}
	for name, text := range quietTexts {
		texts[name] = text
	}
	for name, tc := range loudTexts {
		texts[name] = tc.before + tc.chant
	}
	for name, text := range texts {
		text = text[:min(len(text), 12_000)]
		want, wantAt := plain(text)
		for _, most := range []int{1, 2, 7, 100} {
			got, at := inPieces(pieces(text, rnd, most))
			if got.Level != want.Level || at != wantAt || got.Keep != want.Keep || got.Message != want.Message {
				t.Errorf("%s in pieces of up to %d: %s at %d, want %s at %d", name, most, got.Level, at, want.Level, wantAt)
			}
		}
	}
}

// TestResetForgets: a tool call in the middle of a chant begins it again.
func TestResetForgets(t *testing.T) {
	t.Parallel()
	g := newChanting()
	half := strings.Repeat("I will try it once more. ", 4)
	for range 10 {
		if v := g.Write(half); v.Level != agent.Pass {
			t.Fatal(v.Message)
		}
		g.Reset()
	}
	v := g.Write(half + half)
	if v.Level != agent.Pause || v.Keep != 10*len(half) {
		t.Errorf("%s, keeps %d bytes, want %d", v.Level, v.Keep, 10*len(half))
	}
	if again := g.Write(half); again.Level != agent.Pass {
		t.Error("it speaks a second time")
	}
}

// FuzzChanting: no text makes it panic, the verdict depends on the text alone,
// and what is kept ends between two characters.
func FuzzChanting(f *testing.F) {
	for _, text := range quietTexts {
		f.Add(text[:min(len(text), 2000)], uint64(1))
	}
	for _, tc := range loudTexts {
		text := tc.before[max(0, len(tc.before)-500):] + tc.chant
		f.Add(text[:min(len(text), 2500)], uint64(2))
	}
	for _, r := range allRuleTexts() {
		for _, text := range r.quiet {
			f.Add(text[:min(len(text), 2000)], uint64(3))
		}
		for _, tc := range r.loud {
			text := tc.before[max(0, len(tc.before)-200):] + tc.chant
			f.Add(text[:min(len(text), 3500)], uint64(4))
		}
	}
	f.Add("\xff\xfe\xe6\x88", uint64(3))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if !utf8.ValidString(text) || len(text) > 20_000 {
			_, _ = plain(text) // it must not panic
			return
		}
		want, wantAt := plain(text)
		got, at := inPieces(pieces(text, rand.New(rand.NewPCG(seed, 1)), 9))
		if got.Message != want.Message || at != wantAt || got.Keep != want.Keep {
			t.Errorf("in pieces %s at %d keeping %d, in one %s at %d keeping %d", got.Level, at, got.Keep, want.Level, wantAt, want.Keep)
		}
		if want.Keep < 0 || want.Keep > len(text) || !utf8.ValidString(text[:want.Keep]) {
			t.Errorf("keeps %d of %d bytes", want.Keep, len(text))
		}
	})
}
