package store

import (
	"unicode/utf8"

	"fusebox/agent/ranking"
)

// What words count that say the same as one of the question, found by measuring: see the
// test of recall.
const (
	// sameScore is what one counts for the order of passages, sameShare for the share of the question.
	sameScore, sameShare = 0.4, 0.8
	// oneCharacter is what a single character counts of that, which is part of many words.
	oneCharacter = 0.5
	// enoughSame and aloneSame are the shares that a passage has to have with them: more than enough and alone.
	enoughSame, aloneSame = 0.25, 0.4
)

// word is a word of a question that others say the same as.
type word struct {
	start, end int // its bytes in the question
	others     []phrase
	terms      []string // those of the question that are within it
	asks       bool     // it only asks: no term of the question is in it, not even in part
}

// phrase is terms that follow each other, and how much they tell.
type phrase struct {
	terms    []string
	passages int
	rarity   float64
}

// addWords takes of words that say the same those that there are, and returns them all.
func (q *question) addWords(related []ranking.Related) (all []phrase) {
	q.across = map[string]bool{}
	for _, r := range related {
		w := word{start: r.Start, end: r.End, asks: true}
		q.place(&w)
		for _, terms := range r.Others {
			least := q.having[terms[0]]
			for _, term := range terms {
				least = min(least, q.having[term])
			}
			if least == 0 {
				continue
			}
			p := phrase{terms, least, ranking.Rarity(min(least, q.passages), q.passages)}
			if len(terms) == 1 && terms[0][0] >= utf8.RuneSelf && utf8.RuneCountInString(terms[0]) == 1 {
				p.rarity *= oneCharacter
			}
			w.others = append(w.others, p)
		}
		q.words, all = append(q.words, w), append(all, w.others...)
	}
	return all
}

// place finds the terms of the question that are within a word, and the pairs of characters
// that are only partly in a longer one.
func (q *question) place(w *word) {
	for _, t := range q.terms {
		switch {
		case t.Start >= w.end || t.End <= w.start:
			continue
		case t.Start >= w.start && t.End <= w.end:
			w.terms = append(w.terms, t.Text)
		case w.end-w.start > utf8.UTFMax:
			q.across[t.Text] = true
		}
		w.asks = false
	}
}

// judgeWords adds to a passage's score what it has of words that say the same: for each word
// of the question the one that tells most.
func (q *question) judgeWords(c *candidate, counts map[string]float64, length float64) {
	c.said = make([]float64, len(q.words))
	for i, w := range q.words {
		if has, all := q.within(w, c); all > 0 && has == all {
			continue
		}
		score, best := 0.0, phrase{}
		for _, other := range w.others {
			n := counts[other.terms[0]]
			for _, term := range other.terms {
				n = min(n, counts[term])
			}
			if s := other.rarity * ranking.Weight(n, length, q.average); s > score {
				score, best = s, other
			}
		}
		c.found.Score, c.said[i] = c.found.Score+sameScore*score, best.rarity
		c.also = append(c.also, best.terms...)
	}
}

// within is how much the terms within a word of the question tell: those that a passage has, and all.
func (q *question) within(w word, c *candidate) (has, all float64) {
	for _, term := range w.terms {
		all += q.rarity[term]
		if c.matched[term] {
			has += q.rarity[term]
		}
	}
	return has, all
}

// answersOtherwise is answers where what says the same counts, for what has and all are without
// it. Pairs of characters that a word begins or ends in are no part of the question then, nor
// are words that only ask.
func (q *question) answersOtherwise(c candidate, has, all float64, places [][2]int) bool {
	for term, rarity := range q.rarity {
		if !c.matched[term] && q.across[term] {
			all -= rarity
		}
	}
	for i, w := range q.words {
		if w.asks {
			continue
		}
		own, whole := q.within(w, &c)
		if whole == 0 {
			whole = ranking.Rarity(0, q.passages)
			all += whole
		}
		if c.said[i] > 0 {
			has += max(0, min(sameShare*c.said[i], whole-own))
			places = append(places, [2]int{w.start, w.end})
		}
	}
	return q.suffices(has, all, places, enoughSame, aloneSame)
}
