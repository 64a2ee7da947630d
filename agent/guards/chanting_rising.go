package guards

// Rising counters: 30 lines in a row, over 2,000 characters, that are the same
// but for counters that rise by one. "- Item 7: review the request" is what a
// list of 8 may hold; a list of 30 that says nothing else is a model that has
// lost its way. Blocks of up to six lines count as well: "elif x == 7:" with
// the same line below it each time.
//
// Thirty lines are measured: none of 13,822 recorded documents has as many.
// The 2,000 characters leave alone what people do ask for, tables of sixty short
// rows and lists of as many file names. Of 15,347 source files of libraries 17
// reach both, most of them generated. JSON and CSV are not judged: records with
// rising ids are data.
const (
	risingNeeded = 30
	risingLength = 2000
	maxBlock     = 6 // lines
	maxCounters  = 8 // numbers in a line
	risingPast   = 8 // lines remembered, a power of two of at least maxBlock
)

// countedLine is a line without its numbers, and the numbers.
type countedLine struct {
	hash    uint64 // 0 for an empty line
	numbers int
	values  [maxCounters]uint64
	start   int // in bytes
	at      int // in characters
	data    bool
}

// rise is how long lines have been rising in blocks of one size.
type rise struct{ lines, rose, start, at int }

// risingLines compares each line with those up to a block before.
type risingLines struct {
	line   countedLine
	digits bool // the last character was a digit
	past   [risingPast]countedLine
	count  int // lines taken
	rises  [maxBlock + 1]rise
}

// reset forgets all lines before a place, in bytes and in characters.
func (w *risingLines) reset(start, at int) { *w = risingLines{line: countedLine{start: start, at: at}} }

func (w *risingLines) push(r rune) {
	if isDigit(r) {
		w.digit(r)
		return
	}
	w.digits = false
	w.line.hash = (w.line.hash ^ uint64(r)) * 0x100000001B3 //nolint:gosec // characters are not negative
}

// digit adds to the number that a line ends with. Where a number stands is
// part of the line.
func (w *risingLines) digit(r rune) {
	l := &w.line
	if !w.digits {
		w.digits = true
		l.numbers++
		l.hash = (l.hash ^ uint64(numberMark)) * 0x100000001B3
	}
	if l.numbers <= maxCounters {
		v := &l.values[l.numbers-1]
		*v = *v*10 + uint64(r-'0') //nolint:gosec // a digit is not negative
	}
}

// endLine takes the end of a line, behind which the next begins. It returns
// how many lines are in a row, if they are enough, and in blocks of how many.
func (w *risingLines) endLine(start, at int, kind textKind) (n, block int) {
	w.digits = false
	if w.line.hash == 0 {
		w.line.start, w.line.at = start, at
		return 0, 0 // an empty line separates, and says nothing
	}
	w.line.data = kind == data
	for k := 1; k <= min(maxBlock, w.count) && n == 0; k++ {
		if w.follow(k, at) {
			n, block = w.rises[k].lines, k
		}
	}
	w.past[w.count%risingPast] = w.line
	w.count++
	w.line = countedLine{start: start, at: at}
	return n, block
}

// follow continues the blocks of k lines, and reports whether they are enough.
func (w *risingLines) follow(k, at int) bool {
	before, run := &w.past[(w.count-k)%risingPast], &w.rises[k]
	same, rose := w.line.follows(before)
	if !same {
		run.lines = 0
		return false
	}
	if run.lines == 0 {
		*run = rise{lines: k, start: before.start, at: before.at}
	}
	run.lines++
	if rose {
		run.rose++
	}
	return run.lines >= risingNeeded && at-run.at >= risingLength && run.rose*k >= run.lines-2*k
}

// follows reports whether a line is the one before but for counters, and
// whether one of them rose.
func (l *countedLine) follows(before *countedLine) (same, rose bool) {
	if l.hash != before.hash || l.numbers != before.numbers || l.numbers > maxCounters || l.data {
		return false, false
	}
	for i := range l.numbers {
		switch l.values[i] - before.values[i] {
		case 0:
		case 1:
			rose = true
		default:
			return false, false
		}
	}
	return true, rose
}
