package reading_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
	"unicode/utf16"

	"fusebox/agent"
)

// archive is a ZIP archive with entries: names and contents in turn.
func archive(t *testing.T, entries ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(entries); i += 2 {
		entry, err := w.Create(entries[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write([]byte(entries[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// wide is a text in UTF-16, the low byte first.
func wide(text string) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		out.WriteByte(byte(unit))
		out.WriteByte(byte(unit >> 8))
	}
	return out.String()
}

// container is an old office file whose directory has one name.
func container(name string) string {
	header := make([]byte, 512)
	copy(header, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	header[48] = 1 // the directory is in the second sector
	return string(header) + strings.Repeat("\xff", 512) + wide(name) + strings.Repeat("\x00", 600)
}

func TestBytesSayTheType(t *testing.T) {
	t.Parallel()
	mail := strings.Repeat("Received: by a host on the way\n", 12)
	for _, row := range []struct {
		name, content string
		want          agent.DocumentType
		noted         bool
	}{
		{"rates.xls", "<table><tr><td>Room</td><td>Rate</td></tr></table>", agent.TypeHTML, true},
		{"rates.xls", "\xff\xfe" + wide("<html><p>Room"), agent.TypeHTML, true},
		{"page.txt", "\ufeff<?xml version='1.0'?>\n<!-- saved -->\n<!DOCTYPE html><p>Room", agent.TypeHTML, true},
		{"page.htm", "Room", agent.TypeHTML, false},
		{"plan.pdf", "Water the roses on Monday.", agent.TypeText, true},
		{"plan.xlsx", "Water the roses on Monday.", agent.TypeText, true},
		{"plan", "Water the roses on Monday.", agent.TypeText, false},
		{"plan.blue", "Water the roses on Monday.", agent.TypeText, false},
		{"BMW.txt", "BMW and others", agent.TypeText, false},
		{"about.txt", "A file begins with %PDF-1.7 if it is one.", agent.TypeText, false},
		{"plan.txt", wide("Water the roses on Monday."), agent.TypeText, false},
		{"README.md", "<div align=center>\n\n# Roses\n\n</div>", agent.TypeMarkdown, false},
		{"ROSES.MARKDOWN", "Roses", agent.TypeMarkdown, false},
		{"list.txt", "sep=;\na;b\n", agent.TypeCSV, true},
		{"list.tsv", "a\tb\n", agent.TypeCSV, false},
		{"view.vue", "<!doctype html><template></template>", agent.TypeCode, false},
		{"in/Makefile", "all: roses", agent.TypeCode, false},
		{"mail.eml", mail + "%PDF-1.4\n1 0 obj\n<<>>\nendobj\n", agent.TypePDF, false},
		{"mail.txt", "%PDF-1.4\n", agent.TypePDF, true},
		{"letter.doc", archive(t, "[Content_Types].xml", "", "word/document.xml", "<w/>"), agent.TypeWord, true},
		{"letter.docx", archive(t, "word/document.xml", "<w/>"), agent.TypeWord, false},
		{"letter.docx", archive(t, "xl/workbook.xml", "<w/>"), agent.TypeExcel, true},
		{"letter.zip", archive(t, "ppt/presentation.xml", "<w/>"), agent.TypeSlides, true},
		{"book.epub", archive(t, "mimetype", "application/epub+zip\n", "a.xhtml", ""), agent.TypeBook, false},
	} {
		r := read(t, row.name, row.content)
		note := noted(r, agent.NoteType)
		if r.Type != row.want || (note != nil) != row.noted || note != nil && note.Name != string(row.want) {
			t.Errorf("%s with %.30q is %q, noted %v", row.name, row.content, r.Type, note)
		}
	}
}

func TestOthersAreRefused(t *testing.T) {
	t.Parallel()
	cut := archive(t, "word/document.xml", strings.Repeat("roses ", 100))
	for _, row := range []struct {
		name, content string
		want          agent.DocumentProblem
	}{
		{"empty.md", "", agent.ProblemEmpty},
		{"blank.txt", "\ufeff \n\t\n", agent.ProblemEmpty},
		{"photo.txt", "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01", agent.ProblemUnsupported},
		{"photo.md", "\xff\xd8\xff\xe0\x10\x10JFIF", agent.ProblemUnsupported},
		{"song.csv", "ID3\x03\x00\x00\x00\x00\x00\x21TIT2", agent.ProblemUnsupported},
		{"film.html", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", agent.ProblemUnsupported},
		{"roses.txt.gz", "\x1f\x8b\x08\x08aaaaroses", agent.ProblemUnsupported},
		{"tool", "\x7fELF\x02\x01\x01\x00\x00", agent.ProblemUnsupported},
		{"tool.exe", "MZ\x90\x00\x03\x00", agent.ProblemUnsupported},
		{"words.txt", "water\x00roses\x00", agent.ProblemUnsupported},
		{"letter.rtf", `{\rtf1\ansi Roses}`, agent.ProblemUnsupported},
		{"letter.ps", "%!PS-Adobe-3.0\nshowpage", agent.ProblemUnsupported},
		{"letter.docx", archive(t, "roses.txt", "roses", "tulips.txt", "tulips"), agent.ProblemBroken},
		{"letter.odt", archive(t, "mimetype", "application/vnd.oasis.opendocument.text"), agent.ProblemUnsupported},
		{"letter.docx", cut[:len(cut)-30], agent.ProblemBroken},
		{"letter.doc", container("WordDocument"), agent.ProblemUnsupported},
		{"letter.doc", container("")[:300], agent.ProblemUnsupported},
		{"rates.xlsx", container("Workbook"), agent.ProblemUnsupported},
		{"rates.xlsx", container("EncryptedPackage"), agent.ProblemLocked},
	} {
		if r := read(t, row.name, row.content); r.Problem != row.want {
			t.Errorf("%s with %.30q has the problem %q, want %q", row.name, row.content, r.Problem, row.want)
		}
	}
}
