package guards

import (
	"strings"
	"unicode"
)

const (
	maxUnit = 300
	// minRow is how many characters a row of units must span; a sign of a
	// script that says more with less counts twice.
	minRow = 100
	// dataUnits is how many equal units data may have in a row, plus one.
	dataUnits = 40
	// gram is how many characters find where a repetition may have begun.
	gram      = 16
	unitRing  = 2048 // more than five of the longest units
	unitSlots = 4096
	// A number that makes no difference is one character from numberMark on,
	// with a hash of its digits in it: 10 and 010 are two.
	numberMark rune = 0x100000
	numberSpan rune = 0xFFF0
	// firstSign begins the scripts in which one character is a syllable or a word.
	firstSign rune = 0x2E80
	// shownMark stands for such a number where people read a unit.
	shownMark = '#'
)

// unitWindow follows how long the newest characters repeat those one period
// before. Numbers that make no difference are one mark.
type unitWindow struct {
	pos    int // characters taken, numbers as one
	since  int // of them since the last reset
	period int // 0 while nothing repeats
	match  int // characters that repeat those one period before
	from   int // where the first unit begins, in bytes
	fit    fitness
	signs  int // in a unit
	hash   uint32
	number bool // the last character belonged to a number
	// newest positions of structure and of data, -1 for none; positions count from 1.
	structureAt, dataAt int
	runes               [unitRing]rune
	starts              [unitRing]int32
	table               [unitSlots]uint16 // position of the newest gram of a hash
}

var gramOut = hashPower(gram)

func (w *unitWindow) reset() {
	w.since, w.period, w.match, w.hash, w.number = 0, 0, 0, 0, false
}

// push takes a character that begins at a byte. exact takes numbers as they are.
func (w *unitWindow) push(r rune, start int, exact bool, kind textKind) {
	if isDigit(r) && !exact && !w.inWord() {
		if w.number {
			last := &w.runes[(w.pos-1)&(unitRing-1)]
			*last = numberMark + ((*last-numberMark)*11+r-'0'+1)%numberSpan
			return
		}
		w.number, r = true, numberMark+1+r-'0'
	} else {
		w.number = false
	}
	at := w.pos & (unitRing - 1)
	w.runes[at], w.starts[at] = r, int32(start) //nolint:gosec // an answer has less than 2 GB
	w.hash = w.hash*hashBase + weight(r)
	if w.since >= gram {
		w.hash -= gramOut * weight(w.runes[(w.pos-gram)&(unitRing-1)])
	}
	w.pos++
	w.since++
	switch kind {
	case structure:
		w.structureAt = w.pos
	case data:
		w.dataAt = w.pos
	case prose:
	}
	w.extend(r)
}

// inWord reports whether a digit that comes now belongs to a word: user1 and
// user2 are two names, and no count. Signs of scripts without spaces begin none.
func (w *unitWindow) inWord() bool {
	if w.number || w.since == 0 {
		return false
	}
	r := w.runes[(w.pos-1)&(unitRing-1)]
	return isDigit(r) || r == '_' || (r < firstSign && unicode.IsLetter(r))
}

// weight is what a character adds to the hash; all numbers are one.
func weight(r rune) uint32 {
	if r >= numberMark {
		return uint32(numberMark)
	}
	return uint32(r) + 1 //nolint:gosec // characters are not negative
}

func equal(a, b rune) bool { return a == b || (a >= numberMark && b >= numberMark) }

// extend continues with the period as long as it holds, and looks for another
// where it does not.
func (w *unitWindow) extend(r rune) {
	slot := &w.table[(w.hash*0x9E3779B1)>>20] // the upper 12 bits
	here := uint16(w.pos)                     //nolint:gosec // positions count round
	distance := int(here - *slot)
	if w.since >= gram {
		*slot = here
	}
	if w.period > 0 {
		if equal(w.runes[(w.pos-1-w.period)&(unitRing-1)], r) {
			w.match++
			return
		}
		w.period = 0
	}
	if w.since > gram && distance > 0 && distance <= maxUnit {
		w.lock(distance)
	}
}

// lock takes a distance at which the newest characters stood before as the
// period, and counts how far back it holds.
func (w *unitWindow) lock(distance int) {
	reach := min(w.since, unitRing) - distance
	n := 0
	for n < reach && equal(w.runes[(w.pos-1-n)&(unitRing-1)], w.runes[(w.pos-1-n-distance)&(unitRing-1)]) {
		n++
	}
	if n < gram {
		return // another gram of the same hash
	}
	w.period, w.match, w.fit = distance, n, unseen
	w.from = int(w.starts[(w.pos-n-distance)&(unitRing-1)])
}

// row returns how many units are in a row, if they are enough, and the
// number that they met.
func (w *unitWindow) row(inProse, inStructure int) (n, need int) {
	if w.period == 0 || w.match < w.period || w.fit == unfit {
		return 0, 0
	}
	length := w.match + w.period
	need = inProse
	switch first := w.pos - length; {
	case w.dataAt > first:
		need = dataUnits
	case w.structureAt > first:
		need = inStructure
	}
	if n = length / w.period; n < need {
		return 0, 0
	}
	if w.fit == unseen {
		w.fit = w.judge(n)
	}
	if w.fit == unfit || length+n*w.signs < minRow {
		return 0, 0
	}
	return n, need
}

// follows reports whether a unit repeats, so that row will say when it is enough.
func (w *unitWindow) follows() bool {
	return w.period > 0 && w.match >= w.period && w.fit != unfit
}

// tail is the newest n characters.
func (w *unitWindow) tail(n int) []rune {
	n = min(n, w.pos, unitRing)
	out := make([]rune, n)
	for i := range out {
		out[i] = w.runes[(w.pos-n+i)&(unitRing-1)]
		if out[i] >= numberMark {
			out[i] = shownMark
		}
	}
	return out
}

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
			version := w.runes[(i-1)&(unitRing-1)] == '.' && w.runes[(i-2)&(unitRing-1)] >= numberMark
			if changes && (!evenly || version) {
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
