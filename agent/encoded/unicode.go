package encoded

import (
	"strings"
	"unicode"
	"unicode/utf8"

	encodings "golang.org/x/text/encoding/unicode"
)

const byteOrderMark = "\ufeff"

var (
	utf16LE = way{"UTF-16LE", encodings.UTF16(encodings.LittleEndian, encodings.IgnoreBOM)}
	utf16BE = way{"UTF-16BE", encodings.UTF16(encodings.BigEndian, encodings.IgnoreBOM)}
)

var marks = []struct {
	mark string
	as   way
}{{byteOrderMark, way{}}, {"\xff\xfe", utf16LE}, {"\xfe\xff", utf16BE}}

// controls reports whether there are characters that no text has.
func controls(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && !unicode.IsSpace(r) && r != '\x1b' || r == 0x7f })
}

// unmarkedUTF16 reads UTF-16 without a mark where it is plain: the zero bytes are on one
// side, as those of Latin characters are, and nothing is strange.
func unmarkedUTF16(raw string, more bool) (way, string, bool) {
	if strings.IndexByte(raw, 0) < 0 {
		return way{}, "", false
	}
	zeros := [2]int{}
	for i := range len(raw) {
		if raw[i] == 0 {
			zeros[i%2]++
		}
	}
	as, latin := utf16BE, zeros[0]
	if zeros[0] == 0 {
		as, latin = utf16LE, zeros[1]
	}
	if len(raw)%2 == 1 && !more || zeros[0] > 0 && zeros[1] > 0 || latin == 0 || latin < len(raw)/8 {
		return way{}, "", false
	}
	content, ok := as.decode(raw, more)
	return as, content, ok && !strings.ContainsFunc(content, strange) && !pairsOfLetters(raw)
}

// strange are characters that plain text has not.
func strange(r rune) bool {
	return !unicode.IsPrint(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r)
}

// pairsOfLetters reports whether whatever is not Latin in UTF-16 would be two Latin letters
// in UTF-8: then a program has put zero bytes behind its words.
func pairsOfLetters(raw string) bool {
	wide, pairs := 0, 0
	for i := 0; i+1 < len(raw); i += 2 {
		if raw[i] != 0 && raw[i+1] != 0 {
			wide++
			if raw[i] >= ' ' && raw[i] < 0x7f && raw[i+1] >= ' ' && raw[i+1] < 0x7f {
				pairs++
			}
		}
	}
	return wide > 0 && pairs == wide
}

// damagedUTF8 reports whether a text is UTF-8 for the most part: it has lost some bytes, or
// was cut.
func damagedUTF8(raw string) bool {
	whole, broken := 0, 0
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRuneInString(raw[i:])
		if r == utf8.RuneError && n == 1 {
			broken++
		} else if n > 1 {
			whole++
		}
		i += n
	}
	return whole > broken
}
