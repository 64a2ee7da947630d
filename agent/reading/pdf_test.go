package reading_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/reading"
)

// picture is object 5: a few grey dots, which fill the page where it is drawn.
const (
	picture  = "<</Type/XObject/Subtype/Image/Width 4/Height 4/ColorSpace/DeviceGray/BitsPerComponent 8/Length 16>>\nstream\n0@P`p0@P`p0@P`p0\nendstream"
	painting = "q 595 0 0 842 0 0 cm /X Do Q\n"
)

// TestPDFPages: each page is one section with its number, and pages that are pictures are named.
func TestPDFPages(t *testing.T) {
	t.Parallel()
	got := readPDF(t, pdfFile{
		pages: []string{say(700, "The pump was tested in May."), painting, say(700, "Its seal is worn.") + say(686, "Order two of them.")},
		info:  "/Title(Pump log)", more: []string{picture},
	}.bytes())
	want := agent.Reading{
		Type: agent.TypePDF, Title: "Pump log", Pages: 3,
		Text: "The pump was tested in May.\n\nIts seal is worn.\nOrder two of them.",
		Sections: []agent.Section{
			{Start: 0, End: 27, Page: 1},
			{Start: 29, End: 65, Page: 3},
		},
		Notes: []agent.ReadingNote{{Code: agent.NoteNoText, Pages: []int{2}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPDFColumns: the left column ends before the right one begins, in whatever order they
// are drawn; a hyphen at the end of a line stays.
func TestPDFColumns(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	right := []string{"Boats go twice a day in", "winter, from the old quay", "and from the new one, and", "they carry no bicycles."}
	for i, left := range []string{"The island has one road,", "which ends at the light-", "house. Nobody lives in it", "since the lamp is electric."} {
		page.WriteString(say(700-14*i, left))
		page.WriteString(say(700-14*i, right[i], "1 0 0 1 270 0 cm"))
	}
	want := "The island has one road,\nwhich ends at the light-\nhouse. Nobody lives in it\nsince the lamp is electric.\n\n" + strings.Join(right, "\n")
	if diff := cmp.Diff(want, readPDF(t, pdfFile{pages: []string{page.String()}}.bytes()).Text); diff != "" {
		t.Error(diff)
	}
}

// TestPDFWords: words that touch are one, whatever fonts and sizes they are in.
func TestPDFWords(t *testing.T) {
	t.Parallel()
	page := "BT /F1 12 Tf 60 700 Td (Water is H) Tj /F1 8 Tf -2 Ts (2) Tj 0 Ts /F1 12 Tf (O, as all know) Tj ET"
	if got, want := readPDF(t, pdfFile{pages: []string{page}}.bytes()).Text, "Water is H2O, as all know"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPDFRightToLeft: lines from right to left are text in the order in which they are read.
func TestPDFRightToLeft(t *testing.T) {
	t.Parallel()
	toUnicode := stream("", `/CIDInit /ProcSet findresource begin begincmap
1 begincodespacerange <00> <ff> endcodespacerange
1 beginbfrange <61> <7a> <05d0> endbfrange
2 beginbfchar <20> <0020> <37> <0037> endbfchar
endcmap`)
	font := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 5 0 R>>"
	// As a page shows it: the last word is on the left, and its last letter too.
	got := readPDF(t, pdfFile{pages: []string{say(700, "cba 77 fed")}, font: font, more: []string{toUnicode}}.bytes()).Text
	if want := "דהו 77 אבג"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPDFChinese: a font that is not in the file and has no map of its own is read by the
// maps of the standard.
func TestPDFChinese(t *testing.T) {
	t.Parallel()
	font := `<</Type/Font/Subtype/Type0/BaseFont/SimSun/Encoding/GBK-EUC-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType0
/BaseFont/SimSun/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/SimSun/Flags 4
/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 859/Descent -140/CapHeight 700/StemV 80>>>>]>>`
	got := readPDF(t, pdfFile{pages: []string{"BT /F1 12 Tf 60 700 Td <CBAEB1C3BCECB2E9B1EDA3BAD5FDB3A3> Tj ET"}, font: font}.bytes())
	if got.Problem == agent.ProblemUnreadable {
		t.Fatal("Chinese PDFs are read with the maps of poppler: install the package poppler-data")
	}
	if want := "水泵检查表：正常"; got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
}

// TestPDFPassword: all programs get the password, that which opens the file or its owner's; with
// another one it stays closed.
func TestPDFPassword(t *testing.T) {
	t.Parallel()
	file := pdfFile{pages: []string{say(700, "The code is under the mat.") + say(650, "Nobody sees this.", "1 1 1 rg")}, lock: "walnut"}.bytes()
	read := agent.Reading{
		Type: agent.TypePDF, Pages: 1, Text: "The code is under the mat.", Sections: []agent.Section{{End: 26, Page: 1}},
		Notes: []agent.ReadingNote{{Code: agent.NoteHidden, Count: 1, Pages: []int{1}}},
	}
	for password, want := range map[string]agent.Reading{
		"walnut": read, "the owner's": read,
		"-v": {Type: agent.TypePDF, Problem: agent.ProblemLocked, Notes: []agent.ReadingNote{{Code: agent.NotePassword}}},
	} {
		got := reading.Read(agenttest.Context(t), "file.pdf", bytes.NewReader(file), int64(len(file)), reading.Options{Password: password})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("password %q: %s", password, diff)
		}
	}
}

// TestPDFLocked: a password to open a file keeps it closed. One that only forbids copying does not.
func TestPDFLocked(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]agent.Reading{
		"":       {Type: agent.TypePDF, Pages: 1, Text: "The code is under the mat.", Sections: []agent.Section{{End: 26, Page: 1}}},
		"walnut": {Type: agent.TypePDF, Problem: agent.ProblemLocked},
	} {
		got := readPDF(t, pdfFile{pages: []string{say(700, "The code is under the mat.")}, owner: true, lock: name}.bytes())
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("password %q: %s", name, diff)
		}
	}
}
