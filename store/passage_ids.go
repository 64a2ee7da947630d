package store

import (
	"slices"
	"strings"
	"unicode"

	"fusebox/agent/ranking"
)

// idDigits is how many digits an id has at least; Q3 and MP3 are words like others.
const idDigits = 2

// unknownIDs are the ids of a question, such as E97 and PO-88120, where no passage has any of
// them: what says all else of the question is about something else then.
func (q *question) unknownIDs() (ids []string) {
	for _, t := range q.terms {
		if !isID(t) {
			continue
		}
		if q.having[t.Text] > 0 {
			return nil
		}
		ids = append(ids, squeezed(t.Text))
	}
	return ids
}

// isID reports whether a term begins with a letter and has some digits.
func isID(t ranking.Term) bool {
	digits := 0
	for _, r := range t.Text {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return t.Kind != ranking.Character && t.Text[0] >= 'a' && t.Text[0] <= 'z' && digits >= idDigits
}

// lacks reports whether a passage has none of some ids, however they are written.
func (c candidate) lacks(ids []string) bool {
	if len(ids) == 0 {
		return false
	}
	all := squeezed(c.all())
	return !slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(all, id) })
}

// squeezed is a text without what is neither a letter nor a digit, in lower case.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}
