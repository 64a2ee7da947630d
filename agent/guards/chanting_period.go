package guards

import "unicode"

// Exact period: the newest characters repeat a unit of up to 64 characters,
// exactly, at least 20 times and over 400 characters, whatever they are. It
// sees what the other rules call too poor to judge: "2 + 2 = 4, ", "../",
// "</div>", a flood of one sign, and encoded blocks.
//
// The 20 units and 400 characters are measured: of 13,822 recorded documents
// none holds such a row, apart from what repeats by nature and needs more. Rows
// of punctuation alone are rules of tables and padding and need 1,000
// characters; rows of one digit, and rows within encoded blocks, are data and
// need 3,000. White space has a rule of its own.
const (
	longestPeriod  = 64
	periodUnits    = 20
	periodLength   = 400
	periodPadding  = 1000
	periodData     = 3000
	periodRing     = 512 // more than three periods and the way between two looks
	periodLookEach = 128
)

// periodWindow follows how long the newest characters repeat those one period
// before. It looks for a period at every 128th character only: that is soon
// enough for rows of 400, and counts back to where the row began.
type periodWindow struct {
	pos    int  // characters taken
	since  int  // of them since the last reset
	period int  // 0 while nothing repeats
	match  int  // characters that repeat those one period before
	need   int  // characters that the row must span
	block  bool // the row is in an encoded block
	from   int  // where the row begins, in bytes
	runes  [periodRing]rune
	starts [periodRing]int32
}

func (w *periodWindow) reset() { w.since, w.period = 0, 0 }

// push takes a character that begins at a byte.
func (w *periodWindow) push(r rune, start int, encoded bool) {
	if w.period > 0 && w.block && (r == '\n' || r == '\r') {
		return // encoded blocks are wrapped anywhere
	}
	at := w.pos & (periodRing - 1)
	w.runes[at], w.starts[at] = r, int32(start) //nolint:gosec // an answer has less than 2 GB
	w.pos++
	w.since++
	if w.period > 0 {
		if w.runes[(at-w.period)&(periodRing-1)] == r {
			w.match++
			return
		}
		w.period = 0
	}
	if w.pos%periodLookEach == 0 && w.since >= 2*longestPeriod {
		w.look(encoded)
	}
}

// look follows the shortest period that the newest characters have, if any, from now on, and
// counts how far back it holds.
func (w *periodWindow) look(encoded bool) {
	newest := w.runes[(w.pos-1)&(periodRing-1)]
	for p := 1; p <= longestPeriod; p++ {
		if w.runes[(w.pos-1-p)&(periodRing-1)] == newest && w.holds(p, longestPeriod) == longestPeriod {
			w.period = p
			w.match = w.holds(p, min(w.since, periodRing)-p)
			w.from = int(w.starts[(w.pos-w.match-p)&(periodRing-1)])
			w.need, w.block = rowLength(w.tail(p), encoded), encoded
			return
		}
	}
}

// holds counts back, up to most, how many characters repeat those p before.
func (w *periodWindow) holds(p, most int) int {
	n := 0
	for n < most && w.runes[(w.pos-1-n)&(periodRing-1)] == w.runes[(w.pos-1-n-p)&(periodRing-1)] {
		n++
	}
	return n
}

// row returns how many units are in a row, if they are enough, and the number
// that they met.
func (w *periodWindow) row() (n, need int) {
	length := w.match + w.period
	if w.period == 0 || w.need == 0 || length < w.need {
		return 0, 0
	}
	need = max(periodUnits, (w.need+w.period-1)/w.period)
	if n = length / w.period; n < need {
		return 0, 0
	}
	return n, need
}

// rowLength is how many characters a row of a unit must span, 0 for white
// space.
func rowLength(unit []rune, encoded bool) int {
	letters, blank := false, true
	var digit rune
	several := false
	for _, r := range unit {
		switch {
		case unicode.IsSpace(r):
			continue
		case isWordy(r):
			letters = true
		case unicode.IsDigit(r):
			several = several || (digit != 0 && digit != r)
			digit = r
		}
		blank = false
	}
	switch {
	case blank:
		return 0
	case encoded, digit != 0 && !several && !letters:
		return periodData
	case !letters && digit == 0:
		return periodPadding
	default:
		return periodLength
	}
}

// tail is the newest n characters, as many as are kept.
func (w *periodWindow) tail(n int) []rune {
	n = min(n, w.pos, periodRing)
	out := make([]rune, n)
	for i := range out {
		out[i] = w.runes[(w.pos-n+i)&(periodRing-1)]
	}
	return out
}
