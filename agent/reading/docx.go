package reading

import (
	"strconv"
	"strings"

	"fusebox/agent"
)

// wordParts are the parts beside the body of a Word file, in the order in which they are read.
var wordParts = []string{"footnotes", "endnotes", "comments", "header", "footer"}

// readDOCX reads a Word file: its body, then notes, comments, and the margins of its pages.
func readDOCX(a *archive, b *builder) error {
	main, err := a.mainPart(b, "word/document.xml")
	if err != nil {
		return err
	}
	relations, err := a.relations(main)
	if err := spare(b, err, agent.ReadingNote{Name: main}); err != nil {
		return err
	}
	styles, err := a.wordStyles(relations)
	if err := spare(b, err, agent.ReadingNote{Name: "word/styles.xml"}); err != nil {
		return err
	}
	s := &story{b: b, styles: styles, referred: map[string]bool{}, margins: map[string]bool{}}
	if err := spare(b, a.walk(main, s), agent.ReadingNote{Name: main}); err != nil {
		return err
	}
	b.heading(1, "")
	for _, part := range wordParts {
		for _, r := range relations {
			if !r.is(part) {
				continue
			}
			s.storyPlace = storyPlace{}
			if err := spare(b, a.walk(r.Target, s), agent.ReadingNote{Name: r.Target}); err != nil {
				return err
			}
		}
	}
	return nil
}

// wordStyle is what a style says of the text that has it.
type wordStyle struct {
	level          int // of a heading, from 1
	hidden, shaded bool
}

// wordValue is the attribute that most elements have.
type wordValue struct {
	Val string `xml:"val,attr"`
}

// isOn reads a property that is also set where it has no value.
func isOn(value string) bool { return value != "0" && value != "false" && value != "off" }

// wordStyles are the styles of a file by their IDs.
func (a *archive) wordStyles(relations []relation) (map[string]wordStyle, error) {
	type style struct {
		ID      string     `xml:"styleId,attr"`
		Name    wordValue  `xml:"name"`
		Based   wordValue  `xml:"basedOn"`
		Outline *wordValue `xml:"pPr>outlineLvl"`
		Shade   *wordValue `xml:"pPr>shd"`
		Vanish  *wordValue `xml:"rPr>vanish"`
	}
	var list struct {
		Styles []style `xml:"style"`
	}
	for _, r := range relations {
		if r.is("styles") {
			if err := a.decode(r.Target, &list); err != nil {
				return nil, err
			}
		}
	}
	byID := map[string]style{}
	for _, s := range list.Styles {
		byID[s.ID] = s
	}
	styles := map[string]wordStyle{}
	for id, s := range byID {
		var found wordStyle
		for range 10 { // styles are based on one another, some in a circle
			if found.level == 0 {
				found.level = headingLevel(s.Name.Val, s.Outline)
			}
			found.hidden = found.hidden || s.Vanish != nil && isOn(s.Vanish.Val)
			found.shaded = found.shaded || s.Shade != nil
			s = byID[s.Based.Val]
		}
		styles[id] = found
	}
	return styles, nil
}

// headingLevel is the level of a heading by the name of its style, or by its outline level
// where the name is in another language; 0 for other text.
func headingLevel(name string, outline *wordValue) int {
	name = strings.ToLower(name)
	if name == "title" {
		return 1
	}
	if number, found := strings.CutPrefix(name, "heading "); found {
		level, err := strconv.Atoi(number)
		if err == nil {
			return level
		}
	}
	if outline == nil {
		return 0
	}
	return outlineLevel(outline.Val)
}

// outlineLevel makes the level of a heading of one that counts from 0; 9 is that of other text.
func outlineLevel(value string) int {
	level, err := strconv.Atoi(value)
	if err != nil || level < 0 || level > 8 {
		return 0
	}
	return level + 1
}
