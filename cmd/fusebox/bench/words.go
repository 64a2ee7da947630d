package bench

import "strings"

// vocabulary is how many words there are before they get a third syllable.
const vocabulary = 64 * 64

// syllables are 64 that can be told apart.
var syllables = func() (all []string) {
	for _, consonant := range "bdfghjklmnprstvz" {
		for _, vowel := range "aeio" {
			all = append(all, string(consonant)+string(vowel))
		}
	}
	return all
}()

// words is a text of n different words in no order that a breaker would take for a
// repetition, each with a space before it.
func words(n int) []string {
	all := make([]string, n)
	for i := range all {
		// An odd factor visits every number below a power of two once.
		k := i * 2053 % vocabulary
		var w strings.Builder
		w.WriteString(" " + syllables[k/64] + syllables[k%64])
		if lap := i / vocabulary; lap > 0 {
			w.WriteString(syllables[lap%64])
		}
		all[i] = w.String()
	}
	return all
}
