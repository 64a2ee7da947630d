package ranking

import (
	"strings"
	"unicode"
)

// terms are the words of a text in lower case: the parts of names in snake_case, camelCase,
// and kebab-case on their own, plurals as their singular, and of Chinese, Japanese, and
// Thai texts each pair of neighbours, because nothing says where a word ends.
func terms(text string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, split(word)...)
		}
		word = word[:0]
	}
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case len(word) > 0 && (unspaced(r) != unspaced(word[len(word)-1]) || unicode.IsUpper(r) && unicode.IsLower(word[len(word)-1])):
			end()
		}
		word = append(word, r)
	}
	end()
	return out
}

func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// split is a word, or the pairs of a text without spaces.
func split(word []rune) []string {
	if !unspaced(word[0]) {
		return []string{singular(strings.ToLower(string(word)))}
	}
	if len(word) == 1 {
		return []string{string(word)}
	}
	var pairs []string
	for i := range len(word) - 1 {
		pairs = append(pairs, string(word[i:i+2]))
	}
	return pairs
}

// singular takes the plain s of an English plural off.
func singular(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return word[:len(word)-1]
	}
	return word
}
