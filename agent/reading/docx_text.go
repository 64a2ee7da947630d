package reading

import (
	"strings"

	"fusebox/agent"
)

func (s *story) leave(name string) {
	switch name {
	case "t":
		s.inText = false
	case "AlternateContent":
		s.choices.leave(name)
	case "p":
		s.endParagraph()
	case "body":
		s.uncarry()
	case "txbxContent":
		p := s.paragraphs[len(s.paragraphs)-1]
		p.boxes = append(p.boxes, s.endFlow().lines...)
	case "tc":
		s.endCell()
	case "tr":
		s.endRow()
	case "tbl":
		s.tables = s.tables[:len(s.tables)-1]
		if len(s.flows) == 0 {
			s.b.end()
		}
	case "footnote", "endnote":
		s.endAside(agent.KindNote)
	case "comment":
		s.endAside(agent.KindComment)
	case "hdr", "ftr":
		s.endAside(agent.KindMargin)
	}
}

// uncarry ends a paragraph that no other goes on with.
func (s *story) uncarry() {
	s.put(strings.TrimSpace(string(s.carried)), 0)
	s.carried = nil
}

// endFlow closes the inner flow.
func (s *story) endFlow() *flow {
	s.uncarry()
	last := len(s.flows) - 1
	f := s.flows[last]
	s.flows = s.flows[:last]
	return f
}

// endParagraph closes the inner paragraph; text of its boxes follows it.
func (s *story) endParagraph() {
	last := len(s.paragraphs) - 1
	p := s.paragraphs[last]
	s.paragraphs = s.paragraphs[:last]
	if p.joined {
		s.carried = p.text
	} else {
		s.put(strings.TrimSpace(string(p.text)), p.style.level)
	}
	for _, line := range p.boxes {
		s.put(line, 0)
	}
}

// put adds a paragraph to where text goes.
func (s *story) put(text string, level int) {
	switch {
	case text == "":
	case len(s.flows) > 0:
		f := s.flows[len(s.flows)-1]
		f.lines = append(f.lines, text)
	case level > 0:
		s.b.heading(level, text)
	default:
		s.b.write(text + "\n\n")
	}
}

// endCell closes a cell. One that goes on with that above says the same.
func (s *story) endCell() {
	t := s.tables[len(s.tables)-1]
	text := strings.Join(s.endFlow().lines, "\n")
	if t.continued && text == "" {
		text = t.above[t.column]
		s.kept += len(text)
	}
	t.above[t.column] = text
	t.row = append(t.row, text)
	t.column += t.span
}

// endRow closes a row. The first of a table says what its columns are. A table in a cell
// becomes lines of the cell.
func (s *story) endRow() {
	t := s.tables[len(s.tables)-1]
	if t.deleted || strings.Join(t.row, "") == "" {
		return
	}
	if len(s.flows) > 0 {
		s.put(tableLine(t.row), 0)
		return
	}
	if !t.begun {
		t.begun = true
		s.b.begin(agent.Section{Kind: agent.KindTable, Head: tableLine(t.row)})
	}
	s.b.row(t.row)
}

// endAside closes a note, a comment, or a margin. Margins that say the same are one.
func (s *story) endAside(kind agent.SectionKind) {
	f := s.endFlow()
	text := strings.Join(f.lines, "\n")
	if text == "" || kind == agent.KindMargin && s.margins[text] {
		return
	}
	if kind == agent.KindMargin {
		s.margins[text] = true
	}
	s.b.begin(agent.Section{Kind: kind})
	s.b.write(f.intro + text)
	s.b.end()
}
