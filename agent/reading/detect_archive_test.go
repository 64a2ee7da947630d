package reading_test

import (
	"testing"

	"fusebox/agent"
)

func TestReadTellsDocumentsByTheirEntries(t *testing.T) {
	t.Parallel()
	text := entry{"a.txt", "plain words"}
	for name, test := range map[string]struct {
		file    string
		entries []entry
		is      agent.DocumentType
		want    agent.DocumentProblem
	}{
		"another name":        {"letter.doc", []entry{{"word/document.xml", `<w:document><w:body><w:p><w:r><w:t>Dear all</w:t></w:r></w:p></w:body></w:document>`}}, agent.TypeWord, ""},
		"only the name":       {"plain.docx", []entry{text}, agent.TypeWord, agent.ProblemBroken},
		"no workbook":         {"half.bin", []entry{{"xl/worksheets/sheet1.xml", `<worksheet/>`}}, agent.TypeExcel, agent.ProblemBroken},
		"a workbook in bytes": {"table.bin", []entry{{"xl/workbook.bin", "x"}, {"xl/worksheets/sheet1.bin", "x"}}, "", agent.ProblemUnsupported},
		"a book of its own":   {"tides.zip", []entry{{"META-INF/container.xml", `<container/>`}}, agent.TypeBook, agent.ProblemBroken},
		"an open document":    {"text.odt", []entry{{"mimetype", "application/vnd.oasis.opendocument.text"}, text}, "", agent.ProblemUnsupported},
		"an archive":          {"files.zip", []entry{text}, "", agent.ProblemUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := readArchive(t, test.file, zipped(t, test.entries...))
			if r.Type != test.is || r.Problem != test.want {
				t.Errorf("type %q, problem %q; want %q, %q", r.Type, r.Problem, test.is, test.want)
			}
		})
	}
}
