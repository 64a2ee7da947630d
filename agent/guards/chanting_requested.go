package guards

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Bounds of a repetition that was asked for: how much of the person's message is looked
// at, how long a unit may be, in letters, how often it may be repeated where the message
// has no number, and how often at most.
const (
	requestBytes  = 8000
	requestUnit   = 300
	requestTimes  = 100
	requestAtMost = 1000
)

// requestWords are how people ask for a repetition; the group is how often.
var requestWords = regexp.MustCompile(`(?i)(\d+)\s*(?:times|x\b|lines|copies|遍|次|行|个|份)|\brepeat|\btimes\b|over and over|again and again|重复|反复|抄写|[一二三四五六七八九十百两几]\s*(?:遍|次|行)`)

// requested is what a person has asked to have repeated: it is no chant.
type requested struct {
	letters string // of the message; "" where it asks for no repetition
	times   int
	// from is where the first repetition begins that was allowed, in bytes.
	from  int
	begun bool
}

// newRequested reads a person's message.
func newRequested(task string) requested {
	if len(task) > requestBytes {
		task = task[:requestBytes]
	}
	found := requestWords.FindStringSubmatch(task)
	if found == nil {
		return requested{}
	}
	r := requested{letters: onlyLetters(task), times: requestTimes}
	if n, err := strconv.Atoi(found[1]); err == nil {
		r.times = min(n, requestAtMost)
	}
	return r
}

// allows reports whether a finding, at a byte of the answer, repeats what was asked for and
// not much oftener: a tenth more, and three, for models that count badly.
func (r *requested) allows(f *finding, at int) bool {
	if r.letters == "" {
		return false
	}
	unit := primitive(onlyLetters(f.excerpt))
	if unit == "" || len(unit) > requestUnit*4 || !r.names(unit) {
		return false
	}
	if !r.begun {
		r.begun, r.from = true, f.from
	}
	// The unit counts without its blanks and marks, so that this allows rather too few.
	return at-r.from <= (r.times+r.times/10+3)*(len(unit)+spaceOf(f.excerpt, unit))
}

// names reports whether the message has a unit, wherever that is taken to begin.
func (r *requested) names(unit string) bool {
	twice := unit + unit
	for i := range unit {
		if strings.Contains(r.letters, twice[i:i+len(unit)]) {
			return true
		}
	}
	return false
}

// spaceOf is how many bytes of an excerpt, for each of its units, are no letters.
func spaceOf(excerpt, unit string) int {
	units := max(len(onlyLetters(excerpt))/len(unit), 1)
	return max(len(excerpt)/units-len(unit), 0) + 1
}

// onlyLetters is a text in lower case without what is not a letter.
func onlyLetters(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// primitive is the shortest text whose repetition, perhaps cut off, a text is. It is found
// with the failure function of Knuth, Morris, and Pratt.
func primitive(text string) string {
	border := make([]int, len(text)+1)
	for i, k := 1, 0; i < len(text); i++ {
		for k > 0 && text[i] != text[k] {
			k = border[k]
		}
		if text[i] == text[k] {
			k++
		}
		border[i+1] = k
	}
	return text[:len(text)-border[len(text)]]
}
