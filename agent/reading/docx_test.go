package reading_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

// word makes a Word file of a body and other parts.
func word(t *testing.T, body string, more ...entry) string {
	t.Helper()
	return zipped(t, append(more, entry{"word/document.xml",
		`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + body + `</w:body></w:document>`})...)
}

func TestReadDOCXKeepsHeadingsAndTables(t *testing.T) {
	t.Parallel()
	file := word(t, `
		<w:p><w:pPr><w:pStyle w:val="T1"/></w:pPr><w:r><w:t>Harbour</w:t></w:r></w:p>
		<w:p><w:r><w:t>Ships</w:t><w:tab/><w:t>come</w:t><w:br/><w:t>at high tide</w:t><w:noBreakHyphen/><w:t>only</w:t></w:r></w:p>
		<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:t>Berths</w:t></w:r></w:p>
		<w:tbl>
			<w:tr><w:tc><w:p><w:r><w:t>Berth</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Depth</w:t></w:r></w:p></w:tc></w:tr>
			<w:tr><w:tc><w:p><w:r><w:t>North</w:t></w:r></w:p><w:p><w:r><w:t>quay</w:t></w:r></w:p></w:tc><w:tc>
				<w:tbl><w:tr><w:tc><w:p><w:r><w:t>9 m</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>low</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>
			</w:tc></w:tr>
		</w:tbl>
		<w:p><w:r><w:t>Ask the </w:t></w:r><w:hyperlink><w:r><w:t>pilot</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r></w:p>
		<w:p><w:pPr><w:pStyle w:val="Own"/></w:pPr><w:r><w:t>Fees</w:t></w:r></w:p>
		<w:p><w:r><w:ruby><w:rt><w:r><w:t>gǎng</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>港</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>口费用。</w:t></w:r></w:p>`,
		entry{"docProps/core.xml", `<cp:coreProperties><dc:title>Port book</dc:title></cp:coreProperties>`},
		related("word/_rels/document.xml.rels", entry{"styles", "styles.xml"}),
		entry{"word/styles.xml", `<w:styles>
			<w:style w:styleId="T1"><w:name w:val="heading 1"/></w:style>
			<w:style w:styleId="Own"><w:name w:val="Our own"/><w:basedOn w:val="Loop"/></w:style>
			<w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="T1"/></w:style>
		</w:styles>`})
	r := readArchive(t, "port.docx", file)
	wants(t, r, []part{
		{"Harbour", "Ships\tcome\nat high tide-only"},
		{"Harbour > Berths, table", "Berth | Depth\nNorth / quay | 9 m | low"},
		{"Harbour > Berths", "Ask the pilot."},
		{"Fees", "港口费用。"},
	})
	if r.Title != "Port book" || r.Sections[1].Head != "Berth | Depth" {
		t.Errorf("title %q, head %q", r.Title, r.Sections[1].Head)
	}
}

func TestReadDOCXAcceptsChanges(t *testing.T) {
	t.Parallel()
	file := word(t, `
		<w:p><w:r><w:t>The rope is </w:t></w:r><w:del><w:r><w:delText>thin</w:delText></w:r></w:del><w:ins><w:r><w:t>thick</w:t></w:r></w:ins></w:p>
		<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>One line </w:t></w:r></w:p>
		<w:p><w:r><w:t>out of two.</w:t></w:r></w:p>
		<w:p><w:moveFrom><w:r><w:t>Anchors rest.</w:t></w:r><w:r><w:footnoteReference w:id="3"/></w:r></w:moveFrom></w:p>
		<w:p><w:moveTo><w:r><w:t>Anchors rest.</w:t></w:r><w:r><w:footnoteReference w:id="4"/></w:r></w:moveTo></w:p>
		<w:p><w:pPr><w:pPrChange><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange></w:pPr><w:r><w:t>No heading now.</w:t></w:r></w:p>
		<w:tbl><w:tr><w:tc><w:p><w:r><w:t>kept row</w:t></w:r></w:p></w:tc></w:tr>
			<w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p><w:r><w:t>deleted row</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`,
		related("word/_rels/document.xml.rels", entry{"comments", "comments.xml"}, entry{"footnotes", "footnotes.xml"}),
		entry{"word/comments.xml", `<w:comments><w:comment w:author="Ida"><w:p><w:r><w:t>Which rope?</w:t></w:r></w:p></w:comment></w:comments>`},
		entry{"word/footnotes.xml", `<w:footnotes>
			<w:footnote w:id="0" w:type="separator"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote>
			<w:footnote w:id="3"><w:p><w:r><w:t>Of iron.</w:t></w:r></w:p></w:footnote>
			<w:footnote w:id="4"><w:p><w:r><w:t>Of iron.</w:t></w:r></w:p></w:footnote></w:footnotes>`})
	wants(t, readArchive(t, "rope.docx", file), []part{
		{"", "The rope is thick\n\nOne line out of two.\n\nAnchors rest.\n\nNo heading now."},
		{", table", "kept row"},
		{", note", "Of iron."},
		{", comment", "Ida: Which rope?"},
	})
}

func TestReadDOCXReadsBoxesAndMarginsOnce(t *testing.T) {
	t.Parallel()
	box := `<w:txbxContent><w:p><w:r><w:t>Mind the gap</w:t></w:r></w:p></w:txbxContent>`
	margin := `<w:p><w:r><w:t>File 12-B</w:t></w:r></w:p>`
	file := word(t, `<w:p><w:r><w:t>Before</w:t></w:r><w:r><mc:AlternateContent>
			<mc:Choice>`+box+`</mc:Choice><mc:Fallback>`+box+`</mc:Fallback>
		</mc:AlternateContent></w:r><w:r><w:t> and after</w:t></w:r></w:p>
		<w:p><w:r><mc:AlternateContent><mc:Fallback>`+box+`</mc:Fallback></mc:AlternateContent></w:r></w:p>`,
		related("word/_rels/document.xml.rels", entry{"header", "h1.xml"}, entry{"header", "/word/h2.xml"}, entry{"footer", "f.xml"}),
		entry{"word/h1.xml", `<w:hdr>` + margin + `</w:hdr>`},
		entry{"word/h2.xml", `<w:hdr>` + margin + `</w:hdr>`},
		entry{"word/f.xml", `<w:ftr><w:p><w:r><w:t>Draft</w:t></w:r></w:p></w:ftr>`})
	wants(t, readArchive(t, "gap.docx", file), []part{
		{"", "Before and after\n\nMind the gap\n\nMind the gap"},
		{", margin", "File 12-B"},
		{", margin", "Draft"},
	})
}

func TestReadDOCXLeavesOutHiddenText(t *testing.T) {
	t.Parallel()
	run := func(look, text string) string {
		return `<w:p><w:r><w:rPr>` + look + `</w:rPr><w:t>` + text + `</w:t></w:r></w:p>`
	}
	file := word(t, run(`<w:vanish/>`, "one")+run(`<w:vanish w:val="0"/>`, "seen")+run(`<w:sz w:val="1"/>`, "two")+
		run(`<w:color w:val="FFFFFF"/>`, "three")+run(`<w:color w:val="FFFFFF"/><w:shd w:fill="000000"/>`, "white on black")+
		run(`<w:rStyle w:val="Secret"/>`, "four"),
		related("word/_rels/document.xml.rels", entry{"styles", "styles.xml"}),
		entry{"word/styles.xml", `<w:styles><w:style w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>`})
	wants(t, readArchive(t, "hidden.docx", file), []part{{"", "seen\n\nwhite on black"}},
		agent.ReadingNote{Code: agent.NoteHidden, Count: 4})
}

func TestReadDOCXGivesMergedCellsToTheirRows(t *testing.T) {
	t.Parallel()
	cell := func(properties, text string) string {
		return `<w:tc><w:tcPr>` + properties + `</w:tcPr><w:p><w:r><w:t>` + text + `</w:t></w:r></w:p></w:tc>`
	}
	file := word(t, `<w:tbl><w:tr>`+cell(`<w:gridSpan w:val="2"/>`, "Quay")+cell("", "Depth")+`</w:tr>
		<w:tr>`+cell("", "North")+cell("", "one")+cell(`<w:vMerge w:val="restart"/>`, "9 m")+`</w:tr>
		<w:tr>`+cell(`<w:gridSpan w:val="2"/>`, "South")+cell(`<w:vMerge/>`, "")+`</w:tr></w:tbl>`)
	wants(t, readArchive(t, "quay.docx", file), []part{{", table", "Quay | Depth\nNorth | one | 9 m\nSouth | 9 m"}})
}

func TestReadDOCXKeepsWhatIsWhole(t *testing.T) {
	t.Parallel()
	file := zipped(t, entry{"word/document.xml", `<w:document><w:body><w:p><w:r><w:t>The first page.</w:t></w:r></w:p><w:p><w:r></w:p>`},
		related("word/_rels/document.xml.rels", entry{"header", "h.xml"}, entry{"footer", "gone.xml"}),
		entry{"word/h.xml", `<w:hdr><w:p><w:r><w:t>Head`})
	r := readArchive(t, "half.docx", file)
	wants(t, r, []part{{"", "The first page."}},
		agent.ReadingNote{Code: agent.NoteBroken, Name: "word/document.xml"},
		agent.ReadingNote{Code: agent.NoteBroken, Name: "word/h.xml"},
		agent.ReadingNote{Code: agent.NoteBroken, Name: "word/gone.xml"})
	if diff := cmp.Diff(agent.TypeWord, r.Type); diff != "" {
		t.Error(diff)
	}
}
