package reading

import (
	"cmp"
	"encoding/xml"
	"slices"
	"strings"

	"fusebox/agent"
)

// readPPTX reads the slides of a presentation in their order, with the notes of the speaker.
func readPPTX(a *archive, b *builder) error {
	main, err := a.mainPart(b, "ppt/presentation.xml")
	if err != nil {
		return err
	}
	var list struct {
		Size struct {
			X float64 `xml:"cx,attr"`
			Y float64 `xml:"cy,attr"`
		} `xml:"sldSz"`
		Slides []struct {
			Attributes []xml.Attr `xml:",any,attr"`
		} `xml:"sldIdLst>sldId"`
	}
	if err := a.decode(main, &list); err != nil {
		return err
	}
	relations, err := a.relations(main)
	if err != nil {
		return err
	}
	parts := targets(relations)
	p := &presentation{archive: a, b: b, size: extent{list.Size.X, list.Size.Y}, margins: map[string]bool{}}
	for i, entry := range list.Slides {
		if b.isFull {
			break
		}
		b.page(i+1, "")
		err := p.readSlide(parts[relationID(entry.Attributes)])
		if err := spare(b, err, agent.ReadingNote{Pages: []int{i + 1}}); err != nil {
			return err
		}
	}
	return nil
}

type presentation struct {
	*archive
	b       *builder
	size    extent
	margins map[string]bool // footers that were read
}

// readSlide reads one slide. What is read before a fault in it is kept.
func (p *presentation) readSlide(name string) error {
	s := &slide{limit: p.b.options.Text, size: p.size}
	err := p.walk(name, s)
	p.b.heading(1, "")
	if s.isHidden {
		p.b.noteHere(agent.NoteHidden, 1)
		return err
	}
	if s.kept > s.limit {
		p.b.note(agent.ReadingNote{Code: agent.NoteCut})
	}
	if s.hidden > 0 {
		p.b.noteHere(agent.NoteHidden, s.hidden)
	}
	p.write(s.shapes)
	if err != nil {
		return err
	}
	relations, err := p.relations(name)
	if err != nil {
		return err
	}
	if err := p.writeSnippets(p.b, relations, "", "diagramData"); err != nil {
		return err
	}
	if err := p.readNotes(relations); err != nil {
		return err
	}
	return p.writeSnippets(p.b, relations, agent.KindComment, "comments")
}

// write writes the shapes of a slide: its title, then from top to bottom, and from left to
// right. Those that stand where the layout of the slide says come before those with a place.
func (p *presentation) write(shapes []*shape) {
	slices.SortStableFunc(shapes, func(a, b *shape) int {
		known := 0
		switch {
		case !a.frame.known && b.frame.known:
			known = -1
		case a.frame.known && !b.frame.known:
			known = 1
		}
		return cmp.Or(cmp.Compare(a.role, b.role), known,
			cmp.Compare(a.frame.off.y, b.frame.off.y), cmp.Compare(a.frame.off.x, b.frame.off.x))
	})
	for i, shape := range shapes {
		text := shape.String()
		switch {
		case len(shape.rows) > 0:
			p.b.begin(agent.Section{Kind: agent.KindTable, Head: tableLine(shape.rows[0])})
			for _, row := range shape.rows {
				p.b.row(row)
			}
			p.b.end()
		case shape.role == roleTitle && i == 0:
			p.b.heading(1, text)
		case shape.role <= roleBody:
			p.b.write(text + "\n")
		case shape.role == roleMargin && !p.margins[text]:
			p.margins[text] = true
			p.b.begin(agent.Section{Kind: agent.KindMargin})
			p.b.write(text)
		}
	}
	p.b.end()
}

// readNotes reads what the speaker of a slide wants to say.
func (p *presentation) readNotes(relations []relation) error {
	for _, r := range relations {
		if !r.is("notesSlide") {
			continue
		}
		notes := &slide{limit: p.b.options.Text}
		err := p.walk(r.Target, notes)
		p.b.begin(agent.Section{Kind: agent.KindNote})
		for _, shape := range notes.shapes {
			if shape.role == roleBody {
				p.b.write(shape.String() + "\n")
			}
		}
		p.b.end()
		if err != nil {
			return err
		}
	}
	return nil
}

// String is the text of a shape without its tables.
func (s *shape) String() string { return strings.TrimSpace(string(s.text)) }
