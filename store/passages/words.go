package passages

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/ranking"
	"fusebox/store/sqlite"
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

// The bounds of a search: the terms of a question that count, its words that others say the
// same as, and how many of these passages are looked for by; the passages that are weighed,
// and how many of these are read.
const (
	maxQuestion = 64
	maxRelated  = 24
	maxOthers   = 32
	maxWeighed  = 10_000
	maxRead     = 50
)

// commonShare is the share of the passages that a term may have that passages are
// looked for by: one in so many.
const commonShare = 5

// question is what is asked about the passages of some collections.
type question struct {
	terms    []ranking.Term
	words    []word
	across   map[string]bool // terms that are partly in a word, and partly outside
	scopes   string          // the numbers of their indexes, as JSON
	passages int
	average  float64 // length of a passage, in terms
	// rarity is how much each term tells, also one that no passage has.
	rarity map[string]float64
	// having is how many passages have each term that is asked for, and each of words that say the same.
	having map[string]int
	// phrases are what passages are looked for by: rare terms, and rare words that say the same.
	phrases []phrase
}

func newQuestion(ctx context.Context, r sqlite.Reader, search agent.Search, terms []ranking.Term, related []ranking.Related) (q question, err error) {
	q = question{terms: terms[:min(len(terms), maxQuestion)], rarity: map[string]float64{}}
	related = related[:min(len(related), maxRelated)]
	var length float64
	if q.scopes, q.passages, length, err = scopesOf(ctx, r, search); err != nil || q.passages == 0 {
		return q, err
	}
	q.average = max(1, length/float64(q.passages))
	wanted := map[string]bool{}
	for _, t := range q.terms {
		q.rarity[t.Text], wanted[t.Text] = ranking.Rarity(0, q.passages), true
	}
	for _, w := range related {
		for _, other := range w.Others {
			for _, term := range other {
				wanted[term] = true
			}
		}
	}
	known, err := sqlite.List(ctx, r, func(r sqlite.Scanner) (p phrase, err error) {
		p.terms = []string{""}
		err = r.Scan(&p.terms[0], &p.passages)
		return p, err
	}, `SELECT v.term, SUM(v.documents) FROM json_each($1) AS s CROSS JOIN json_each($2) AS j CROSS JOIN passage_vocabulary AS v ON v.languageid = s.value AND v.term = j.value
		WHERE v.col = '*' GROUP BY v.term ORDER BY 2, v.term`, q.scopes, string(agent.MustJSON(slices.Sorted(maps.Keys(wanted)))))
	if err != nil {
		return q, err
	}
	q.choose(known, related)
	return q, nil
}

// maxScopes bounds how many collections are searched at once.
const maxScopes = 500

// scopesOf are the numbers of the indexes that a search reads, as JSON, those with the most
// passages first where they are too many, with how many passages they have and of which length.
func scopesOf(ctx context.Context, r sqlite.Reader, search agent.Search) (scopes string, passages int, length float64, err error) {
	which, args := `o.user_id = $1`, []any{search.UserID}
	if !search.In.All() {
		which += ` AND o.collection_id IN (SELECT value FROM json_each($2))`
		args = append(args, string(agent.MustJSON(search.In.IDs(search.UserID))))
	}
	args = append(args, maxScopes)
	ids, err := sqlite.List(ctx, r, func(r sqlite.Scanner) (id int64, err error) {
		var n int
		var l float64
		err = r.Scan(&id, &n, &l)
		passages, length = passages+n, length+l
		return id, err
	}, `SELECT s.id, s.passages, s.length FROM collection_rights o CROSS JOIN passage_scopes s ON s.collection_id = o.collection_id WHERE `+which+
		` AND s.passages > 0 ORDER BY s.passages DESC, s.id LIMIT $`+strconv.Itoa(len(args)), args...)
	return string(agent.MustJSON(ids)), passages, length, err
}

// choose takes the phrases by which passages are looked for, of those that there are: the
// terms of the question, then what says the same, each the rarest first, as many as are
// weighed soon enough. Common ones are taken only where there is nothing rarer.
func (q *question) choose(known []phrase, related []ranking.Related) {
	q.having = map[string]int{}
	var asked []phrase
	for _, k := range known {
		term := k.terms[0]
		q.having[term] = k.passages
		if _, ok := q.rarity[term]; ok {
			k.rarity = ranking.Rarity(min(k.passages, q.passages), q.passages)
			q.rarity[term] = k.rarity
			asked = append(asked, k)
		}
	}
	others := q.addWords(related)
	slices.SortStableFunc(others, func(a, b phrase) int { return cmp.Compare(a.passages, b.passages) })
	weighed := q.take(asked, 0, maxWeighed)
	q.take(others[:min(len(others), maxOthers)], weighed, maxWeighed/2)
}

// take adds phrases by which passages are looked for, while no more than most are weighed.
func (q *question) take(phrases []phrase, weighed, most int) int {
	for _, p := range phrases {
		common := p.passages > max(q.passages/commonShare, maxRead)
		if len(q.phrases) == 0 || weighed+p.passages <= most && !common {
			weighed += p.passages
			q.phrases = append(q.phrases, p)
		}
	}
	return weighed
}
