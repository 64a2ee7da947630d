package guards

import "unicode"

// Novelty: of the last 1,500 characters of prose at least 99 % stood in the
// 3,000 before, as pieces of 24 characters. It catches the paragraphs and
// phrases that a model goes through again and again in changing order, too long
// or too mixed for the rules of chunks and units.
//
// The length of a piece is that of three or four words, which prose shares by
// chance only. The other numbers are measured on recorded text: real prose, with
// its refrains, forms and licences that are quoted for each author, keeps more
// than 1 % of news in 1,500 characters. Only prose counts, with its white space
// as one blank: code, tables and lists repeat by nature.
//
// One piece in eight is looked at. Its own hash chooses it, so that the same
// words are chosen wherever they stand.
const (
	noveltyGram   = 24
	noveltyLast   = 1500
	noveltyBefore = 3000
	noveltyOld    = 99 // percent
	noveltyLeast  = 50 // pieces that are enough to judge
	// noveltyRing holds the newest chosen pieces, a power of two far above an
	// eighth of noveltyBefore.
	noveltyRing  = 1024
	noveltySlots = 1024
	// noveltySteps bounds the search for a piece among others of its slot.
	noveltySteps = 8
)

// piece is a chosen one: its hash, where it ends in the prose, and where that
// is in the text, in bytes.
type piece struct {
	hash  uint32
	at    int32
	start int32
	back  uint16 // how many pieces before this one its slot was taken last
	old   bool   // it stood before
}

// noveltyWindow finds for chosen pieces of prose whether they stood before: a
// rolling hash, and a table from hash to the newest piece.
type noveltyWindow struct {
	pos    int // characters of prose taken
	since  int // of them since the last reset
	hash   uint32
	blank  bool // the last character was white space
	count  int  // pieces chosen
	oldest int  // the first of them that is among the last noveltyLast characters
	old    int  // of those, how many stood before
	runes  [32]rune
	pieces [noveltyRing]piece
	table  [noveltySlots]uint16
}

var noveltyOut = hashPower(noveltyGram)

func (w *noveltyWindow) reset() { w.since, w.hash, w.old, w.oldest = 0, 0, 0, w.count }

// push takes a character of prose that begins at a byte, and reports whether
// nothing new has come for too long.
func (w *noveltyWindow) push(r rune, start int) bool {
	if r <= ' ' || (r >= 0x80 && unicode.IsSpace(r)) {
		if w.blank {
			return false
		}
		r = ' '
	}
	w.blank = r == ' '
	w.hash = w.hash*hashBase + uint32(r) + 1 //nolint:gosec // characters are not negative
	if w.since >= noveltyGram {
		w.hash -= noveltyOut * (uint32(w.runes[(w.pos-noveltyGram)&31]) + 1) //nolint:gosec // see above
	}
	w.runes[w.pos&31] = r
	w.pos++
	w.since++
	mixed := w.hash * 0x9E3779B1
	if mixed&(7<<19) != 0 || w.since < noveltyGram {
		return false
	}
	w.choose(mixed>>22, start)
	pieces := w.count - w.oldest
	return w.since >= noveltyLast && pieces >= noveltyLeast && w.old*100 >= pieces*noveltyOld
}

// choose notes a piece and forgets those that are too far back.
func (w *noveltyWindow) choose(slot uint32, start int) {
	for w.oldest < w.count && w.at(w.oldest).at <= int32(w.pos-noveltyLast) { //nolint:gosec // an answer has less than 2 GB
		if w.at(w.oldest).old {
			w.old--
		}
		w.oldest++
	}
	p := piece{hash: w.hash, at: int32(w.pos), start: int32(start), back: uint16(w.count) - w.table[slot]} //nolint:gosec // see above; pieces count round
	w.table[slot] = uint16(w.count)                                                                        //nolint:gosec // see above
	if p.old = w.stood(p); p.old {
		w.old++
	}
	*w.at(w.count) = p
	w.count++
}

func (w *noveltyWindow) at(n int) *piece { return &w.pieces[n&(noveltyRing-1)] }

// stood reports whether a piece stood before, since the last reset.
func (w *noveltyWindow) stood(p piece) bool {
	reach := int32(min(w.since-noveltyGram, noveltyBefore)) //nolint:gosec // see choose
	n, back := w.count, int(p.back)
	for range noveltySteps {
		n -= back
		if back == 0 || n < 0 || w.count-n >= noveltyRing || p.at-w.at(n).at > reach {
			return false
		}
		if w.at(n).hash == p.hash {
			return true
		}
		back = int(w.at(n).back)
	}
	return false
}
