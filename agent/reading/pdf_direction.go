package reading

import (
	"slices"

	"golang.org/x/text/unicode/bidi"
)

// inReadingOrder turns a line around that is written from right to left: poppler gives the
// words, and the letters in them, as they stand on the page from left to right.
func inReadingOrder(words []pdfWord) []pdfWord {
	left, right := 0, 0
	for _, w := range words {
		l, r := directions(w.text)
		left, right = left+l, right+r
	}
	if right == 0 {
		return words
	}
	turned := slices.Clone(words)
	for i, w := range turned {
		if _, r := directions(w.text); r > 0 {
			turned[i].text = bidi.ReverseString(w.text)
		}
	}
	main := func(w pdfWord) bool { l, r := directions(w.text); return (right > left) == (r > l) || l == r }
	if right > left {
		slices.Reverse(turned)
	}
	// Words of the other direction, one after the other, keep their order among themselves.
	for i := 0; i < len(turned); i++ {
		from := i
		for i < len(turned) && !main(turned[i]) {
			i++
		}
		slices.Reverse(turned[from:i])
	}
	return turned
}

// directions counts the letters that are written from left to right and from right to left.
func directions(text string) (left, right int) {
	for _, r := range text {
		switch p, _ := bidi.LookupRune(r); p.Class() {
		case bidi.L:
			left++
		case bidi.R, bidi.AL:
			right++
		default:
		}
	}
	return left, right
}
