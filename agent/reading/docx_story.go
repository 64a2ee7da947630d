package reading

import (
	"encoding/xml"
	"strconv"
	"strings"

	"fusebox/agent"
)

// story reads the parts of a Word file, as they are with all tracked changes accepted.
type story struct {
	b        *builder
	styles   map[string]wordStyle
	referred map[string]bool // notes that the text refers to
	margins  map[string]bool // headers and footers that were read
	kept     int             // bytes of text, and a little for what is kept with it
	storyPlace
}

// storyPlace is what is open at a place of a part.
type storyPlace struct {
	paragraphs []*paragraph // text boxes stand in paragraphs
	flows      []*flow      // without one, text goes to the body
	tables     []*wordTable
	choices    alternatives
	carried    []byte // the text of a paragraph that goes on in the next
	inText     bool
}

type paragraph struct {
	text   []byte
	style  wordStyle
	run    wordRun
	joined bool     // its end was deleted
	boxes  []string // text of the boxes in it
}

// wordRun is how a part of a paragraph looks.
type wordRun struct{ hidden, white, shaded bool }

// flow is text apart from the body: of a cell, a box, a note, or a margin.
type flow struct {
	lines []string
	intro string
}

// wordTable is one that is being read, with its current row.
type wordTable struct {
	begun, deleted bool
	row            []string
	column, span   int // of the current cell
	continued      bool
	above          map[int]string // the last cell of each column
}

func (s *story) enter(parent string, e xml.StartElement) step {
	s.kept++
	if s.kept > s.b.options.Text {
		s.b.cut()
		return stepOut
	}
	name := e.Name.Local
	switch name {
	case "AlternateContent", "Choice", "Fallback":
		return s.choices.enter(e.Name.Local)
	case "rt", "pPrChange", "rPrChange", "tblPrChange", "trPrChange", "tcPrChange", "sectPrChange":
		return stepOver // the gloss of a word, and how text looked before
	case "del", "moveFrom":
		s.delete(parent)
		return stepOver
	case "footnote", "endnote", "comment", "hdr", "ftr":
		return s.beginAside(e)
	case "footnoteReference", "endnoteReference":
		id := strings.TrimSuffix(name, "Reference") + attrOf(e, "id")
		s.referred[id] = true
		s.kept += len(id) + placeCost
	case "tbl":
		s.tables = append(s.tables, &wordTable{above: map[int]string{}})
	case "tr", "tc":
		return s.beginCell(name)
	case "gridSpan", "vMerge":
		s.mergeCell(e)
	case "txbxContent":
		if len(s.paragraphs) == 0 {
			return stepOver
		}
		s.flows = append(s.flows, &flow{})
	case "p":
		s.paragraphs = append(s.paragraphs, &paragraph{text: s.carried})
		s.carried = nil
	default:
		if len(s.paragraphs) > 0 {
			s.format(s.paragraphs[len(s.paragraphs)-1], parent, e)
		}
	}
	return stepInto
}

// format takes what an element in a paragraph says of its text.
func (s *story) format(p *paragraph, parent string, e xml.StartElement) {
	value := attrOf(e, "val")
	switch parent {
	case "pPr":
		switch e.Name.Local {
		case "pStyle":
			p.style = s.styles[value]
		case "outlineLvl":
			p.style.level = outlineLevel(value)
		case "shd":
			p.style.shaded = true
		}
	case "rPr":
		switch e.Name.Local {
		case "rStyle":
			p.run.hidden = p.run.hidden || s.styles[value].hidden
		case "vanish":
			p.run.hidden = isOn(value)
		case "sz": // in half points
			p.run.hidden = p.run.hidden || value == "0" || value == "1"
		case "color":
			p.run.white = strings.EqualFold(value, "FFFFFF")
		case "shd", "highlight":
			p.run.shaded = true
		}
	default:
		switch e.Name.Local {
		case "r":
			p.run = wordRun{hidden: p.style.hidden}
		case "t":
			s.inText = true
		case "tab", "ptab":
			if parent == "r" {
				p.text = append(p.text, '\t')
			}
		case "br", "cr":
			p.text = append(p.text, '\n')
		case "noBreakHyphen":
			p.text = append(p.text, '-')
		}
	}
}

func (s *story) text(text []byte) {
	if !s.inText || len(s.paragraphs) == 0 {
		return
	}
	p := s.paragraphs[len(s.paragraphs)-1]
	// White text is seen where something dark is behind it; boxes and cells may be dark.
	unseen := p.run.white && !p.run.shaded && !p.style.shaded && len(s.flows) == 0
	if !p.run.hidden && !unseen {
		s.kept += len(text)
		p.text = append(p.text, text...)
	} else if len(strings.TrimSpace(string(text))) > 0 {
		s.b.noteHere(agent.NoteHidden, 1)
	}
}

// delete takes note of a deleted row, or the deleted end of a paragraph.
func (s *story) delete(parent string) {
	switch {
	case parent == "trPr" && len(s.tables) > 0:
		s.tables[len(s.tables)-1].deleted = true
	case parent == "rPr" && len(s.paragraphs) > 0:
		s.paragraphs[len(s.paragraphs)-1].joined = true
	}
}

// beginAside opens a note, a comment, or a margin. Notes that only deleted text refers to are
// left out, and so are the lines that part notes from the text.
func (s *story) beginAside(e xml.StartElement) step {
	f := &flow{}
	switch name := e.Name.Local; name {
	case "footnote", "endnote":
		if !s.referred[name+attrOf(e, "id")] {
			return stepOver
		}
	case "comment":
		if author := attrOf(e, "author"); author != "" {
			f.intro = author + ": "
		}
	}
	s.flows = append(s.flows, f)
	return stepInto
}

// beginCell opens a row of a table, or a cell.
func (s *story) beginCell(name string) step {
	if len(s.tables) == 0 {
		return stepOver
	}
	t := s.tables[len(s.tables)-1]
	if name == "tc" {
		s.kept += cellCost
		s.flows = append(s.flows, &flow{})
		t.span, t.continued = 1, false
		return stepInto
	}
	t.row, t.column, t.deleted = nil, 0, false
	return stepInto
}

// mergeCell takes how many columns a cell has, or that it goes on with the one above.
func (s *story) mergeCell(e xml.StartElement) {
	if len(s.tables) == 0 {
		return
	}
	t, value := s.tables[len(s.tables)-1], attrOf(e, "val")
	if e.Name.Local == "vMerge" {
		t.continued = value != "restart"
	} else if span, err := strconv.Atoi(value); err == nil {
		t.span = span
	}
}
