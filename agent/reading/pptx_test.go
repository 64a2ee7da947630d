package reading_test

import (
	"fmt"
	"strings"
	"testing"

	"fusebox/agent"
)

// presentation makes one of slides, which are what is in a tree of shapes.
func presentation(t *testing.T, slides []string, more ...entry) string {
	t.Helper()
	var list strings.Builder
	var targets []entry
	for i, shapes := range slides {
		id, name := "slide", fmt.Sprintf("slides/s%d.xml", len(slides)-i)
		if i > 0 {
			id = fmt.Sprint("slide", i+1)
		}
		fmt.Fprintf(&list, `<p:sldId id="%d" r:id="%s"/>`, 256+i, id)
		targets = append(targets, entry{"slide", name})
		if !strings.HasPrefix(shapes, "<p:sld") {
			shapes = `<p:sld><p:cSld><p:spTree>` + shapes + `</p:spTree></p:cSld></p:sld>`
		}
		more = append(more, entry{"ppt/" + name, shapes})
	}
	return zipped(t, append(more, entry{"ppt/presentation.xml",
		`<p:presentation xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">
			<p:sldIdLst>` + list.String() + `</p:sldIdLst><p:sldSz cx="1000" cy="500"/></p:presentation>`},
		related("ppt/_rels/presentation.xml.rels", targets...))...)
}

// box is a shape with a place and a text of one paragraph; a placeholder also has a role.
func box(x, y int, role, text string) string {
	return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="2"/><p:nvPr><p:ph type="%s"/></p:nvPr></p:nvSpPr>
		<p:spPr><a:xfrm><a:off x="%d" y="%d"/><a:ext cx="10" cy="10"/></a:xfrm></p:spPr>
		<p:txBody><a:p><a:r><a:t>%s</a:t></a:r></a:p></p:txBody></p:sp>`, role, x, y, text)
}

func TestReadPPTXReadsShapesByTheirPlace(t *testing.T) {
	t.Parallel()
	group := `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="3"/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="500" y="%d"/><a:ext cx="100" cy="100"/>
		<a:chOff x="%d" y="%d"/><a:chExt cx="%d" cy="%d"/></a:xfrm></p:grpSpPr>%s</p:grpSp>`
	inner := fmt.Sprintf(group, 50, 0, 0, 100, 100, box(0, 0, "", "inner"))
	outer := fmt.Sprintf(group, 110, 500, 0, 50, 50, inner+box(500, 95, "", "below inner"))
	file := presentation(t, []string{
		box(10, 300, "", "last") + box(10, 200, "", "left") + box(400, 200, "", "right") + outer + box(10, 400, "title", "Knots") +
			`<p:sp><p:nvSpPr><p:nvPr><p:ph idx="1"/></p:nvPr></p:nvSpPr><p:spPr/>
				<p:txBody><a:p><a:r><a:t>in the </a:t></a:r><a:r><a:t>layout</a:t></a:r><a:br/><a:r><a:t>two</a:t></a:r></a:p></p:txBody></p:sp>` +
			box(0, 490, "sldNum", "1") + box(0, 490, "ftr", "Sailing club"),
		box(10, 10, "", "no title") + box(0, 490, "ftr", "Sailing club"),
	})
	wants(t, readArchive(t, "knots.pptx", file), []part{
		{"Knots, page 1", "in the layout\ntwo\nleft\nright\ninner\nlast\nbelow inner"},
		{"Knots, margin, page 1", "Sailing club"},
		{", page 2", "no title"},
	})
}

func TestReadPPTXReadsTablesAndNotes(t *testing.T) {
	t.Parallel()
	file := presentation(t, []string{
		box(0, 0, "ctrTitle", "Ropes") + `<p:graphicFrame><p:xfrm><a:off x="0" y="10"/></p:xfrm><a:graphic><a:graphicData><a:tbl>
			<a:tr><a:tc><a:txBody><a:p><a:r><a:t>Rope</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>Load</a:t></a:r></a:p></a:txBody></a:tc></a:tr>
			<a:tr><a:tc><a:txBody><a:p><a:r><a:t>Sheet</a:t></a:r></a:p><a:p><a:r><a:t>line</a:t></a:r></a:p></a:txBody></a:tc>
				<a:tc><a:txBody><a:p><a:r><a:t>3 kN</a:t></a:r></a:p></a:txBody></a:tc></a:tr>
			<a:tr><a:tc vMerge="1"><a:txBody><a:p/></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>4 kN</a:t></a:r></a:p></a:txBody></a:tc></a:tr>
			</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`,
	}, related("ppt/slides/_rels/s1.xml.rels", entry{"notesSlide", "../notesSlides/n.xml"}, entry{"comments", "../comments/c.xml"}, entry{"diagramData", "../diagrams/d.xml"}),
		entry{"ppt/comments/c.xml", `<p:cmLst><p:cm><p:text>Too many ropes</p:text></p:cm></p:cmLst>`},
		entry{"ppt/diagrams/d.xml", `<dgm:dataModel><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Splice</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt type="pres"/>
			<dgm:pt><dgm:t><a:p><a:r><a:t>Whip</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`},
		entry{"ppt/notesSlides/n.xml", `<p:notes><p:cSld><p:spTree>` + box(0, 0, "sldNum", "1") + box(0, 0, "body", "Show the red one.") + `</p:spTree></p:cSld></p:notes>`})
	r := readArchive(t, "ropes.pptx", file)
	wants(t, r, []part{
		{"Ropes, table, page 1", "Rope | Load\nSheet / line | 3 kN\nSheet / line | 4 kN"},
		{"Ropes, page 1", "Splice\nWhip"},
		{"Ropes, note, page 1", "Show the red one."},
		{"Ropes, comment, page 1", "Too many ropes"},
	})
	if head := r.Sections[0].Head; head != "Rope | Load" {
		t.Errorf("head %q", head)
	}
}

func TestReadPPTXLeavesOutWhatIsHidden(t *testing.T) {
	t.Parallel()
	hidden := strings.Replace(box(0, 0, "", "hidden shape"), `id="2"`, `id="2" hidden="1"`, 1)
	tiny := strings.Replace(box(0, 0, "", "tiny"), `<a:r>`, `<a:r><a:rPr sz="50"/>`, 1)
	file := presentation(t, []string{
		`<p:sld show="0"><p:cSld><p:spTree>` + box(0, 0, "title", "Old prices") + `</p:spTree></p:cSld></p:sld>`,
		hidden + tiny + box(2000, 0, "", "beside the slide") + box(0, 0, "", "seen") + `<p:grpSp><p:nvGrpSpPr><p:cNvPr hidden="true"/></p:nvGrpSpPr>` + box(0, 0, "", "group") + `</p:grpSp>`,
		`<p:sld><p:cSld><p:spTree>` + box(0, 0, "", "whole") + `<p:sp>`,
	})
	wants(t, readArchive(t, "hidden.pptx", file), []part{
		{", page 2", "seen"},
		{", page 3", "whole"},
	}, agent.ReadingNote{Code: agent.NoteHidden, Pages: []int{1, 2}, Count: 5}, agent.ReadingNote{Code: agent.NoteBroken, Pages: []int{3}})
}
