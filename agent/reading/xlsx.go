package reading

import (
	"encoding/xml"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
)

// workbook is what the sheets of an Excel file share.
type workbook struct {
	strings  stringTable
	formats  []numberFormat // by the style of a cell
	from1904 bool
	limit    int // bytes of text
}

// readXLSX reads the sheets of an Excel file in the order of its tabs.
func readXLSX(a *archive, b *builder) error {
	main, err := a.mainPart(b, "xl/workbook.xml")
	if err != nil {
		return err
	}
	var list struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name       string     `xml:"name,attr"`
			State      string     `xml:"state,attr"`
			Attributes []xml.Attr `xml:",any,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := a.decode(main, &list); err != nil {
		return err
	}
	relations, err := a.relations(main)
	if err != nil {
		return err
	}
	date1904 := list.Properties.Date1904
	book := &workbook{limit: b.options.Text, from1904: date1904 != "" && isOn(date1904)}
	if err := book.readShared(a, b, relations); err != nil {
		return err
	}
	parts := targets(relations)
	for i, entry := range list.Sheets {
		b.page(i+1, entry.Name)
		if entry.State == "hidden" || entry.State == "veryHidden" {
			b.noteHere(agent.NoteHidden, 1)
			continue
		}
		err := book.readSheet(a, b, parts[relationID(entry.Attributes)], entry.Name)
		if err := spare(b, err, agent.ReadingNote{Pages: []int{i + 1}}); err != nil {
			return err
		}
	}
	return nil
}

// readSheet reads one sheet, and the comments on it. What is read before a fault is kept.
func (w *workbook) readSheet(a *archive, b *builder, part, name string) error {
	s := &worksheet{book: w}
	err := a.walk(part, s)
	s.show(b, name)
	if err != nil {
		return err
	}
	relations, err := a.relations(part)
	if err != nil {
		return err
	}
	comments := "comments"
	if slices.ContainsFunc(relations, func(r relation) bool { return r.is("threadedComment") }) {
		comments = "threadedComment" // the others are copies for older programs
	}
	return a.writeSnippets(b, relations, agent.KindComment, comments)
}

// readShared reads the strings and the number formats.
func (w *workbook) readShared(a *archive, b *builder, relations []relation) error {
	for _, r := range relations {
		var err error
		switch {
		case r.is("sharedStrings"):
			w.strings.limit = w.limit
			err = a.walk(r.Target, &w.strings)
			if w.strings.full() {
				b.note(agent.ReadingNote{Code: agent.NoteCut})
			}
		case r.is("styles"):
			err = w.readFormats(a, r.Target)
		}
		if err := spare(b, err, agent.ReadingNote{Name: r.Target}); err != nil {
			return err
		}
	}
	return nil
}

// What is read of number formats; Excel allows 255 characters.
const (
	maxFormats = 5000
	maxFormat  = 500 // bytes
)

// readFormats reads how the cells of each style show their numbers.
func (w *workbook) readFormats(a *archive, name string) error {
	type style struct {
		Format int `xml:"numFmtId,attr"`
	}
	var list struct {
		Codes []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Styles []style `xml:"cellXfs>xf"`
	}
	if err := a.decode(name, &list); err != nil {
		return err
	}
	known := map[int]numberFormat{}
	for id, code := range builtinFormats {
		known[id] = parseFormat(code)
	}
	for _, f := range list.Codes[:min(len(list.Codes), maxFormats)] {
		known[f.ID] = parseFormat(f.Code[:min(len(f.Code), maxFormat)])
	}
	for _, s := range list.Styles {
		w.formats = append(w.formats, known[s.Format])
	}
	return nil
}

// show is the text of a cell as people see it, and whether it is a text and no number.
func (w *workbook) show(kind string, style int, value string) (string, bool) {
	switch kind {
	case "s":
		index, err := strconv.Atoi(value)
		if err != nil {
			return "", true
		}
		return unescaped(w.strings.at(index)), true
	case "b":
		if value == "1" {
			return "TRUE", false
		}
		return "FALSE", false
	case "d":
		value = strings.TrimSuffix(strings.TrimSuffix(value, "Z"), "T00:00:00") // as short as dates are shown
		return strings.Replace(value, "T", " ", 1), false
	case "", "n":
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return value, false
		}
		var format numberFormat
		if style >= 0 && style < len(w.formats) {
			format = w.formats[style]
		}
		return format.show(number, w.from1904), false
	}
	return unescaped(value), true
}

// escape is how Excel writes a character that XML does not allow.
var escape = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

func unescaped(text string) string {
	return escape.ReplaceAllStringFunc(text, func(code string) string {
		r, _ := strconv.ParseUint(code[2:6], 16, 16)
		return string(rune(r))
	})
}

// stringTable are the texts that cells refer to by their number.
type stringTable struct {
	all    []byte
	ends   []int
	limit  int
	inText bool
}

// cellLine are the bytes that a cell takes in the text of the document beside its own.
const cellLine = 3

func (t *stringTable) full() bool { return len(t.all)+cellLine*len(t.ends) > t.limit }

func (t *stringTable) enter(_ string, e xml.StartElement) step {
	switch e.Name.Local {
	case "rPh": // how Japanese is pronounced
		return stepOver
	case "t":
		t.inText = true
	}
	if t.full() {
		return stepOut
	}
	return stepInto
}

func (t *stringTable) leave(name string) {
	switch name {
	case "t":
		t.inText = false
	case "si":
		t.ends = append(t.ends, len(t.all))
	}
}

func (t *stringTable) text(text []byte) {
	if t.inText {
		t.all = append(t.all, text...)
	}
}

func (t *stringTable) at(index int) string {
	if index < 0 || index >= len(t.ends) {
		return ""
	}
	start := 0
	if index > 0 {
		start = t.ends[index-1]
	}
	return string(t.all[start:t.ends[index]])
}
