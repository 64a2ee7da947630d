package guards

import "unicode/utf16"

// jsonTexts takes the texts out of JSON while it arrives: the characters inside of its
// strings, without escapes, and those of other values; whatever stands between two of
// them is the end of a line. What does not begin like JSON is text as it is.
type jsonTexts struct {
	begun, raw, inString, escaped bool
	digits                        int  // of \uXXXX, still to come
	code                          rune // what they say so far
	high                          rune // the first half of a character in two escapes
	ended                         bool // the last character was the end of a line
}

// read takes a character, and returns one of a text if there is one.
func (j *jsonTexts) read(r rune) (rune, bool) {
	if !j.begun {
		if r <= ' ' {
			return 0, false
		}
		j.begun, j.raw = true, r != '{' && r != '[' && r != '"'
	}
	switch {
	case j.raw:
		return r, true
	case j.digits > 0:
		return j.hex(r)
	case j.escaped:
		return j.escape(r)
	case j.inString && r == '\\':
		j.escaped = true
		return 0, false
	case r == '"':
		j.inString = !j.inString
		return j.line()
	case j.inString, isDigit(r), isWordy(r), r == '-', r == '.':
		j.ended = false
		return r, true
	default:
		return j.line()
	}
}

// line ends a line, if it has not just ended.
func (j *jsonTexts) line() (rune, bool) {
	was := j.ended
	j.ended = true
	return '\n', !was
}

func (j *jsonTexts) escape(r rune) (rune, bool) {
	j.escaped, j.ended = false, false
	switch r {
	case 'n':
		return '\n', true
	case 't':
		return '\t', true
	case 'r', 'b', 'f':
		return ' ', true
	case 'u':
		j.digits, j.code = 4, 0
		return 0, false
	}
	return r, true
}

// hex takes a digit of an escaped character.
func (j *jsonTexts) hex(r rune) (rune, bool) {
	j.digits--
	j.code = j.code<<4 | hexValue(r)
	switch {
	case j.digits > 0:
		return 0, false
	case utf16.IsSurrogate(j.code) && j.high == 0:
		j.high = j.code
		return 0, false
	case j.high != 0:
		whole := utf16.DecodeRune(j.high, j.code)
		j.high = 0
		return whole, true
	}
	return j.code, true
}

func hexValue(r rune) rune {
	switch {
	case isDigit(r):
		return r - '0'
	case r >= 'a' && r <= 'f':
		return r - 'a' + 10
	case r >= 'A' && r <= 'F':
		return r - 'A' + 10
	}
	return 0
}
