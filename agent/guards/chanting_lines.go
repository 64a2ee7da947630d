package guards

import (
	"strings"
	"unicode"
)

// textKind is what surrounds a character: prose, what repeats by nature, or
// data, which repeats even more.
type textKind uint8

const (
	prose textKind = iota
	structure
	data
)

// lineReader tells the kind of each character from how its line begins. Until
// a line's beginning is clear, it is prose.
type lineReader struct {
	// fence is the character of an open code fence, 0 outside; fenced is the
	// kind of its content.
	fence  rune
	fenced textKind
	stage  lineStage
	indent int
	first  rune // the line's first character behind its indent
	run    int  // how often it occurs there
	kind   textKind
	before textKind // of the last line that was not empty
	header bool
	quoted bool // the line begins with a quotation mark
	spaced bool // it is more than one word
	// info is the beginning of what follows a fence.
	info    [4]rune
	infoLen int
	last    [2]rune
	token   token
	// slashes counts those of a path, values those of CSV, twice.
	slashes, values int
	encoded         bool // this is an encoded block
	// cut says that what stood before is not a part of a repetition: a line of
	// prose has just turned out to be structure, or this is an encoded block.
	cut bool
}

type lineStage uint8

const (
	inIndent lineStage = iota
	inMarker
	inLine
)

// read takes the next character and returns its kind.
func (l *lineReader) read(r rune) textKind {
	l.cut = false
	l.encoded = l.token.read(r)
	kind := l.kind
	switch {
	case r == '\n':
		l.endLine()
	case l.stage == inIndent:
		kind = l.begin(r)
	case l.stage == inMarker:
		kind = l.marker(r)
	default:
		kind = l.inside(r)
	}
	l.last[0], l.last[1] = l.last[1], r
	if l.encoded {
		l.cut = true
		return data
	}
	return kind
}

func (l *lineReader) endLine() {
	if l.stage != inIndent {
		l.before = l.kind
		switch marks := l.run >= 3 && (l.first == '`' || l.first == '~'); {
		case marks && l.fence == 0:
			l.fence, l.fenced = l.first, structure
			if l.info == [4]rune{'j', 's', 'o', 'n'} || l.info == [4]rune{'c', 's', 'v'} {
				l.fenced = data
			}
		case marks && l.fence == l.first:
			l.fence = 0
		}
	}
	*l = lineReader{fence: l.fence, fenced: l.fenced, before: l.before, token: l.token}
	if l.fence != 0 {
		l.kind = l.fenced
	}
}

// begin reads a line's indent and its first character.
func (l *lineReader) begin(r rune) textKind {
	switch r {
	case ' ':
		l.indent++
	case '\t':
		l.indent += 4
	case '\r':
	default:
		l.stage, l.first, l.run = inMarker, r, 1
		l.kind = l.kindOf(r)
		if l.kind != prose && l.fence == 0 && r != '[' {
			l.stage = inLine
		}
		return l.kind
	}
	if l.indent >= 4 || (l.indent >= 2 && l.before == structure) {
		l.kind = max(l.kind, structure)
	}
	return l.kind
}

// kindOf is what a line's first character says alone.
func (l *lineReader) kindOf(r rune) textKind {
	switch {
	case l.fence != 0:
		return l.fenced
	case r == '{' || r == '}' || r == ']' || r == '<':
		return data
	case r == '"' && l.before == data:
		return data
	case r == '|' || r == '>' || r == '•' || r == '/':
		return structure
	}
	l.quoted = r == '"'
	return l.kind
}

// marker reads what follows the first character, until it is clear what it is.
func (l *lineReader) marker(r rune) textKind {
	if r == l.first && !isDigit(r) {
		l.run++
		if l.run == 3 && strings.ContainsRune("-=*_`~", r) {
			l.kind = structure
		}
		return l.kind
	}
	switch {
	case isDigit(l.first) && (isDigit(r) || ((r == '.' || r == ')') && isDigit(l.last[1]))):
		return l.kind // "12." may still become the number of a list
	case isDigit(l.first):
		l.decide(r == ' ' && (l.last[1] == '.' || l.last[1] == ')'), structure)
	case l.first == '#':
		l.decide(r == ' ' && l.run <= 6, structure)
		l.header = l.kind == structure && l.fence == 0
	case strings.ContainsRune("-*+", l.first):
		l.decide(r == ' ', structure)
	case l.first == '[' && isDigit(r):
		return l.kind // "[12" may still become the number of a reference
	case l.first == '[' && isDigit(l.last[1]) && r == ']':
		l.decide(true, structure)
	case l.first == '[':
		l.decide(isDigit(l.last[1]) || strings.ContainsRune("\"'[{ \r\t-", r), data)
	default:
		l.stage = inLine
		l.noteInfo(r)
	}
	return l.kind
}

// noteInfo keeps the beginning of the word behind a fence.
func (l *lineReader) noteInfo(r rune) {
	if l.infoLen < len(l.info) && l.run >= 3 && !unicode.IsSpace(r) {
		l.info[l.infoLen] = unicode.ToLower(r)
		l.infoLen++
	}
}

func (l *lineReader) decide(is bool, kind textKind) {
	l.stage = inLine
	if is {
		l.kind = max(l.kind, kind)
	}
}

// inside finds tables without a bar in front, JSON that begins with a key, CSV,
// and addresses and paths that have a line to themselves.
func (l *lineReader) inside(r rune) textKind {
	if l.kind == prose && r >= 'a' && r <= 'z' && l.last[1] > ';' {
		return prose // most characters: a letter within a word
	}
	switch {
	case l.kind != prose:
		l.noteInfo(r)
	case r == ' ' && l.last[1] == '|' && l.last[0] == ' ':
		l.kind, l.cut = structure, true
	case r == ' ', r >= firstSign:
		l.spaced = true
	case r == '/' && !l.spaced:
		if l.slashes++; l.slashes == 2 { // a path of one word
			l.kind, l.cut = structure, true
		}
	case r == ':' && l.last[1] == '"' && l.quoted:
		l.kind, l.cut = data, true
	case r == '\t', l.last[1] == ',', l.last[1] == ';':
		// The second value that follows its separator without a blank makes the line CSV.
		// Between digits, where 1,000,000 has separators, it takes four.
		l.values += 2
		if isDigit(r) && isDigit(l.last[0]) {
			l.values--
		}
		if l.values >= 4 {
			l.kind, l.cut = data, true
		}
	}
	return l.kind
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// minEncoded is from which length on a run without white space is not a word.
const minEncoded = 60

// token follows a run of the characters that encodings of data are made of.
type token struct {
	length          int
	letters, digits bool
}

// read reports whether the character belongs to an encoded block.
func (t *token) read(r rune) bool {
	switch {
	case isDigit(r):
		t.digits = true
	case (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z'):
		t.letters = true
	case r != '+' && r != '/' && r != '=' && r != '_' && r != '-':
		*t = token{}
		return false
	}
	t.length++
	return t.length >= minEncoded && t.letters && t.digits
}
