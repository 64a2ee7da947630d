package reading

import (
	"encoding/xml"
	"slices"
	"strings"

	"fusebox/agent"
)

// snippets are the texts of a part that holds nothing else: comments, or boxes of a diagram.
type snippets struct {
	lines  []string
	line   []byte
	isOpen bool
	inText bool
	kept   int
	limit  int
}

// snippetElements hold a text each: of a workbook, of a presentation, and of a diagram.
var snippetElements = []string{"comment", "threadedComment", "cm", "pt"}

func (s *snippets) enter(_ string, e xml.StartElement) step {
	s.kept++
	if s.kept > s.limit {
		return stepOut
	}
	name := e.Name.Local
	switch {
	case slices.Contains(snippetElements, name):
		s.isOpen, s.line = true, nil
		if place := attrOf(e, "ref"); place != "" {
			s.line = append(s.line, place+": "...)
		}
	case name == "t" || name == "text":
		s.inText = true
	case name == "rPh":
		return stepOver
	}
	return stepInto
}

func (s *snippets) leave(name string) {
	switch {
	case slices.Contains(snippetElements, name):
		s.isOpen = false
		if line := strings.TrimSpace(string(s.line)); line != "" {
			s.lines = append(s.lines, line)
			s.kept += cellCost
		}
	case name == "t" || name == "text":
		s.inText = false
	case name == "p" && s.isOpen:
		s.line = append(s.line, '\n')
	}
}

func (s *snippets) text(text []byte) {
	if s.isOpen && s.inText {
		s.kept += len(text)
		s.line = append(s.line, text...)
	}
}

// writeSnippets writes the texts of the parts that the relations of another lead to.
func (a *archive) writeSnippets(b *builder, relations []relation, kind agent.SectionKind, are string) error {
	for _, r := range relations {
		if !r.is(are) {
			continue
		}
		s := &snippets{limit: b.options.Text}
		if err := spare(b, a.walk(r.Target, s), agent.ReadingNote{Name: r.Target}); err != nil {
			return err
		}
		b.begin(agent.Section{Kind: kind})
		b.write(strings.Join(s.lines, "\n"))
		b.end()
	}
	return nil
}
