package demo

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// intent is something that a person may want, and the phrases that tell it.
// The tables of intents are tests.go and talk.go.
type intent struct {
	// phrases tell it wherever they stand in a message; … stands for any words.
	phrases []string
	// brief phrases tell it only in a message of a few words: "hi" begins many others.
	brief []string
	// whole phrases tell it only if they are the message.
	whole []string
	// reply answers; without one, the text in the person's language does.
	reply            func(t turn) answer
	english, chinese string
}

// pattern compiles an expression at its first use: servers with other models never need it.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// among is the rule of a table: the first intent that fits answers.
func among(table []intent) rule {
	return func(t turn) (answer, bool) {
		i := slices.IndexFunc(table, func(k intent) bool {
			return t.means(k.phrases...) || t.short() && t.means(k.brief...) || slices.Contains(k.whole, strings.TrimSpace(t.words))
		})
		switch {
		case i < 0:
			return answer{}, false
		case table[i].reply != nil:
			return table[i].reply(t), true
		default:
			return say(t.in(table[i].english, table[i].chinese)), true
		}
	}
}

// maxShort bounds a message of a few words; a word weighs as much as two Han characters.
const maxShort = 10

func (t turn) short() bool {
	weight := 0
	for _, word := range strings.Fields(t.words) {
		if n := hanIn(word); n > 0 {
			weight += n
		} else {
			weight += 2
		}
	}
	return weight <= maxShort
}

// means reports whether the request contains one of the phrases: in Chinese
// anywhere, else as whole words.
func (t turn) means(phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return hasPhrase(t.words, p) })
}

// hasPhrase finds the parts of a phrase in their order.
func hasPhrase(words, phrase string) bool {
	chinese := hanIn(phrase) > 0
	for part := range strings.SplitSeq(phrase, "…") {
		if !chinese {
			part = " " + strings.TrimSpace(part) + " "
		}
		i := strings.Index(words, part)
		if i < 0 {
			return false
		}
		words = " " + words[i+len(part):]
	}
	return true
}

func hanIn(s string) int {
	n := 0
	for _, c := range s {
		if unicode.Is(unicode.Han, c) {
			n++
		}
	}
	return n
}

// wordsOf are the words of a text in lower case, with a space around each and
// without punctuation.
func wordsOf(s string) string {
	s = strings.Map(func(c rune) rune {
		if c == '\'' || unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return ' '
	}, plain(s))
	return " " + strings.Join(strings.Fields(s), " ") + " "
}
