package guards

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Limits of a requested repetition: how much of the person's message is read, how long the
// repeated unit may be, in letters, how often it may be repeated if the message gives no
// number, and the most repetitions that a message can ask for.
const (
	requestBytes  = 8000
	requestUnit   = 300
	requestTimes  = 100
	requestAtMost = 1000
)

// requestWords are how people ask for a repetition; the group is how often.
var requestWords = regexp.MustCompile(`(?i)(\d+)\s*(?:times|x\b|lines|copies|遍|次|行|个|份)|\brepeat|\btimes\b|over and over|again and again|重复|反复|抄写|[一二三四五六七八九十百两几]\s*(?:遍|次|行)`)

// requested is the repetition that a person's message asks for.
type requested struct {
	letters string // of the message; "" if it doesn't ask for a repetition
	times   int
	// from is the byte at which the first allowed repetition begins.
	from  int
	begun bool
}

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

// allows reports whether a finding repeats what the message asks for, and not much more often
// than it says: a tenth and three more, since models count badly. at is the answer's length
// so far, in bytes.
func (r *requested) allows(f *finding, at int) bool {
	if r.letters == "" {
		return false
	}
	letters := onlyLetters(f.excerpt)
	unit := primitive(letters)
	if unit == "" || len(unit) > requestUnit*4 || !r.names(unit) {
		return false
	}
	if !r.begun {
		r.begun, r.from = true, f.from
	}
	units := max(len(letters)/len(unit), 1)
	space := max(len(f.excerpt)/units-len(unit), 0) + 1 // bytes of the excerpt per unit that aren't letters
	return at-r.from <= (r.times+r.times/10+3)*(len(unit)+space)
}

// names reports whether the message contains the unit or a rotation of it.
func (r *requested) names(unit string) bool {
	twice := unit + unit
	for i := range unit {
		if strings.Contains(r.letters, twice[i:i+len(unit)]) {
			return true
		}
	}
	return false
}

// onlyLetters returns the letters of a text in lower case.
func onlyLetters(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// primitive returns the shortest prefix whose repetition gives the text; the last repetition
// may be cut off. It uses the failure function of Knuth, Morris, and Pratt.
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
