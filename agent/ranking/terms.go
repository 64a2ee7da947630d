package ranking

import (
	"slices"
	"strings"
	"unicode"
)

// Term is what texts and questions have in common: a word, an id, or two neighbouring
// characters of a script without spaces.
type Term struct {
	// Text consists of letters, digits, marks, and the middle dot, in lower case.
	Text string
	// Start and End are the bytes of the original that it stands for.
	Start, End int
	// Place counts the words and pairs of the text: neighbours follow each other. A whole
	// id and a single character have the place of what begins with them.
	Place int
	Kind  TermKind
}

// TermKind is what a term is.
type TermKind int

// The kinds of terms.
const (
	Word      TermKind = iota // a word, a part of an id, or a pair of characters
	Whole                     // an id of several parts
	Character                 // a character of a pair
)

// maxTerm is the most characters that a term has. Longer runs are not words.
const maxTerm = 64

// Terms cuts a text into terms, in their order. Of ids such as LK-097, v4.2.1, snake_case,
// and camelCase there are the whole and the parts; hyphens and underscores make no
// difference to the whole. Forms of an English word have its stem.
func Terms(text string) []Term {
	c := cutter{signs: fold(text)}
	for i := 0; i < len(c.signs); {
		switch r := c.signs[i].r; {
		case unspaced(r):
			i = c.pairs(i)
		case isWord(r):
			i = c.word(i)
		default:
			i++
		}
	}
	return c.terms
}

// Find returns where terms stand in a text: ranges of bytes in their order, which neither
// overlap nor touch.
func Find(text string, terms []string) [][2]int {
	var all, marks [][2]int
	for _, t := range Terms(text) {
		if slices.Contains(terms, t.Text) {
			all = append(all, [2]int{t.Start, t.End})
		}
	}
	slices.SortFunc(all, func(a, b [2]int) int { return a[0] - b[0] })
	for _, m := range all {
		if last := len(marks) - 1; last >= 0 && m[0] <= marks[last][1] {
			marks[last][1] = max(marks[last][1], m[1])
		} else {
			marks = append(marks, m)
		}
	}
	return marks
}

// cutter cuts folded signs into terms.
type cutter struct {
	signs []sign
	terms []Term
	place int
}

// pairs adds the characters from i on that have no spaces between them, and returns where they end.
func (c *cutter) pairs(i int) int {
	if i+1 == len(c.signs) || !unspaced(c.signs[i+1].r) {
		c.add(c.signs[i:i+1], Word)
		return i + 1
	}
	for ; i < len(c.signs) && unspaced(c.signs[i].r); i++ {
		if i+1 < len(c.signs) && unspaced(c.signs[i+1].r) {
			c.add(c.signs[i:i+2], Word)
			c.place--
		}
		c.add(c.signs[i:i+1], Character)
	}
	return i
}

// word adds the word or the id that begins at i, and returns where it ends.
func (c *cutter) word(i int) int {
	var whole []sign
	first, begin, parts, number := c.place, i, 0, true
	part := func(end int) {
		if end > begin {
			c.add(c.signs[begin:min(end, begin+maxTerm)], Word)
			parts++
		}
	}
	for ; i < len(c.signs); i++ {
		s := c.signs[i]
		switch {
		case isWord(s.r):
			if i > begin && unicode.IsUpper(s.r) && unicode.IsLower(c.signs[i-1].r) {
				part(i)
				begin = i
			}
			if number && i > begin && unicode.IsLetter(s.r) && c.is(i+1, unicode.IsLetter) {
				part(i) // a unit follows its number: 0.35MPa
				c.whole(whole, parts, first)
				return i
			}
			number = number && !unicode.IsLetter(s.r)
			whole = append(whole, s)
		case isApostrophe(s.r) && c.is(i+1, unicode.IsLetter):
		case joins(s.r) && c.is(i+1, isWord):
			part(i)
			begin = i + 1
			if s.r == '.' {
				whole = append(whole, sign{'·', s.start, s.end})
			}
		default:
			part(i)
			c.whole(whole, parts, first)
			return i
		}
	}
	part(i)
	c.whole(whole, parts, first)
	return i
}

// is reports whether there is a sign at i of a kind.
func (c *cutter) is(i int, kind func(rune) bool) bool {
	return i < len(c.signs) && kind(c.signs[i].r) && !unspaced(c.signs[i].r)
}

func (c *cutter) whole(signs []sign, parts, place int) {
	if parts > 1 && len(signs) <= maxTerm {
		next := c.place
		c.place = place
		c.add(signs, Whole)
		c.place = next
	}
}

func (c *cutter) add(signs []sign, kind TermKind) {
	var b strings.Builder
	for _, s := range signs {
		if !isApostrophe(s.r) {
			b.WriteRune(unicode.ToLower(s.r))
		}
	}
	c.terms = append(c.terms, Term{stem(b.String()), signs[0].start, signs[len(signs)-1].end, c.place, kind})
	c.place++
}

// unspaced reports whether a letter is of a script without spaces, or of Korean, whose
// words end in particles.
func unspaced(r rune) bool {
	return r > 0xdff && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai))
}

func isWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unspaced(r)
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

func joins(r rune) bool { return r == '-' || r == '.' || r == '_' || r == '‐' }
