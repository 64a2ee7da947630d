package guards

import (
	"strings"
	"unicode"
)

// fitness is whether the unit contains enough to be reported.
type fitness uint8

const (
	unseen fitness = iota
	fit
	unfit
)

// Letters that a unit must contain, and signs of scripts that say more with less.
const (
	minLetters = 5
	minSigns   = 3
)

// judge looks at a unit once: it must say something, and differ from the one
// before in one number at most. "In 2019 it was 12, in 2020 it was 15" is news,
// and part1.txt, part2.txt are names.
func (w *unitWindow) judge(units int) fitness {
	unit := w.tail(w.period)
	letters, emoji := 0, false
	w.signs = 0
	for _, r := range unit {
		switch {
		case isEmoji(r):
			emoji = true
		case r >= firstSign && unicode.IsLetter(r):
			w.signs++
		case unicode.IsLetter(r):
			letters++
		}
	}
	news := w.news(units)
	switch {
	case letters+w.signs < minLetters && w.signs < minSigns && !emoji, news > 1:
		return unfit
	case news == 1 && w.signs < minSigns && !sentence(unit):
		return unfit
	default:
		return fit
	}
}

// sentence reports whether a unit is more than a name: three words, or two and
// the end of a sentence.
func sentence(unit []rune) bool {
	words, ends := 0, false
	for _, word := range strings.Fields(string(unit)) {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			words++
		}
		ends = ends || strings.ContainsAny(word[len(word)-1:], ".!?")
	}
	return words >= 3 || (words == 2 && ends)
}

// news counts the numbers of a unit that differ between any two of the newest
// units of a row; the parts of 3.5 or 10:30 are one number. A number that does
// not rise or fall evenly isn't a counter and is worth two, and so is the last part
// of a version.
func (w *unitWindow) news(units int) int {
	units = min(units, unitRing/w.period)
	n, differs := 0, false
	for i := w.pos - w.period; i < w.pos; i++ {
		r := w.runes[i&(unitRing-1)]
		switch {
		case r >= numberMark:
			changes, evenly := w.counts(i, units)
			if changes && (!evenly || w.isVersion(i)) {
				return 2
			}
			if changes && !differs {
				n++
			}
			differs = differs || changes
		case r != '.' && r != ',' && r != ':':
			differs = false
		}
	}
	return n
}

// counts compares the numbers at one place of the newest units: whether they
// differ, and whether from each to the next by the same.
func (w *unitWindow) counts(at, units int) (changes, evenly bool) {
	evenly = true
	var step rune
	for k := range units - 1 {
		newer, older := w.runes[(at-k*w.period)&(unitRing-1)], w.runes[(at-(k+1)*w.period)&(unitRing-1)]
		by := value(newer) - value(older)
		changes = changes || newer != older
		evenly = evenly && (k == 0 || by == step)
		step = by
	}
	return changes, evenly
}

// value is the number that a mark stands for, exactly up to four digits.
func value(mark rune) rune {
	v, place := rune(0), rune(1)
	for m := mark - numberMark; m > 0; m /= 11 {
		v += (m%11 - 1) * place
		place *= 10
	}
	return v
}

// isVersion reports whether the number at a place stands behind another one
// and a dot.
func (w *unitWindow) isVersion(at int) bool {
	return w.runes[(at-1)&(unitRing-1)] == '.' && w.runes[(at-2)&(unitRing-1)] >= numberMark
}
