package store

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"fusebox/agent"
	"fusebox/agent/ranking"
	"fusebox/store/sqlite"
)

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
	names, err := toJSON(slices.Sorted(maps.Keys(wanted)))
	if err != nil {
		return q, err
	}
	known, err := sqlite.List(ctx, r, func(r sqlite.Scanner) (p phrase, err error) {
		p.terms = []string{""}
		return p, r.Scan(&p.terms[0], &p.passages)
	}, `SELECT v.term, SUM(v.documents) FROM json_each($1) AS s CROSS JOIN json_each($2) AS j CROSS JOIN passage_vocabulary AS v ON v.languageid = s.value AND v.term = j.value
		WHERE v.col = '*' GROUP BY v.term ORDER BY 2, v.term`, q.scopes, names)
	if err != nil {
		return q, err
	}
	q.choose(known, related)
	return q, nil
}

// scopesOf are the numbers of the indexes that a search reads, as JSON, those with the most
// passages first where they are too many, with how many passages they have and of which length.
func scopesOf(ctx context.Context, r sqlite.Reader, search agent.Search) (scopes string, passages int, length float64, err error) {
	var w where
	if err := w.chosen(search.UserID, search.In); err != nil {
		return "", 0, 0, err
	}
	w.also(`s.passages > 0`)
	ids, err := sqlite.List(ctx, r, func(r sqlite.Scanner) (id int64, err error) {
		var n int
		var l float64
		err = r.Scan(&id, &n, &l)
		passages, length = passages+n, length+l
		return id, err
	}, `SELECT s.id, s.passages, s.length FROM collection_rights o CROSS JOIN passage_scopes s ON s.collection_id = o.collection_id `+w.String()+
		w.param(` ORDER BY s.passages DESC, s.id LIMIT `, maxListedCollections), w.args...)
	if err == nil {
		scopes, err = toJSON(ids)
	}
	return scopes, passages, length, err
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
