package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"fusebox/agent"
	"fusebox/agent/ranking"
	"fusebox/store/sqlite"
)

// comparison is what passages are compared with by meaning; the zero one with nothing.
type comparison struct {
	model    agent.VectorModel
	question ranking.Vector
	// alone leaves words out.
	alone bool
}

// FindByMeaning is FindPassages where passages also answer whose vectors of a model are near
// that of the question.
func (s *Passages) FindByMeaning(ctx context.Context, search agent.Search, model agent.VectorModel, question ranking.Vector) ([]agent.Found, error) {
	return s.findPassages(ctx, search, comparison{model: model, question: question})
}

// FindNearest is FindByMeaning by vectors alone.
func (s *Passages) FindNearest(ctx context.Context, search agent.Search, model agent.VectorModel, question ranking.Vector) ([]agent.Found, error) {
	return s.findPassages(ctx, search, comparison{model: model, question: question, alone: true})
}

// near is a passage, and how near it is.
type near struct {
	id         int64
	similarity float64
}

// nearest reads the passages of scopes that are near, the nearest first. All of their vectors
// are compared, one after the other.
func (c comparison) nearest(ctx context.Context, r sqlite.Reader, scopes string) ([]candidate, error) {
	if c.question == nil {
		return nil, nil
	}
	best, err := c.scan(ctx, r, scopes)
	if err != nil || len(best) == 0 {
		return nil, err
	}
	places, ids := map[int64]int{}, make([]int64, len(best))
	for i, n := range best {
		places[n.id], ids[i] = i, n.id
	}
	read, err := readPassages(ctx, r, ids)
	slices.SortFunc(read, func(a, b candidate) int { return cmp.Compare(places[a.id], places[b.id]) })
	return read, err
}

func (c comparison) scan(ctx context.Context, r sqlite.Reader, scopes string) (best []near, err error) {
	rows, err := r.QueryContext(ctx, vectorsOf, scopes, c.model.ID)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var vector sql.RawBytes
	for rows.Next() {
		var n near
		if err := rows.Scan(&n.id, &vector); err != nil {
			return nil, err
		}
		n.similarity = c.question.Similarity(ranking.Vector(vector))
		if n.similarity < c.model.Floor || len(best) == maxRead && n.similarity <= best[maxRead-1].similarity {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, n, func(a, b near) int { return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.id, b.id)) })
		best = slices.Insert(best[:min(len(best), maxRead-1)], at, n)
	}
	return best, rows.Err()
}

// vectorsOf are the vectors of scopes.
const vectorsOf = `SELECT v.passage_id, v.vector FROM json_each($1) AS j CROSS JOIN passages AS p CROSS JOIN passage_vectors AS v ON v.passage_id = p.id
	WHERE p.vector_model = $2 AND p.scope = j.value AND p.gone = 0`

// rankWeight is by how much the first ranks of a list count more than later ones: little,
// as usual (Cormack, Clarke, and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and
// individual Rank Learning Methods", 2009).
const rankWeight = 60

// fuse merges what words and what meanings have found, each the best first, by their ranks:
// their scores have no common measure.
func (q *question) fuse(words, near []candidate) []candidate {
	if len(near) == 0 {
		return words
	}
	scores := map[int64]float64{}
	for i := range words {
		scores[words[i].id] = 1 / float64(rankWeight+i+1)
	}
	all := words
	for i := range near {
		c := &near[i]
		if _, both := scores[c.id]; !both {
			q.judge(c)
			all = append(all, *c)
		}
		scores[c.id] += 1 / float64(rankWeight+i+1)
	}
	for i := range all {
		all[i].found.Score = scores[all[i].id]
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.found.Score, a.found.Score) })
	return all
}
