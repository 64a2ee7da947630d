package ranking

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// sign is a character of a folded text, with the bytes of the original that it stands for.
type sign struct {
	r          rune
	start, end int
}

const softHyphen = '\u00ad'

// fold gives characters that look or read alike one form: full-width letters, ligatures,
// and radicals by NFKC, traditional Chinese as simplified. What nobody sees is left out, and
// a word that a soft hyphen splits over two lines is whole again. Upper case is kept: it
// says where the words of a name begin.
func fold(text string) []sign {
	signs := make([]sign, 0, len(text)/2)
	split := false
	add := func(r rune, start, end int) {
		switch {
		case r == softHyphen:
			split = true
			return
		case split && (r == '\n' || r == '\r'), unicode.In(r, unicode.Cf, unicode.Variation_Selector):
			return
		}
		split = false
		if simple, ok := simplified[r]; ok {
			r = simple
		}
		signs = append(signs, sign{r, start, end})
	}
	for at := 0; at < len(text); {
		end := at + norm.NFKC.QuickSpanString(text[at:])
		for at < end {
			r, size := utf8.DecodeRuneInString(text[at:])
			add(r, at, at+size)
			at += size
		}
		if at < len(text) {
			end = at + norm.NFKC.NextBoundaryInString(text[at:], true)
			for _, r := range norm.NFKC.String(text[at:end]) {
				add(r, at, end)
			}
			at = end
		}
	}
	return signs
}
