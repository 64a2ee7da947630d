package printable

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is a text without what controls terminals and without what is not seen. Lines end
// with \n. What shapes visible characters stays: joiners, the selector of a variant, and the
// tags of a flag.
func Text(text string) string {
	if strings.IndexFunc(text, special) < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	var last rune
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		switch {
		case !special(r):
			b.WriteString(text[at : at+n])
		case r == '\r' || r == '\u0085':
			if !strings.HasPrefix(text[at+n:], "\n") {
				b.WriteByte('\n')
			}
		case r == flag:
			n = flagLen(text[at:])
			b.WriteString(text[at : at+n])
		case unicode.Is(unicode.Variation_Selector, r):
			if !unicode.Is(unicode.Variation_Selector, last) && at > 0 {
				b.WriteString(text[at : at+n])
			}
		default:
			n = max(n, sequenceLen(text[at:]))
		}
		last = r
		at += n
	}
	return b.String()
}

// special reports whether a character may have to go.
func special(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\u200c' || r == '\u200d':
		return false
	case r < unicode.MaxASCII:
		return r < ' '
	case r == flag || unicode.In(r, unicode.Cc, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return true
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// flag begins the flags that are written with tags.
const flag = '\U0001F3F4'

// flags are all that there are, without the flag before them.
var flags = []string{tagged("gbeng"), tagged("gbsct"), tagged("gbwls")}

func tagged(region string) string {
	return strings.Map(func(r rune) rune { return r + 0xE0000 }, region) + "\U000E007F"
}

// flagLen is how long a flag is with its tags.
func flagLen(text string) int {
	n := utf8.RuneLen(flag)
	for _, tags := range flags {
		if strings.HasPrefix(text[n:], tags) {
			return n + len(tags)
		}
	}
	return n
}

// maxString bounds what a sequence may enclose, such as the address of a link or the title
// of a window: what goes on for longer is text after a stray beginning.
const maxString = 4 << 10

// sequence is what terminals obey, of ECMA-48: a control sequence, a string with its end,
// or an escape of its own. Each begins with ESC or with its single character.
var sequence = regexp.MustCompile(`\A(?:` +
	`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]` +
	`|(?:\x1b[\]PX^_]|[\x{90}\x{98}\x{9d}\x{9e}\x{9f}])[^\x07\x18\x1a\x1b\x{9c}\n]*(?:\x07|\x1b\\|\x{9c})` +
	`|\x1b[ -/]*[0-~])`)

// sequenceLen is how long the sequence is with which a text begins, 0 for none.
func sequenceLen(text string) int {
	if text[0] != '\x1b' && text[0] != '\xc2' {
		return 0
	}
	return len(sequence.FindString(text[:min(len(text), maxString)]))
}
