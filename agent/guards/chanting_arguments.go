package guards

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"fusebox/agent"
)

// argumentsNeeded is how many equal sentences in a row, or sentences of which none is
// new, the arguments of a call may have, plus one. Files have equal lines, so it takes
// many, and they must read as sentences: tables, records, code, and encoded blocks repeat
// by nature, and no number of them is enough.
const argumentsNeeded = 100

// argumentsChanting catches a model that falls into a sentence while it writes the
// arguments of a call. It reads the texts in their JSON, and what stands between them as
// ends of lines.
type argumentsChanting struct {
	json  jsonTexts
	units unitWindow
	said  sentenceWindow
	asked requested

	bytes   int // of the texts
	part    []byte
	tripped bool
}

// NewArgumentsChanting makes the detector for the arguments of one call after the other.
// What the person's message, the task, asks to have repeated may be.
func NewArgumentsChanting(task string) agent.StreamGuard {
	return &argumentsChanting{said: sentenceWindow{plain: true}, asked: newRequested(task)}
}

func (*argumentsChanting) Name() string { return "chanting" }

func (c *argumentsChanting) Reset() {
	c.json, c.part, c.tripped = jsonTexts{}, c.part[:0], false
	c.forget()
}

func (c *argumentsChanting) forget() {
	c.units.reset()
	c.said.reset()
}

func (c *argumentsChanting) Write(text string) agent.Verdict {
	if len(c.part) > 0 {
		text = string(c.part) + text
		c.part = c.part[:0]
	}
	for i, size := 0, 0; i < len(text) && !c.tripped; i += size {
		if !utf8.FullRuneInString(text[i:]) {
			c.part = append(c.part, text[i:]...)
			break
		}
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		said, ok := c.json.read(r)
		if !ok {
			continue
		}
		if f, found := c.read(said); found && !c.asked.allows(&f, c.bytes) {
			c.tripped = true
			v := f.verdict()
			v.Keep = 0 // nothing of the call
			return v
		} else if found {
			c.forget()
		}
	}
	return agent.Verdict{}
}

func (c *argumentsChanting) read(r rune) (f finding, found bool) {
	start := c.bytes
	c.bytes += max(utf8.RuneLen(r), 1)
	c.units.push(r, start, true, prose)
	if n, _ := c.units.row(argumentsNeeded, argumentsNeeded); n > 0 {
		if unit := c.units.tail(c.units.period); readsAsSentence(string(unit)) {
			return c.repeated(n, c.units.from, unit), true
		}
		c.units.fit = unfit
	}
	if n, _ := c.said.push(r, start, prose); n >= argumentsNeeded {
		return c.repeated(n, c.said.from, c.units.tail(maxUnit)), true
	}
	return finding{}, false
}

func (*argumentsChanting) repeated(n, from int, unit []rune) finding {
	unit = fromItsBeginning(unit)
	return finding{
		rule: ruleArguments, count: n, need: argumentsNeeded, from: from, excerpt: strings.TrimSpace(string(unit)),
		sentence: fmt.Sprintf("The arguments of a call have repeated the same few sentences, %d in a row: %q", n, quotedUnit(unit)),
	}
}

// isCode reports whether a character is one that programs, tables, and records are written
// with, and sentences are not.
func isCode(r rune) bool { return strings.ContainsRune("{}<>=|\\_#/`$@[]();&%^~*+\t", r) }

// readsAsSentence reports whether a repeated unit is what one says: words with few signs,
// some of them different, with a mark or enough of them on a line, or signs of a script
// that says more with less.
func readsAsSentence(unit string) bool {
	if strings.ContainsFunc(unit, isCode) {
		return false
	}
	var different []string
	fields, words, signs := strings.Fields(unit), 0, 0
	for _, field := range fields {
		word := strings.TrimFunc(field, unicode.IsPunct)
		for _, r := range word {
			if r >= firstSign && unicode.IsLetter(r) {
				signs++
			}
		}
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("'’-，、：", r) }) {
			continue
		}
		words++
		if !slices.Contains(different, word) {
			different = append(different, word)
		}
	}
	if signs >= minSigns {
		return strings.ContainsAny(unit, "。！？") || signs >= 2*unmarkedWords*max(strings.Count(unit, "\n"), 1)
	}
	marked := strings.ContainsAny(unit, ".!?…") || words >= unmarkedWords*max(strings.Count(unit, "\n"), 1) && words > 2*strings.Count(unit, ",")
	return marked && len(different) >= 3 && words*5 >= len(fields)*4
}

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

func (j *jsonTexts) hex(r rune) (rune, bool) {
	j.digits--
	j.code = j.code<<4 | rune(max(strings.IndexRune("0123456789abcdef", unicode.ToLower(r)), 0))
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
