package reading

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"fusebox/agent"
)

// What the places of a text may cost.
const (
	maxHeading = 300      // bytes of a heading in the path of a section
	maxHead    = 2000     // bytes of the head of a table
	maxLevel   = 9        // depth of headings
	maxColumns = 16384    // of a table: those of Excel
	maxPlaces  = 16 << 20 // bytes of all sections without their text
	placeCost  = 128      // bytes that any section counts for
	maxNotes   = 100      // different notes
)

// builder puts together what a format finds in a file. Text is written into the section that
// is open; the first write after a heading or a new page opens a plain one. All text is
// cleaned on its way: it ends up as valid UTF-8 with "\n" as the only end of a line, and
// without characters that nobody sees or that mean nothing.
//
// A format sets Title, Tags, Encoding and Separator of the reading itself.
type builder struct {
	reading agent.Reading
	options Options

	text     []byte
	path     []heading
	open     bool           // whether the last of the reading's sections is being written
	lonely   *agent.Section // the last heading line, while nothing stands under it
	pageNow  int
	label    string
	places   int
	visible  int  // characters kept, not counting spaces
	isFull   bool // no more text is taken; a format may stop then
	notePage map[noteKey]map[int]bool
}

// heading is one that the following sections lie under.
type heading struct {
	level int
	title string
}

type noteKey struct {
	code agent.NoteCode
	name string
}

// page ends the open section: what follows is on this page, slide, or sheet, counted from 1.
// The label is its printed number or its name, where it has another. Headings go on over pages.
func (b *builder) page(number int, label string) {
	b.end()
	b.pageNow, b.label = number, agent.ClipBytes(oneLine(b.clean(label)), maxHeading)
	b.reading.Pages = max(b.reading.Pages, number)
}

// heading ends the open section: what follows lies under this heading, which becomes a line of
// the text, and ends those of its level and of deeper ones. Without a title it only ends them.
// Levels count from 1. A heading with nothing under it becomes text of its own.
func (b *builder) heading(level int, title string) {
	b.end()
	level = min(max(level, 1), maxLevel)
	if b.lonely != nil && level <= b.path[len(b.path)-1].level {
		b.add(*b.lonely)
	}
	b.lonely = nil
	for len(b.path) > 0 && b.path[len(b.path)-1].level >= level {
		b.path = b.path[:len(b.path)-1]
	}
	title = oneLine(b.clean(title))
	if title == "" || b.isFull {
		return
	}
	b.part()
	s := agent.Section{Start: len(b.text), Headings: b.headings(), Page: b.pageNow, Label: b.label}
	b.append(title)
	s.End = s.Start + len(bytes.TrimRight(b.text[s.Start:], " "))
	b.path = append(b.path, heading{level, agent.ClipBytes(title, maxHeading)})
	b.lonely = &s
}

// headings are the titles that lead to where the builder is.
func (b *builder) headings() []string {
	var titles []string
	for _, h := range b.path {
		titles = append(titles, h.title)
	}
	return titles
}

// begin ends the open section and opens another. Its place is filled in where the format
// leaves it zero: headings, page and label are those of the builder. Start and End are the
// builder's alone. Lines of the text between them count on from Line.
func (b *builder) begin(s agent.Section) {
	b.end()
	if b.isFull {
		return
	}
	if s.Headings == nil {
		s.Headings = b.headings()
	}
	s.Page, s.Label = cmp.Or(s.Page, b.pageNow), cmp.Or(s.Label, b.label)
	s.Head = agent.ClipBytes(oneLine(b.clean(s.Head)), maxHead)
	b.part()
	s.Start = len(b.text)
	b.open = b.add(s)
}

// add takes a section, unless there are too many.
func (b *builder) add(s agent.Section) bool {
	b.places += placeCost + len(s.Head) + len(s.Label)
	for _, h := range s.Headings {
		b.places += len(h)
	}
	if b.places > maxPlaces {
		b.cut()
		return false
	}
	b.reading.Sections = append(b.reading.Sections, s)
	return true
}

// write appends text to the open section.
func (b *builder) write(text string) {
	if b.isFull {
		return
	}
	if !b.open {
		b.begin(agent.Section{})
	}
	b.append(b.clean(text))
}

// gap leaves an empty line behind what the open section has so far.
func (b *builder) gap() {
	if b.open && len(b.text) > b.reading.Sections[len(b.reading.Sections)-1].Start && !bytes.HasSuffix(b.text, []byte("\n\n")) {
		b.append("\n")
	}
}

func (b *builder) row(cells []string) { b.write(tableLine(cells) + "\n") }

// note adds to what people should know: notes of one code and name become one, with the
// pages of all and the sum of their counts.
func (b *builder) note(n agent.ReadingNote) {
	n.Name = agent.ClipBytes(oneLine(b.clean(n.Name)), maxHeading)
	key := noteKey{n.Code, n.Name}
	pages, known := b.notePage[key]
	if !known {
		if len(b.notePage) == maxNotes {
			return
		}
		pages = map[int]bool{}
		b.notePage[key] = pages
		b.reading.Notes = append(b.reading.Notes, agent.ReadingNote{Code: n.Code, Name: n.Name})
	}
	for _, page := range n.Pages {
		pages[page] = true
	}
	at := slices.IndexFunc(b.reading.Notes, func(o agent.ReadingNote) bool { return o.Code == n.Code && o.Name == n.Name })
	b.reading.Notes[at].Count += n.Count
}

// noteHere counts something on the page that is being written.
func (b *builder) noteHere(code agent.NoteCode, count int) {
	n := agent.ReadingNote{Code: code, Count: count}
	if b.pageNow > 0 {
		n.Pages = []int{b.pageNow}
	}
	b.note(n)
}

// end closes the open section; one without text is none.
func (b *builder) end() {
	if !b.open {
		return
	}
	b.open = false
	s := &b.reading.Sections[len(b.reading.Sections)-1]
	blank := " \t\n"
	if s.Kind == agent.KindTable {
		blank = "\n" // the last cells of a row may be empty
	}
	s.End = s.Start + len(bytes.TrimRight(b.text[s.Start:], blank))
	if s.End == s.Start {
		b.reading.Sections = b.reading.Sections[:len(b.reading.Sections)-1]
		return
	}
	b.text, b.lonely = b.text[:s.End], nil
}

// part leaves an empty line behind what was written.
func (b *builder) part() {
	b.text = bytes.TrimRight(b.text, "\n")
	if len(b.text) > 0 {
		b.text = append(b.text, "\n\n"...)
	}
}

// append adds clean text as far as there is room.
func (b *builder) append(clean string) {
	if b.isFull {
		return
	}
	if room := max(b.options.Text-len(b.text), 0); len(clean) > room {
		clean = agent.ClipBytes(clean, room)
		b.cut()
	}
	b.text = append(b.text, clean...)
}

func (b *builder) cut() {
	if !b.isFull {
		b.isFull = true
		b.note(agent.ReadingNote{Code: agent.NoteCut})
	}
}

// oneLine is a text with single spaces only.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func tableLine(cells []string) string {
	line := make([]string, len(cells))
	for i, cell := range cells {
		var parts []string
		for part := range strings.FieldsFuncSeq(cell, func(r rune) bool { return r == '\n' || r == '\r' }) {
			if part = oneLine(part); part != "" {
				parts = append(parts, part)
			}
		}
		line[i] = strings.Join(parts, " / ")
	}
	return strings.Join(line, " | ")
}
