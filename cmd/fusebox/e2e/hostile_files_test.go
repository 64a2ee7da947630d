package e2e

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// packed is an archive of files, each a name and its content.
func packed(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		must(t, err)
		_, err = w.Write([]byte(files[i+1]))
		must(t, err)
	}
	must(t, z.Close())
	return b.String()
}

// rels are the relations of a part of an office file, each a kind and what it leads to.
func rels(all ...string) string {
	var b strings.Builder
	for i := 0; i < len(all); i += 2 {
		fmt.Fprintf(&b, `<Relationship Id="%[1]s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%[1]s" Target="%[2]s"/>`, all[i], all[i+1])
	}
	return `<Relationships>` + b.String() + `</Relationships>`
}

// wordFile has a text, a run that is not seen, and a comment.
func wordFile(t *testing.T, text, hidden, comment string) string {
	t.Helper()
	run := func(text, look string) string {
		return `<w:p><w:r><w:rPr>` + look + `</w:rPr><w:t>` + text + `</w:t></w:r></w:p>`
	}
	return packed(t,
		"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`+run(text, "")+run(hidden, `<w:vanish/>`)+`</w:body></w:document>`,
		"word/_rels/document.xml.rels", rels("comments", "comments.xml"),
		"word/comments.xml", `<w:comments><w:comment w:author="Ida">`+run(comment, "")+`</w:comment></w:comments>`)
}

// excelFile has a table with a head, and a sheet that is not seen.
func excelFile(t *testing.T, head, text, hidden string) string {
	t.Helper()
	sheet := func(texts ...string) string {
		var rows strings.Builder
		for i, text := range texts {
			fmt.Fprintf(&rows, `<row r="%[1]d"><c r="A%[1]d" t="inlineStr"><is><t>%[2]s</t></is></c><c r="B%[1]d"><v>%[1]d</v></c></row>`, i+1, text)
		}
		return `<worksheet><sheetData>` + rows.String() + `</sheetData></worksheet>`
	}
	return packed(t,
		"xl/workbook.xml", `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Open" r:id="worksheet"/><sheet name="Deep" state="veryHidden" r:id="other"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", strings.Replace(rels("worksheet", "open.xml", "other", "deep.xml"), "relationships/other", "relationships/worksheet", 1),
		"xl/open.xml", sheet(head, text), "xl/deep.xml", sheet(hidden))
}

// slidesFile has a slide with notes for the speaker.
func slidesFile(t *testing.T, text, notes string) string {
	t.Helper()
	box := func(role, text string) string {
		return fmt.Sprintf(`<p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="%s"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>%s</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld>`, role, text)
	}
	return packed(t,
		"ppt/presentation.xml", `<p:presentation xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:sldIdLst><p:sldId id="256" r:id="slide"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", rels("slide", "slides/s1.xml"),
		"ppt/slides/s1.xml", `<p:sld>`+box("", text)+`</p:sld>`,
		"ppt/slides/_rels/s1.xml.rels", rels("notesSlide", "../notesSlides/n.xml"),
		"ppt/notesSlides/n.xml", `<p:notes>`+box("body", notes)+`</p:notes>`)
}

// bookFile has a chapter.
func bookFile(t *testing.T, body string) string {
	t.Helper()
	return packed(t,
		"mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>`,
		"book.opf", `<package><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Pools</dc:title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`,
		"a.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>`+body+`</body></html>`)
}

// pdfFile has a line of text, and one that is not drawn.
func pdfFile(text, hidden string) string {
	content := fmt.Sprintf("BT /F1 12 Tf 60 700 Td (%s) Tj ET\nq BT 3 Tr /F1 12 Tf 60 600 Td (%s) Tj ET Q\n", text, hidden)
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[5 0 R]>>",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>", fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content),
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents 4 0 R>>",
	}
	file, table := "%PDF-1.5\n", ""
	for i, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", len(file))
		file += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	return file + fmt.Sprintf("xref\n0 %[1]d\n0000000000 65535 f \n%[2]strailer\n<</Size %[1]d/Root 1 0 R>>\nstartxref\n%[3]d\n%%%%EOF", len(objects)+1, table, len(file))
}

// inTags is a text in tag characters, which nobody sees.
func inTags(text string) string {
	return strings.Map(func(r rune) rune { return r + 0xE0000 }, text)
}
