package o200k

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// pieceLen is the length of the piece that a text begins with. Pieces are merged
// apart from each other. They are what this expression finds, its alternatives tried
// in this order:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// The standard library has no (?!), and an engine that has it backtracks.
func pieceLen(text string) int {
	first, size := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsLetter(first):
		return wordLen(text, 0)
	case unicode.IsNumber(first):
		return numberLen(text)
	case first != '\r' && first != '\n':
		if n := wordLen(text, size); n > 0 {
			return n
		}
	}
	if n := signsLen(text); n > 0 {
		return n
	}
	return spaceLen(text)
}

// wordLen is the length of a word that begins after the given bytes of a sign, which
// belong to it; 0 if none begins there. A word ends where capitals follow small letters.
func wordLen(text string, sign int) int {
	capitals := sign + runLen(text[sign:], isUpper)
	end := capitals + runLen(text[capitals:], isLower)
	if end == capitals {
		last := strings.LastIndexFunc(text[sign:end], isLower)
		mark, _ := utf8.DecodeRuneInString(text)
		switch {
		case last >= 0: // what is both ends the small letters, and the capitals behind it are a word of their own
			_, size := utf8.DecodeRuneInString(text[sign+last:])
			end = sign + last + size
		case sign > 0 && unicode.IsMark(mark): // the sign is a word itself
			end = sign
		case end == sign:
			return 0
		}
	}
	return end + contractionLen(text[end:])
}

// contractionLen is the length of the end of a word such as don't or we'll. The long s is an s, too.
func contractionLen(text string) int {
	for _, end := range []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'ſ"} {
		if len(text) >= len(end) && strings.EqualFold(text[:len(end)], end) {
			return len(end)
		}
	}
	return 0
}

// numberLen is the length of at most three digits.
func numberLen(text string) int {
	digits := 0
	return runLen(text, func(r rune) bool {
		digits++
		return digits <= 3 && unicode.IsNumber(r)
	})
}

// signsLen is the length of what is neither space, letter, nor number, with a space before it
// and line breaks behind it.
func signsLen(text string) int {
	space := len(text) - len(strings.TrimPrefix(text, " "))
	end := space + runLen(text[space:], func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if end == space {
		return 0
	}
	return end + runLen(text[end:], func(r rune) bool { return r == '\r' || r == '\n' || r == '/' })
}

// spaceLen is the length of space up to its last line break. Without one, the last space
// goes to the word behind it.
func spaceLen(text string) int {
	end := runLen(text, unicode.IsSpace)
	if last := strings.LastIndexAny(text[:end], "\r\n"); last >= 0 {
		return last + 1
	}
	if _, size := utf8.DecodeLastRuneInString(text[:end]); end < len(text) && size < end {
		return end - size
	}
	return end
}

// runLen is the length of what a text begins with and fits.
func runLen(text string, fits func(rune) bool) int {
	if i := strings.IndexFunc(text, func(r rune) bool { return !fits(r) }); i >= 0 {
		return i
	}
	return len(text)
}

// isUpper and isLower agree about letters that have no case, and about marks.
func isUpper(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M)
}
func isLower(r rune) bool { return unicode.In(r, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M) }
