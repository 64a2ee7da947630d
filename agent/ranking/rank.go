package ranking

import (
	"cmp"
	"maps"
	"math"
	"slices"
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

type document struct {
	counts map[string]float64
	length float64
}

// Rank returns the indexes of the documents that share a term with the query, the best
// first; of equals, in their order. It is Okapi BM25 (Robertson and Zaragoza, "The
// Probabilistic Relevance Framework: BM25 and Beyond", 2009) over weighted fields, as
// in BM25F of the same paper.
func Rank(query string, documents [][]Text) []int {
	wanted := map[string]bool{}
	for _, term := range Terms(query) {
		if term.Kind != Character {
			wanted[term.Text] = true
		}
	}
	read, average := readAll(documents)
	scores := make([]float64, len(read))
	for _, term := range slices.Sorted(maps.Keys(wanted)) {
		with := 0
		for _, d := range read {
			if d.counts[term] > 0 {
				with++
			}
		}
		rarity := Rarity(with, len(read))
		for i, d := range read {
			scores[i] += rarity * Weight(d.counts[term], d.length, average)
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
			for _, term := range Terms(t.Text) {
				d.counts[term.Text] += t.Weight
				d.length += t.Weight
			}
		}
		read = append(read, d)
		average += d.length / float64(len(documents))
	}
	return read, max(average, 1)
}

// Rarity is how much a term tells that so many of all documents have: one that few have
// tells most.
func Rarity(with, all int) float64 {
	return math.Log(1 + (float64(all-with)+0.5)/(float64(with)+0.5))
}

// Weight is how much a term counts that a document has n times: less each time, and less
// in a document that is longer than the average.
func Weight(n, length, average float64) float64 {
	return n * (k1 + 1) / (n + k1*(1-b+b*length/average))
}
