package passages_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/passages"
)

// cut cuts a text that is one section, and checks what is true of all passages.
func cut(t *testing.T, text string, s agent.Section) (pieces []string) {
	t.Helper()
	s.End = len(text)
	for _, p := range passages.Cut(&agent.Reading{Text: text, Sections: []agent.Section{s}}) {
		pieces = append(pieces, text[p.Start:p.End])
		if n := quarters(text[p.Start:p.End]); n > 1600 {
			t.Errorf("a passage is as long as %d quarters of a token: %.40q", n, text[p.Start:])
		}
		if !utf8.ValidString(text[p.Start:p.End]) {
			t.Errorf("a passage is cut within a character: %.40q", text[p.Start:])
		}
	}
	if joined := strings.Join(pieces, ""); strings.TrimSpace(joined) != strings.TrimSpace(text) {
		t.Errorf("the passages join to %d bytes of %d", len(joined), len(text))
	}
	return pieces
}

func quarters(text string) (n int) {
	for _, r := range text {
		n++
		if r >= 0x2e80 {
			n += 3
		}
	}
	return n
}

// TestSentencesStayWhole: a long paragraph in either language is cut after sentences, with
// the quotes that close them, never within versions, numbers, and addresses.
func TestSentencesStayWhole(t *testing.T) {
	t.Parallel()
	var zh, en strings.Builder
	for i := range 60 {
		fmt.Fprintf(&zh, "第%d号锅炉升压到1.25MPa之前，先看v3.10.2版的说明；地址是https://example.org/a/v3.10.2/boiler.html，信箱ops@example.org！有人问：“能不能先开阀？”答案是不能……然后记录（两人签字。）", i)
		fmt.Fprintf(&en, "Boiler no. %d is raised to 1.25 bar by J. Miller, e.g. at night. See https://example.org/a?v=3.10.2 for more! He asked: \"May the valve be opened?\" (It may not.) ", i)
	}
	for _, text := range []string{zh.String(), en.String()} {
		pieces := cut(t, text, agent.Section{})
		for i, p := range pieces {
			if p = strings.TrimRight(p, " "); !strings.ContainsAny(p[len(p)-1:], "!).?\"") && !strings.HasSuffix(p, "！") && !strings.HasSuffix(p, "”") &&
				!strings.HasSuffix(p, "…") && !strings.HasSuffix(p, "）") && !strings.HasSuffix(p, "；") && !strings.HasSuffix(p, "。") {
				t.Errorf("passage %d ends within a sentence: %q", i, p[max(0, len(p)-30):])
			}
			for _, end := range []string{"J.", "e.g.", "no.", "v3.", "1."} {
				if strings.HasSuffix(p, end) {
					t.Errorf("passage %d ends after %q", i, end)
				}
			}
			if n := quarters(p); i < len(pieces)-1 && n < 900 {
				t.Errorf("passage %d has %d quarters of a token only", i, n)
			}
		}
	}
}

// TestRowsStayWhole: a table is cut between rows, with room for its head; a row that is too
// long alone is cut between cells.
func TestRowsStayWhole(t *testing.T) {
	t.Parallel()
	rows := "code | valve | store\n"
	for i := range 140 {
		rows += fmt.Sprintf("QT-%03d | 蝶阀 DN%d | 北库\n", i, i)
	}
	s := agent.Section{Kind: agent.KindTable, Head: "code | valve | store"}
	for _, p := range cut(t, rows, s) {
		if !strings.HasSuffix(p, "\n") || quarters(p)+quarters(s.Head) > 1600 {
			t.Errorf("a piece of a table: %d quarters, ends with %q", quarters(p), p[max(0, len(p)-20):])
		}
	}
	long := strings.Repeat("a long cell | ", 400) + "end\n"
	for i, p := range cut(t, "one | two\n"+long+"three | four\n", s) {
		if i > 0 && !strings.HasPrefix(p, "a long cell") && !strings.HasPrefix(p, "end") && !strings.HasPrefix(p, "three") {
			t.Errorf("a row is cut within a cell: %.20q", p)
		}
	}
}

// TestCodeStaysWhole: blocks of code within a text are whole where they fit a passage, also
// where they have another block in them; longer ones are cut between lines.
func TestCodeStaysWhole(t *testing.T) {
	t.Parallel()
	prose := strings.Repeat("Some words before the block. ", 40)
	block := "````md\n" + strings.Repeat("# no heading! Not a sentence.\n", 10) + "```\ninner\n```\n\nstill inside.\n````\n"
	whole := 0
	for _, p := range cut(t, prose+"\n\n"+block+"\n"+prose, agent.Section{}) {
		if strings.Contains(p, block) {
			whole++
		}
	}
	if whole != 1 {
		t.Errorf("the block is whole in %d passages", whole)
	}
	lines := strings.Repeat("x := call(with, arguments) // and more. Really.\n", 100)
	for _, text := range []string{lines, "```go\n" + lines + "```\n"} {
		kind := agent.KindCode
		if strings.HasPrefix(text, "`") {
			kind = ""
		}
		for _, p := range cut(t, text, agent.Section{Kind: kind}) {
			if !strings.HasSuffix(p, "\n") {
				t.Errorf("a line of code is cut: %q", p[max(0, len(p)-30):])
			}
		}
	}
}

// TestSectionsAreNotJoined: each has passages of its own, hidden ones and white space have none.
func TestSectionsAreNotJoined(t *testing.T) {
	t.Parallel()
	r := &agent.Reading{Text: "One.\n\n   \n\nTwo.\n\nsecret", Sections: []agent.Section{
		{Start: 0, End: 4}, {Start: 6, End: 10}, {Start: 11, End: 15}, {Start: 17, End: 23, Kind: agent.KindHidden},
	}}
	want := []agent.Passage{{Start: 0, End: 4, Section: 0}, {Start: 11, End: 15, Section: 2}}
	if diff := cmp.Diff(want, passages.Cut(r)); diff != "" {
		t.Error(diff)
	}
}

// TestHostileTextsAreCut: texts without any place to be cut at, and of such places only.
func TestHostileTextsAreCut(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"x", "字", " ", "\n", "```\n", ".", "）", "|", "\u0301", "a\n~~~", "```\n```\n", "a " + strings.Repeat("b", 1700)} {
		text = strings.Repeat(text, 200_000/len(text))
		for _, kind := range []agent.SectionKind{"", agent.KindTable, agent.KindCode} {
			cut(t, text, agent.Section{Kind: kind, Head: strings.ToValidUTF8(text[:50], "")})
		}
	}
}
