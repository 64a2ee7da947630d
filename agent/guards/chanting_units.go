package guards

import "unicode"

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

var gramOut = func() uint32 {
	p := uint32(1)
	for range gram {
		p *= hashBase
	}
	return p
}()

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
