package sources

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// leftOut are the places of a quotation where its writer left words out, or put own ones in.
var leftOut = regexp.MustCompile(`\[[^\[\]]{0,60}\]|…+|\.{3,}`)

// says reports whether a folded text has the words of a quotation.
func says(text, quote string) bool {
	for _, part := range leftOut.Split(quote, -1) {
		if !has(text, strings.TrimFunc(fold(part), unicode.IsPunct)) {
			return false
		}
	}
	return true
}

// has reports whether a folded text has a part as a whole: not with another number at its ends.
func has(text, part string) bool {
	for {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		if !cutsNumber(text[:i], part) && !cutsNumber(part, text[i+len(part):]) || part == "" {
			return true
		}
		text = text[i+1:]
	}
}

// cutNumber is the end of a text whose number goes on in the next one, and goesOnAs how that begins.
var (
	cutNumber = regexp.MustCompile(`[0-9][.,]?$`)
	goesOnAs  = regexp.MustCompile(`^[.,]?[0-9]`)
)

// cutsNumber reports whether a number goes on from one part of a text to the next.
func cutsNumber(left, right string) bool {
	left = left[max(0, len(left)-2):]
	return cutNumber.MatchString(left) && goesOnAs.MatchString(right)
}

// fold gives a text the form in which quotations are compared: characters that look alike are
// the same, and case, spaces, hyphens, quotation marks, and emphasis do not count. Numbers stay as they are.
func fold(text string) string {
	var b strings.Builder
	var last rune
	var space, dash bool
	for _, r := range norm.NFKC.String(text) {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case unicode.Is(unicode.Pd, r), r == '−':
			dash = true
			continue
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Pi, unicode.Pf), strings.ContainsRune("\"'„「」『』`*_\\", r):
			continue
		case r == '。':
			r = '.'
		}
		if unicode.IsDigit(r) && dash {
			b.WriteByte('-')
		} else if unicode.IsDigit(r) && space && unicode.IsDigit(last) {
			b.WriteByte(' ')
		}
		last, space, dash = unicode.ToLower(r), false, false
		b.WriteRune(last)
	}
	return b.String()
}

// width is about how much a text says: a Chinese character counts for two letters.
func width(text string) (n int) {
	for _, r := range text {
		n += min(utf8.RuneLen(r), 2)
	}
	return n
}
