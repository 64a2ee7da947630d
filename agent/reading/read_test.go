package reading_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/reading"
)

// read reads a file of this name, and checks what holds for all readings.
func read(t *testing.T, name, content string) agent.Reading {
	t.Helper()
	return readWithin(t, name, content, reading.Options{})
}

func readWithin(t *testing.T, name, content string, limits reading.Options) agent.Reading {
	t.Helper()
	r := reading.Read(t.Context(), name, strings.NewReader(content), int64(len(content)), limits)
	if (r.Problem == "") != (r.Text != "") || (r.Text == "") != (len(r.Sections) == 0) {
		t.Errorf("%s: problem %q with %d bytes of text and %d sections", name, r.Problem, len(r.Text), len(r.Sections))
	}
	if !utf8.ValidString(r.Text) {
		t.Errorf("%s: the text is not UTF-8", name)
	}
	end := 0
	for i, s := range r.Sections {
		if s.Start < end || s.End <= s.Start || s.End > len(r.Text) || !utf8.ValidString(r.Text[s.Start:s.End]) {
			t.Fatalf("%s: section %d is %d to %d, behind %d of %d", name, i, s.Start, s.End, end, len(r.Text))
		}
		end = s.End
	}
	return r
}

// parts are the sections in short: their headings, kinds, lines, and texts.
func parts(r agent.Reading) []string {
	var all []string
	for _, s := range r.Sections {
		part := strings.Join(s.Headings, " › ")
		if s.Kind != "" {
			part += " " + string(s.Kind)
		}
		if s.Line > 0 {
			part += fmt.Sprint(" @", s.Line)
		}
		all = append(all, strings.TrimSpace(part+": "+r.Text[s.Start:s.End]))
	}
	return all
}

// noted is what a reading notes with a code.
func noted(r agent.Reading, code agent.NoteCode) *agent.ReadingNote {
	for _, n := range r.Notes {
		if n.Code == code {
			return &n
		}
	}
	return nil
}

func TestReadStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := reading.Read(ctx, "list.csv", strings.NewReader("a,b\n"), 4, reading.Options{})
	if r.Problem != agent.ProblemStopped || r.Text != "" {
		t.Errorf("a reading that was ended is %+v", r)
	}
}

// Files that are cut while they are read, or whose disk fails, are broken.
func TestReadFailsInWords(t *testing.T) {
	t.Parallel()
	if r := reading.Read(t.Context(), "a.txt", failing{}, 10, reading.Options{}); r.Problem != agent.ProblemBroken {
		t.Errorf("a file that cannot be read is %+v", r)
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, fmt.Errorf("the disk is gone") }

func TestReadKeepsToTheLimitOfText(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"a.txt": strings.Repeat("水位 ", 100), "a.md": strings.Repeat("# 水位\n\nlow\n\n", 50), "a.csv": strings.Repeat("水,low\n", 50),
		"a.html": "<html>" + strings.Repeat("<h1>水位</h1><p>low", 50), "a.go": strings.Repeat("// 水位\n", 50),
	} {
		r := readWithin(t, name, content, reading.Options{Text: 40})
		if len(r.Text) > 40 || len(r.Text) < 30 || noted(r, agent.NoteCut) == nil {
			t.Errorf("%s: %d bytes, %v: %q", name, len(r.Text), r.Notes, r.Text)
		}
	}
	if r := readWithin(t, "a.txt", strings.Repeat("x", 40), reading.Options{Text: 40}); len(r.Text) != 40 || r.Notes != nil {
		t.Errorf("a text that just fits is %d bytes, %v", len(r.Text), r.Notes)
	}
}

// Files that would grow stay small.
func TestReadBoundsPlaces(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"headings.md": strings.Repeat("# h\n\nx\n\n", 200_000),
		"lonely.md":   strings.Repeat("# h\n", 200_000),
		"gaps.csv":    strings.Repeat("a,b\n,\n", 200_000),
		"pages.txt":   strings.Repeat("x\f", 200_000),
		"deep.md":     headingsAbove(5, 800) + strings.Repeat("###### h\n\nx\n\n", 12_000),
		"open.html":   "<html>" + openElements(300) + strings.Repeat("<p>x", 100_000),
		"drawn.html":  "<html><svg><title>" + openElements(300) + strings.Repeat("<p>x", 100_000),
		"deep.html":   "<html>" + strings.Repeat("<div>", 100_000),
		"blocks.html": "<html><style>" + strings.Repeat("@media screen{", 50_000) + "</style><p>x",
		"spans.html":  "<html><table>" + strings.Repeat("<tr><td rowspan=999 colspan=999>"+strings.Repeat("x", 300), 100),
		"wide.csv":    strings.Repeat("a,", 100_000),
		"dashes.md":   strings.Repeat("- ", 500_000) + "x",
	} {
		r := read(t, name, content)
		cost := 0
		for _, s := range r.Sections {
			cost += len(s.Head) + len(strings.Join(s.Headings, ""))
		}
		if len(r.Sections) > 150_000 || cost > 17<<20 || len(r.Text) > 16<<20 {
			t.Errorf("%s: %d sections with places of %d bytes", name, len(r.Sections), cost)
		}
	}
}

// headingsAbove are headings of the first levels, of a length each.
func headingsAbove(levels, length int) string {
	var all strings.Builder
	for level := range levels {
		all.WriteString(strings.Repeat("#", level+1) + " " + strings.Repeat("h", length) + "\n\n")
	}
	return all.String()
}

// openElements are formatting elements that nobody closes.
func openElements(count int) string {
	var all strings.Builder
	for i := range count {
		fmt.Fprintf(&all, "<b title=%d>", i)
	}
	return all.String()
}

func FuzzRead(f *testing.F) {
	for _, content := range []string{
		"---\ntitle: A\n---\n# B\n\n```\nc\n```\n|a|b|\n|-|-|\n|1|2|\n\n    d\n\nE\n=\n", "sep=;\na;\"b\nc\"\n;;\n1;2\n", "a\fb\u202e\U000e0041\xff\x00",
		"<html><style>.x{display:none}@media a{b{c:d}}</style><h1>a</h1><p class=x>b<svg><p/></svg><table><tr><td rowspan=2>c<td>d<tr><td>e</table>",
		"PK\x05\x06" + strings.Repeat("\x00", 18), "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\xff", 600), "\xff\xfea\x00",
	} {
		for kind := range 6 {
			f.Add(uint8(kind), content)
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, content string) {
		name := []string{"a.txt", "a.md", "a.csv", "a.html", "a.go", "a.xlsx"}[kind%6]
		readWithin(t, name, content, reading.Options{Text: 500})
	})
}
