package notify

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds, in runes, what is kept of a receiver's own words.
const maxText = 200

// secrets are words that no problem text may contain.
type secrets []string

// minSecret is the length from which a word is redacted: the letters of
// shorter ones are everywhere.
const minSecret = 4

// newSecrets sorts the longest first: one may be part of another.
func newSecrets(words ...string) secrets {
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) < minSecret })
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words
}

// clean makes a foreign text fit to be kept: the secrets redacted, on one
// line, without characters that control it or turn its order, short. The cut comes last, it could leave half a secret.
func (s secrets) clean(text string) string {
	for _, w := range s {
		text = strings.ReplaceAll(text, w, "[secret]")
	}
	apart := func(r rune) bool {
		return r == ' ' || unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	}
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), apart), " ")
	if utf8.RuneCountInString(text) > maxText {
		text = string([]rune(text)[:maxText]) + "…"
	}
	return text
}

// OneLine takes control characters and line breaks out of a text, so that no
// text becomes a line, or a header, of its own.
func OneLine(text string) string { return secrets(nil).clean(text) }
