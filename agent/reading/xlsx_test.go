package reading_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

// excel makes a workbook of sheets, each given by its attributes and what is in it.
func excel(t *testing.T, properties string, sheets []entry, more ...entry) string {
	t.Helper()
	var list strings.Builder
	targets := []entry{{"styles", "styles.xml"}, {"sharedStrings", "sharedStrings.xml"}}
	for i, s := range sheets {
		name := fmt.Sprintf("worksheets/%d.xml", len(sheets)-i) // not in the order of the tabs
		id := "worksheet"
		if i > 0 {
			id = fmt.Sprint("worksheet", i+1)
		}
		fmt.Fprintf(&list, `<sheet %s r:id="%s"/>`, s.name, id)
		targets = append(targets, entry{"worksheet", name})
		more = append(more, entry{"xl/" + name, `<worksheet>` + s.body + `</worksheet>`})
	}
	return zipped(t, append(more,
		entry{"xl/workbook.xml", `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
			properties + `<sheets>` + list.String() + `</sheets></workbook>`},
		related("xl/_rels/workbook.xml.rels", targets...))...)
}

// cell makes a cell with a text.
func cell(place, text string) string {
	return fmt.Sprintf(`<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, place, text)
}

var noStrings = entry{"xl/sharedStrings.xml", `<sst/>`}

func TestReadXLSXReadsTheTableOfASheet(t *testing.T) {
	t.Parallel()
	file := excel(t, "", []entry{{`name="Boats"`, `<dimension ref="A1:XFD1048576"/><sheetData>
		<row r="2">` + cell("B2", "Fleet of the lake") + `</row>
		<row r="4">` + cell("B4", "Boat") + cell("D4", "Port") + `<c r="E4" t="s"><v>0</v></c></row>
		<row r="5">` + cell("B5", "Gull_x000D_") + cell("D5", "NA") + `<c r="E5"><v>12</v></c></row>
		<row r="6"><c r="D6" t="str"><f>X1</f><v>Ny&#10;havn</v></c><c r="E6"><v>7.50</v></c></row>
		<row r="7"><c r="B7" s="1"/></row>
		<row r="9">` + cell("B9", "Tern") + `<c r="E9" t="e"><v>#DIV/0!</v></c></row>
		<row><c><v>1</v></c><c t="b"><v>1</v></c></row>
		</sheetData><mergeCells><mergeCell ref="B5:C7"/><mergeCell ref="A1:XFD1048576"/></mergeCells>`}},
		entry{"xl/sharedStrings.xml", `<sst><si><r><t>Se</t></r><r><t>ats</t></r><rPh><t>gloss</t></rPh></si></sst>`},
		entry{"xl/styles.xml", `<styleSheet/>`})
	r := readArchive(t, "boats.xlsx", file)
	wants(t, r, []part{
		{"Boats, page 1, Boats, line 2", "Fleet of the lake"},
		{"Boats, table, page 1, Boats, line 4", " | Boat | Port | Seats\n | Gull | NA | 12\n | Gull | Ny / havn | 7.5"},
		{"Boats, table, page 1, Boats, line 9", " | Tern |  | #DIV/0!\n1 | TRUE"},
	})
	for _, s := range r.Sections[1:] {
		if s.Head != "| Boat | Port | Seats" {
			t.Errorf("head %q", s.Head)
		}
	}
}

func TestReadXLSXLeavesOutWhatIsHidden(t *testing.T) {
	t.Parallel()
	file := excel(t, "", []entry{
		{`name="Open"`, `<cols><col min="2" max="3" hidden="1"/></cols><sheetData>
			<row r="1">` + cell("A1", "seen") + cell("B1", "column b") + cell("D1", "too") + `</row>
			<row r="2" hidden="1">` + cell("A2", "row two") + `</row></sheetData>`},
		{`name="Pay" state="hidden"`, `<sheetData><row r="1">` + cell("A1", "wages") + `</row></sheetData>`},
		{`name="Deep" state="veryHidden"`, `<sheetData><row r="1">` + cell("A1", "macros") + `</row></sheetData>`},
		{`name="Empty"`, `<sheetData/>`},
	}, noStrings)
	r := readArchive(t, "hidden.xlsx", file)
	wants(t, r, []part{{"Open, table, page 1, Open, line 1", "seen | too"}},
		agent.ReadingNote{Code: agent.NoteBroken, Name: "xl/styles.xml"},
		agent.ReadingNote{Code: agent.NoteHidden, Pages: []int{1, 2, 3}, Count: 4})
	if r.Pages != 4 {
		t.Errorf("%d pages", r.Pages)
	}
}

func TestReadXLSXShowsNumbersAsTheSheetDoes(t *testing.T) {
	t.Parallel()
	tests := []struct{ format, value, want string }{
		{"General", "0.30000000000000004", "0.3"},
		{"General", "12.0", "12"},
		{"General", "1E-3", "0.001"},
		{"", "123456789012", "123456789012"},
		{"0", "2.5", "3"},
		{"0.00", "1.005", "1.01"},
		{"0.00", "-3", "-3.00"},
		{"#,##0.0#", "1234567.5", "1,234,567.5"},
		{"#,##0.00_);[Red](#,##0.00)", "-1234.5", "(1,234.50)"},
		{`_-* #,##0.00\ "€"_-`, "12", "12.00 €"},
		{`[$£-809]#,##0`, "4100", "£4,100"},
		{"0%", "0.075", "8%"},
		{"0.00%", "0.075", "7.50%"},
		{"0000", "12", "0012"},
		{`000\-00\-0000`, "123456789", "123-45-6789"},
		{"(000) 000-0000", "5550123456", "(555) 012-3456"},
		{`0.0,,"M"`, "12500000", "12.5M"},
		{"0.00E+00", "12345", "1.23E+04"},
		{`0.0" kg"`, "7", "7.0 kg"},
		{`"yes";"no";"none"`, "-1", "no"},
		{"0;-0;;@", "0", ""},
		{"# ?/?", "0.5", "0.5"},
		{"@", "0.5", "0.5"},
		{"m/d/yy", "46083", "2026-03-02"},
		{"dd.mm.yyyy", "46083.75", "2026-03-02"},
		{`yyyy"年"m"月"d"日";@`, "46083", "2026-03-02"},
		{"[$-F800]dddd, mmmm dd, yyyy", "46083", "2026-03-02"},
		{"mmm-yy", "46083", "2026-03"},
		{"d-mmm", "46083", "2026-03-02"},
		{"yyyy-mm-dd hh:mm", "46083.604166666664", "2026-03-02 14:30"},
		{"m/d/yy h:mm:ss AM/PM", "46083.604166666664", "2026-03-02 14:30:00"},
		{"h:mm", "0.604166666666667", "14:30"},
		{"mm:ss", "0.00115740740740741", "00:01:40"},
		{"[h]:mm", "1.25", "30:00"},
		{"[mm]:ss", "0.0625", "90:00"},
		{"yyyy-mm-dd", "1", "1900-01-01"},
		{"yyyy-mm-dd", "61", "1900-03-01"},
		{"yyyy-mm-dd", "-5", "-5"},
		{"0.00", "n/a", "n/a"},
	}
	var codes, styles, rows strings.Builder
	for i, test := range tests {
		fmt.Fprintf(&codes, `<numFmt numFmtId="%d" formatCode="%s"/>`, 200+i, strings.ReplaceAll(test.format, `"`, "&quot;"))
		fmt.Fprintf(&styles, `<xf numFmtId="%d"/>`, 200+i)
		fmt.Fprintf(&rows, `<row>%s<c s="%d"><v>%s</v></c></row>`, cell("A1", "x"), i, test.value)
	}
	file := excel(t, "", []entry{{`name="S"`, `<sheetData>` + rows.String() + `</sheetData>`}}, noStrings,
		entry{"xl/styles.xml", `<styleSheet><numFmts>` + codes.String() + `</numFmts><cellXfs>` + styles.String() + `</cellXfs></styleSheet>`})
	lines := strings.Split(places(readArchive(t, "numbers.xlsx", file))[0].Text, "\n")
	for i, test := range tests {
		want := "x | " + test.want
		if test.want == "" {
			want = "x"
		}
		if lines[i] != want {
			t.Errorf("%q of %s: %q, want %q", test.format, test.value, lines[i], want)
		}
	}
}

func TestReadXLSXKnowsBuiltinFormatsAndOldDates(t *testing.T) {
	t.Parallel()
	styles := entry{"xl/styles.xml", `<styleSheet><cellXfs><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="10"/><xf numFmtId="46"/><xf numFmtId="31"/></cellXfs></styleSheet>`}
	rows := `<sheetData><row r="1">` + cell("A1", "of") + cell("B1", "all") + cell("C1", "kinds") + cell("D1", "in") + cell("E1", "one") + cell("F1", "row") + `</row>
		<row r="2"><c s="0"><v>44621</v></c><c s="1"><v>44621.5</v></c><c s="2"><v>0.5</v></c><c s="3"><v>1.5</v></c><c s="4"><v>44621</v></c>
		<c t="d"><v>2026-03-02T00:00:00</v></c></row></sheetData>`
	for properties, want := range map[string]string{
		``:                              "2022-03-01 | 2022-03-01 12:00 | 50.00% | 36:00:00 | 2022-03-01 | 2026-03-02",
		`<workbookPr date1904="true"/>`: "2026-03-02 | 2026-03-02 12:00 | 50.00% | 36:00:00 | 2026-03-02 | 2026-03-02",
		`<workbookPr date1904="0"/>`:    "2022-03-01 | 2022-03-01 12:00 | 50.00% | 36:00:00 | 2022-03-01 | 2026-03-02",
	} {
		r := readArchive(t, "dates.xlsx", excel(t, properties, []entry{{`name="S"`, rows}}, noStrings, styles))
		wants(t, r, []part{{"S, table, page 1, S, line 1", "of | all | kinds | in | one | row\n" + want}})
	}
}

func TestReadXLSXCountsOnlyCellsThatAreThere(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&rows, `<row r="%d" s="1"/>`, i+2)
	}
	file := excel(t, "", []entry{{`name="S"`, `<sheetData><row r="1">` + cell("A1", "first") + `</row>` + rows.String() +
		`<row r="1048576">` + cell("XFD1048576", "last") + cell("XFE1048576", "outside") + `</row></sheetData>
		<mergeCells><mergeCell ref="A1:XFD1048575"/></mergeCells>`}}, noStrings)
	r := readArchive(t, "wide.xlsx", file)
	want := []part{
		{"S, table, page 1, S, line 1", "first"},
		{"S, table, page 1, S, line 1048576", " | last"},
	}
	if diff := cmp.Diff(want, places(r)); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

func TestReadXLSXReadsComments(t *testing.T) {
	t.Parallel()
	sheets := []entry{{`name="S"`, `<sheetData><row r="1">` + cell("A1", "Boat") + `</row></sheetData>`}}
	notes := entry{"xl/comments1.xml", `<comments><authors><author>Ida</author></authors><commentList>
		<comment ref="A1"><text><r><t>Which </t></r><r><t>boat?</t></r></text></comment></commentList></comments>`}
	thread := entry{"xl/threads.xml", `<ThreadedComments><threadedComment ref="A1"><text>The red one?</text></threadedComment></ThreadedComments>`}
	file := excel(t, "", sheets, noStrings, notes, related("xl/worksheets/_rels/1.xml.rels", entry{"comments", "../comments1.xml"}))
	if got := places(readArchive(t, "s.xlsx", file))[1]; got != (part{"S, comment, page 1, S", "A1: Which boat?"}) {
		t.Errorf("comment %v", got)
	}
	file = excel(t, "", sheets, noStrings, notes, thread, related("xl/worksheets/_rels/1.xml.rels",
		entry{"comments", "../comments1.xml"}, entry{"threadedComment", "../threads.xml"}))
	if got := places(readArchive(t, "s.xlsx", file))[1]; got != (part{"S, comment, page 1, S", "A1: The red one?"}) {
		t.Errorf("comment %v", got)
	}
}
