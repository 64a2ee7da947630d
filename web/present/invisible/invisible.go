package invisible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Hidden reports whether a character leaves no mark on a page, passes for a
// space, or turns the order in which others are read. A command that has some
// is not what it looks like.
func Hidden(r rune) bool {
	switch r {
	case ' ', '\n', '\t':
		return false
	case '\u2800': // a pattern of no dots
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// Visible writes hidden characters out, as in ‹U+202E›. A carriage return at the
// end of a line is part of that end.
func Visible(text string) string {
	return unhide(text, func(r rune) string { return fmt.Sprintf("‹U+%04X›", r) })
}

// VisibleJSON writes hidden characters of JSON as its escapes: it stays the same
// JSON, and can be edited.
func VisibleJSON(raw string) string {
	return unhide(raw, func(r rune) string {
		if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

func unhide(text string, write func(rune) string) string {
	if strings.IndexFunc(text, Hidden) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		lineEnd := r == '\r' && (i+1 == len(text) || text[i+1] == '\n')
		if Hidden(r) && !lineEnd {
			b.WriteString(write(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
