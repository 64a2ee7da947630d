package guards

import "unicode"

// Sentences: of the newest 40 none is new, because a model has fallen into a few
// sentences that it says in any order. The rules of units and of the exact period miss
// it since nothing stands in a row, and novelty since each pair of them is new for long.
//
// A sentence is what ends with its mark or its line: two words with a mark, or five
// without; signs of scripts that say more with less are words. A few are remembered, by
// how they read apart from the mark of a list. Labels, names, and lines of data are no
// sentences: they do not count, but one that is new ends the row, as anything new does.
// Where lines are structure, it takes five times as many: lists have few words by nature.
const (
	sentencesKnown      = 16 // different ones that are remembered
	sentencesNeeded     = 40
	sentencesLong       = 20 // are enough over sentencesLength characters
	sentencesLength     = 1500
	sentencesStructured = 200
	markedWords         = 2
	unmarkedWords       = 5
)

// said is a text between two ends, and when it was said last.
type said struct {
	hash uint64
	at   int
}

// sentenceWindow compares each sentence with the few that were said last.
type sentenceWindow struct {
	hash           uint64
	words, letters int
	digits         int
	inWord, begun  bool
	marked         bool // the last character ends a sentence, if white space follows
	last           rune
	coded          bool // this text has signs of code or of records
	plain          bool // only marked sentences count, and such signs end the row
	start, startAt int  // of this one: in bytes, in characters
	pos            int  // characters taken
	ends           int  // texts taken
	known          [sentencesKnown]said
	row            int  // sentences in a row that are not new
	structured     bool // some of them are structure
	from, fromAt   int  // where the row begins
}

func (w *sentenceWindow) reset() { *w = sentenceWindow{pos: w.pos, plain: w.plain} }

// push takes a character that begins at a byte, and returns how many sentences in a row
// are not new and how many it takes, where they are enough.
func (w *sentenceWindow) push(r rune, start int, kind textKind) (n, need int) {
	w.pos++
	if w.inWord && r >= 'a' && r <= 'z' { // most characters
		w.letters++
		w.marked, w.last = false, r
		w.hash = (w.hash ^ uint64(r)) * 0x100000001B3
		return 0, 0
	}
	if r <= ' ' || r >= 0x80 && unicode.IsSpace(r) {
		w.inWord, w.last = false, r
		w.coded = w.coded || w.begun && r == '\t'
		if w.begun && (w.marked || r == '\n') {
			return w.end(kind)
		}
		return 0, 0
	}
	if !w.begun {
		w.begun, w.start, w.startAt = true, start, w.pos
	}
	w.coded = w.coded || isCode(r) || w.last == ','
	w.take(r)
	w.last = r
	if r == '。' || r == '！' || r == '？' {
		return w.end(kind)
	}
	return 0, 0
}

// take adds a character to the sentence. What stands before its first word, such as a
// list marker, does not count.
func (w *sentenceWindow) take(r rune) {
	w.marked = r == '.' || r == '!' || r == '?' || r == '…' || r == '。' || r == '！' || r == '？' || w.marked && (r == '"' || r == '\'' || r == ')' || r == '*' || r == '”')
	switch {
	case r < firstSign && isWordy(r):
		w.letters++
		if !w.inWord {
			w.inWord = true
			w.words++
		}
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
	case isDigit(r):
		w.digits++
	case r >= firstSign && unicode.IsLetter(r):
		w.words++
		w.letters += 2
	case w.letters == 0 && (w.digits == 0 || r == '.' || r == ')'):
		w.hash, w.digits = 0, 0
		return
	}
	w.hash = (w.hash ^ uint64(r)) * 0x100000001B3 //nolint:gosec // characters are not negative
}

// end takes what has been read as one text.
func (w *sentenceWindow) end(kind textKind) (n, need int) {
	hash, sentence := w.hash, w.letters >= minLetters && (w.words >= unmarkedWords || w.marked && w.words >= markedWords)
	coded := w.plain && w.coded
	sentence = sentence && (w.marked || !w.plain)
	from, fromAt := w.start, w.startAt
	w.hash, w.words, w.letters, w.digits, w.inWord, w.begun, w.marked, w.coded = 0, 0, 0, 0, false, false, false, false
	if hash == 0 {
		return 0, 0 // the mark of a list alone
	}
	if w.isNew(hash) || kind == data || coded {
		w.row, w.structured = 0, false
		return 0, 0
	}
	if !sentence {
		return 0, 0
	}
	if w.row == 0 {
		w.from, w.fromAt = from, fromAt
	}
	w.row++
	w.structured = w.structured || kind == structure
	switch {
	case w.structured:
		need = sentencesStructured
	case w.pos-w.fromAt >= sentencesLength:
		need = sentencesLong
	default:
		need = sentencesNeeded
	}
	if w.row < need {
		return 0, 0
	}
	return w.row, need
}

// isNew reports whether a text is none of those that were said last, and remembers it
// instead of the one that was said longest ago.
func (w *sentenceWindow) isNew(hash uint64) bool {
	w.ends++
	oldest := 0
	for i := range w.known {
		if w.known[i].hash == hash {
			w.known[i].at = w.ends
			return false
		}
		if w.known[i].at < w.known[oldest].at {
			oldest = i
		}
	}
	w.known[oldest] = said{hash, w.ends}
	return true
}
