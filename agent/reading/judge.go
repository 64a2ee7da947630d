package reading

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fusebox/agent"
)

// maxUnclear of 100 characters may be signs without a meaning.
const maxUnclear = 10

// clean is a text without characters that are not seen and without signs that mean nothing;
// the latter, and messages in tag characters, are noted.
func (b *builder) clean(text string) string {
	var last rune
	unclear, messages := 0, 0
	text = strings.Map(func(r rune) rune {
		before := last
		last = r
		switch {
		case r == '\n' && before == '\r':
			return -1
		case r == '\r':
			return '\n'
		case r == '\v' || r == '\f' || r == '\u0085':
			return ' '
		case unicode.IsSpace(r):
			return r
		case r == utf8.RuneError || unicode.IsControl(r) || unicode.In(r, unicode.Co, unicode.Noncharacter_Code_Point):
			unclear++
			return -1
		case unseen(r):
			if isTag(r) && !isTag(before) && before != '🏴' { // flags are written in tags
				messages++
			}
			return -1
		}
		b.visible++
		return r
	}, text)
	if unclear > 0 {
		b.noteHere(agent.NoteUnclear, unclear)
	}
	if messages > 0 {
		b.noteHere(agent.NoteHidden, messages)
	}
	return text
}

// unseen are characters without a shape and a width: those that join and part, that turn the
// direction, select variants, and tags. Soft hyphens stay: they are seen at the end of lines.
func unseen(r rune) bool {
	if r < 0x80 || r == '\u00ad' || unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func isTag(r rune) bool { return r >= 0xe0000 && r <= 0xe007f }

// finish ends what is built and judges it.
func (b *builder) finish(problem agent.DocumentProblem) agent.Reading {
	b.end()
	if b.lonely != nil && b.lonely.End > b.lonely.Start {
		b.add(*b.lonely)
	}
	r := &b.reading
	r.Title = agent.ClipBytes(oneLine(b.clean(r.Title)), maxHeading)
	for i, tag := range r.Tags {
		r.Tags[i] = agent.ClipBytes(oneLine(b.clean(tag)), maxHeading)
	}
	unclear := 0
	for i, n := range r.Notes {
		r.Notes[i].Pages = slices.Sorted(maps.Keys(b.notePage[noteKey{n.Code, n.Name}]))
		if n.Code == agent.NoteUnclear {
			unclear = n.Count
		}
	}
	switch {
	case problem != "":
		r.Problem = problem
	case 100*unclear > maxUnclear*(b.visible+unclear):
		r.Problem = agent.ProblemUnreadable
	case len(r.Sections) == 0:
		r.Problem = agent.ProblemEmpty
	default:
		r.Text = strings.TrimRight(string(b.text), "\n")
	}
	if r.Problem != "" {
		r.Sections = nil
	}
	return *r
}
