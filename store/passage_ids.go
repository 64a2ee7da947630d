package store

import (
	"slices"
	"strings"
	"unicode"

	"fusebox/agent/ranking"
)

// idDigits is how many digits an id has at least; Q3 and MP3 are words like others.
const idDigits = 2

// isOfUnknown reports whether a question has ids, such as E97 and PO-88120, of which the
// passages that were found have none, however they are written: what says all else of the
// question is about something else then.
func (q *question) isOfUnknown(found []candidate) bool {
	var ids []string
	for _, t := range q.terms {
		if isID(t) {
			ids = append(ids, squeezed(t.Text))
		}
	}
	return len(ids) > 0 && !slices.ContainsFunc(found, func(c candidate) bool {
		all := squeezed(c.all())
		return slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(all, id) })
	})
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

// squeezed is a text without what is neither a letter nor a digit, in lower case.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}
