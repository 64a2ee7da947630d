package reading_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/simplifiedchinese"

	"fusebox/agent"
)

func TestTextOfOtherEncodings(t *testing.T) {
	t.Parallel()
	const text = "早上八点开门，晚上六点关门。"
	gb, err := simplifiedchinese.GB18030.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	for content, encoding := range map[string]string{text: "", "\ufeff" + text: "", gb: "GB18030", "\xff\xfe" + wide(text): "UTF-16LE"} {
		if r := read(t, "hours.txt", content); r.Text != text || r.Encoding != encoding {
			t.Errorf("in %q: %q in %q", encoding, r.Text, r.Encoding)
		}
	}
}

func TestTextKnowsPagesAndLines(t *testing.T) {
	t.Parallel()
	r := read(t, "log.txt", "\r\n\r\none\r\ntwo\f\rthree\f\n\n\ffour\n")
	want := []agent.Section{
		{Start: 0, End: 7, Page: 1, Line: 3},
		{Start: 9, End: 14, Page: 2, Line: 5},
		{Start: 16, End: 20, Page: 4, Line: 7},
	}
	if diff := cmp.Diff(want, r.Sections); diff != "" || r.Text != "one\ntwo\n\nthree\n\nfour" || r.Pages != 4 {
		t.Errorf("%q on %d pages: %s", r.Text, r.Pages, diff)
	}
}

func TestCodeKeepsItsLines(t *testing.T) {
	t.Parallel()
	r := read(t, "main.py", "\n# not a heading\r\n\tif x:\r\n\r\n\t\tpass\n")
	if diff := cmp.Diff([]string{"code @1: \n# not a heading\n\tif x:\n\n\t\tpass"}, parts(r)); diff != "" {
		t.Error(diff)
	}
}

func TestUnseenCharactersAreLeftOut(t *testing.T) {
	t.Parallel()
	r := read(t, "a.txt", "so\u200bft\u2060 hy\u00adphen, \u202eturned\u202c, \u2066kept\u2069, \ufe0fend\u3164")
	if r.Text != "soft hy\u00adphen, turned, kept, end" || r.Notes != nil {
		t.Errorf("%q, %v", r.Text, r.Notes)
	}
	r = read(t, "a.txt", "Dry it.\U000e0043\U000e0041\U000e004c then\U000e004c. 🏴\U000e0067\U000e0062\U000e007f")
	if note := noted(r, agent.NoteHidden); r.Text != "Dry it. then. 🏴" || note == nil || note.Count != 2 {
		t.Errorf("%q, %v", r.Text, r.Notes)
	}
}

func TestSignsWithoutMeaning(t *testing.T) {
	t.Parallel()
	r := read(t, "a.txt", "The pond is two metres deep.\ue001\x07 It \ufffdfreezes\f in winter.\ue001")
	note := noted(r, agent.NoteUnclear)
	if diff := cmp.Diff(&agent.ReadingNote{Code: agent.NoteUnclear, Pages: []int{1, 2}, Count: 4}, note); diff != "" || r.Problem != "" {
		t.Errorf("%q: %s", r.Problem, diff)
	}
	if want := "The pond is two metres deep. It freezes\n\n in winter."; r.Text != want {
		t.Errorf("%q, want %q", r.Text, want)
	}
	for name, content := range map[string]string{
		"private":  strings.Repeat("\ue001pond", 50),
		"unknown":  strings.Repeat("\ufffdpond", 50),
		"controls": strings.Repeat("\x07pond", 50),
		"Cyrillic": "\xc8\xf1\xea\xf3\xf1\xf1\xf2\xe2\xee",
		"nothing":  "\ue001\ue002",
	} {
		r := read(t, "a.txt", content)
		if note := noted(r, agent.NoteUnclear); r.Problem != agent.ProblemUnreadable || note == nil || note.Count < 2 {
			t.Errorf("%s: %q, %v", name, r.Problem, r.Notes)
		}
	}
	if r := read(t, "a.txt", strings.Repeat("\ue001pond water", 5)); r.Problem != "" {
		t.Errorf("a text with one sign of ten is %q", r.Problem)
	}
}
