package reading_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/reading"
)

// TestPDFFaults: files with faults end at once, with what can be read of them.
func TestPDFFaults(t *testing.T) {
	t.Parallel()
	whole := pdfFile{pages: []string{say(700, "The tank holds nine litres.")}}
	tree, count, circle, form, hex, scan := whole, whole, whole, whole, whole, whole
	tree.trees = "<</Type/Pages/Count 3/Kids[2 0 R 2 0 R]/Parent 2 0 R>>"
	count.trees = "<</Type/Pages/Count 2147483647/Kids[6 0 R]>>"
	circle.behind = "/Prev HERE"
	form.pages = []string{"/X Do " + form.pages[0]}
	form.more = []string{stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</XObject<</X 5 0 R>>>>", "/X Do /X Do")}
	hex.pages = []string{say(700, "The tank holds nine litres."), "BT /F1 12 Tf 60 700 Td <4x5z ET"}
	scan.pages, scan.more = []string{painting}, []string{picture}
	const text = "The tank holds nine litres."
	for name, test := range map[string]struct {
		file    []byte
		text    string
		problem agent.DocumentProblem
		notes   []agent.ReadingNote
		pages   int
	}{
		"a page tree in a circle":   {file: tree.bytes(), problem: agent.ProblemBroken},
		"more pages than there are": {file: count.bytes(), problem: agent.ProblemBroken},
		"tables in a circle":        {file: circle.bytes(), text: text, pages: 1},
		"a form that draws itself":  {file: form.bytes(), text: text, pages: 1},
		"half of a file":            {file: whole.bytes()[:300], problem: agent.ProblemBroken},
		"a page with a fault":       {file: hex.bytes(), text: text, pages: 2, notes: []agent.ReadingNote{{Code: agent.NoteBroken, Pages: []int{2}}}},
		"a letter in front":         {file: append([]byte(strings.Repeat("X-Header: some words\r\n", 15)), whole.bytes()...), text: text, pages: 1},
		"a scan":                    {file: scan.bytes(), problem: agent.ProblemScan, pages: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := agent.Reading{Type: agent.TypePDF, Problem: test.problem, Text: test.text, Pages: test.pages, Notes: test.notes}
			if test.text != "" {
				want.Sections = []agent.Section{{End: len(test.text), Page: 1}}
			}
			if diff := cmp.Diff(want, readPDF(t, test.file)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPDFCut: a text that is too long is kept from its beginning, and the rest is not read.
func TestPDFCut(t *testing.T) {
	t.Parallel()
	file := pdfFile{pages: []string{say(700, "one two three"), say(700, "four five six"), say(700, "seven")}}.bytes()
	got := reading.Read(agenttest.Context(t), "file.pdf", bytes.NewReader(file), int64(len(file)), reading.Options{Text: 20})
	want := agent.Reading{
		Type: agent.TypePDF, Pages: 3, Text: "one two three\n\nfour",
		Sections: []agent.Section{{End: 13, Page: 1}, {Start: 15, End: 19, Page: 2}},
		Notes:    []agent.ReadingNote{{Code: agent.NoteCut}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// install puts a script in the place of pdftotext, or nothing.
func install(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if script == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "pdftotext"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestPDFPrograms: what is missing on a server has a name.
func TestPDFPrograms(t *testing.T) {
	file := pdfFile{pages: []string{say(700, "The tank holds nine litres.")}}.bytes()
	for want, script := range map[agent.DocumentProblem]string{
		agent.ProblemNoReader:   "",
		agent.ProblemUnreadable: "echo \"Syntax Error: Missing language pack for 'Adobe-GB1' mapping\" >&2\necho '<page width=\"9\" height=\"9\">'\necho '</page>'",
	} {
		install(t, script)
		if got := reading.Read(agenttest.Context(t), "file.pdf", bytes.NewReader(file), int64(len(file)), reading.Options{}); got.Problem != want {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
}

// TestPDFEndless: a program that does not end is ended with the reading.
func TestPDFEndless(t *testing.T) {
	begun := filepath.Join(t.TempDir(), "begun")
	install(t, ": > "+begun+"; while :; do echo '<page'; done")
	file := pdfFile{pages: []string{say(700, "The tank holds nine litres.")}}.bytes()
	ctx, stop := context.WithCancel(agenttest.Context(t))
	go func() {
		defer stop()
		agenttest.Eventually(t, "the program", func() bool { _, err := os.Stat(begun); return err == nil })
	}()
	if got := reading.Read(ctx, "file.pdf", bytes.NewReader(file), int64(len(file)), reading.Options{}); got.Problem != agent.ProblemStopped {
		t.Errorf("got %+v, want %s", got, agent.ProblemStopped)
	}
}
