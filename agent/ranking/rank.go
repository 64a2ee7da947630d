package ranking

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Text is a part of a document that counts as often as its weight says.
type Text struct {
	Text   string
	Weight float64
}

// The parameters of BM25 that are usual: how soon a term that is repeated counts no more,
// and how much a long document is held against it.
const (
	k1 = 1.2
	b  = 0.75
)

// document is one of those that are ranked.
type document struct {
	counts map[string]float64
	length float64
}

// Rank returns the indexes of the documents that share a term with the query, the best
// first; of equals, in their order. It is Okapi BM25 (Robertson and Zaragoza, "The
// Probabilistic Relevance Framework: BM25 and Beyond", 2009) over weighted fields, as
// in BM25F of the same paper.
func Rank(query string, documents [][]Text) []int {
	wanted := slices.Compact(slices.Sorted(slices.Values(terms(query))))
	read, average := readAll(documents)
	scores := make([]float64, len(read))
	for _, term := range wanted {
		rarity := rarityOf(term, read)
		for i, d := range read {
			n := d.counts[term]
			scores[i] += rarity * n * (k1 + 1) / (n + k1*(1-b+b*d.length/average))
		}
	}
	var found []int
	for i, score := range scores {
		if score > 0 {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(x, y int) int { return cmp.Compare(scores[y], scores[x]) })
	return found
}

func readAll(documents [][]Text) (read []document, average float64) {
	for _, texts := range documents {
		d := document{counts: map[string]float64{}}
		for _, t := range texts {
			for _, term := range terms(t.Text) {
				d.counts[term] += t.Weight
				d.length += t.Weight
			}
		}
		read = append(read, d)
		average += d.length / float64(len(documents))
	}
	return read, max(average, 1)
}

// rarityOf is how much a term tells: one that few documents have tells most.
func rarityOf(term string, read []document) float64 {
	with := 0
	for _, d := range read {
		if d.counts[term] > 0 {
			with++
		}
	}
	return math.Log(1 + (float64(len(read)-with)+0.5)/(float64(with)+0.5))
}

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

// split is a word without the plain s of an English plural, or the pairs of a text without spaces.
func split(word []rune) []string {
	if !unspaced(word[0]) {
		w := strings.ToLower(string(word))
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			w = w[:len(w)-1]
		}
		return []string{w}
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
