package passages

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"fusebox/agent"
	"fusebox/agent/ranking"
	"fusebox/store/sqlite"
)

// Vectors keeps vectors of passages, and the model that they are of.
type Vectors struct {
	db   *sqlite.DB
	book func(*sqlite.Tx, agent.Step) error
}

// NewVectors are the vectors of a database; book writes the line of the bill of a call that made some.
func NewVectors(db *sqlite.DB, book func(*sqlite.Tx, agent.Step) error) *Vectors {
	return &Vectors{db, book}
}

const vectorModelColumns = `id, model, dimension, floor, problem`

func scanVectorModel(r sqlite.Scanner) (m agent.VectorModel, err error) {
	err = r.Scan(&m.ID, &m.Model, &m.Dimension, &m.Floor, &m.Problem)
	return m, err
}

// UseVectorModel makes a model the one whose vectors are made and compared from now on, and
// forgets earlier ones that have no vectors any more; "" is none.
func (s *Vectors) UseVectorModel(ctx context.Context, model string) (m agent.VectorModel, err error) {
	known, err := sqlite.List(ctx, s.db, scanVectorModel, `SELECT `+vectorModelColumns+` FROM vector_models ORDER BY id DESC`)
	if err != nil || model == "" && len(known) == 0 {
		return m, err
	}
	if len(known) == 1 && known[0].Model == model {
		return known[0], nil
	}
	err = s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if len(known) == 0 || known[0].Model != model {
			if _, err := t.Exec(`INSERT INTO vector_models (model) VALUES ($1)`, model); err != nil {
				return err
			}
		}
		m, err = scanVectorModel(t.Row(`SELECT ` + vectorModelColumns + ` FROM vector_models ORDER BY id DESC LIMIT 1`))
		if err != nil {
			return err
		}
		_, err := t.Exec(`DELETE FROM vector_models WHERE id < $1 AND NOT EXISTS (SELECT 1 FROM passages WHERE vector_model = vector_models.id AND gone = 0)`, m.ID)
		return err
	})
	return m, err
}

// oldVectorsAtOnce is how many vectors one write drops.
const oldVectorsAtOnce = 64

// DropOldVectors drops some vectors of earlier models than one; more is true where there are
// others. Vectors of passages that are gone go with their texts.
func (s *Vectors) DropOldVectors(ctx context.Context, before int64) (more bool, err error) {
	err = s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		old, err := numbers(t, `SELECT id FROM passages WHERE vector_model > 0 AND vector_model < $1 AND gone = 0 LIMIT $2`, before, oldVectorsAtOnce)
		for _, id := range old {
			if err == nil {
				_, err = t.Exec(`DELETE FROM passage_vectors WHERE passage_id = $1`, id)
			}
			if err == nil {
				_, err = t.Exec(`UPDATE passages SET vector_model = 0 WHERE id = $1`, id)
			}
		}
		more = len(old) == oldVectorsAtOnce
		return err
	})
	return more, err
}

// VectorQueue are passages without a vector of one person: the one whose index is the next
// after a scope, in a circle. None where nobody has any.
func (s *Vectors) VectorQueue(ctx context.Context, after int64, limit int) (scope int64, userID string, passages []agent.VectorPassage, err error) {
	err = s.db.View(ctx, func(r sqlite.Reader) error {
		for from, circled := after, false; ; from = scope {
			err := r.QueryRowContext(ctx, `SELECT scope FROM passages WHERE vector_model = 0 AND gone = 0 AND scope > $1 ORDER BY scope LIMIT 1`, from).Scan(&scope)
			switch {
			case errors.Is(err, sql.ErrNoRows) && !circled:
				scope, circled = 0, true
				continue
			case errors.Is(err, sql.ErrNoRows) || err == nil && circled && scope > after:
				return nil
			case err != nil:
				return err
			}
			passages, err = sqlite.List(ctx, r, func(r sqlite.Scanner) (v agent.VectorPassage, err error) {
				var p passage
				err = r.Scan(&v.ID, &userID, &p.name, &p.headings, &p.head, &p.text)
				v.Text = p.all()
				return v, err
			}, `SELECT p.id, d.user_id, x.name, x.headings, x.head, x.text FROM passages AS p
				JOIN documents AS d ON d.id = p.document_id AND d.answers = p.version JOIN passage_texts AS x ON x.passage_id = p.id
				WHERE p.vector_model = 0 AND p.gone = 0 AND p.scope = $1 ORDER BY p.id LIMIT $2`, scope, limit)
			if err != nil || len(passages) > 0 {
				return err
			}
		}
	})
	return scope, userID, passages, err
}

// KeepVectors keeps what a model has made of passages, and books the call that made them. A
// passage without a vector is not embedded, and not tried again.
func (s *Vectors) KeepVectors(ctx context.Context, model int64, vectors map[int64]ranking.Vector, call agent.Step) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		for id, v := range vectors {
			n, err := t.Exec(`UPDATE passages SET vector_model = $1 WHERE id = $2 AND gone = 0`, model, id)
			if err != nil {
				return err
			}
			if n == 0 || v == nil { // it was deleted meanwhile, or is not embedded
				continue
			}
			if _, err := t.Exec(`INSERT OR REPLACE INTO passage_vectors (passage_id, vector) VALUES ($1, $2)`, id, []byte(v)); err != nil {
				return err
			}
		}
		if _, err := t.Exec(`UPDATE vector_models SET failures = 0 WHERE id = $1 AND failures > 0`, model); err != nil {
			return err
		}
		return s.book(t, call)
	})
}

// SetVectorModel keeps what has been measured of a model, and books the call.
func (s *Vectors) SetVectorModel(ctx context.Context, m agent.VectorModel, call agent.Step) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if _, err := t.Exec(`UPDATE vector_models SET dimension = $1, floor = $2, failures = 0 WHERE id = $3`, m.Dimension, m.Floor, m.ID); err != nil {
			return err
		}
		return s.book(t, call)
	})
}

// NoteVectorFailure counts a failure of a model in a row; after the last one of most it has the
// problem, and nothing is embedded until RetryVectorModel.
func (s *Vectors) NoteVectorFailure(ctx context.Context, id int64, problem string, most int) (failures int, err error) {
	err = s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		return t.Row(`UPDATE vector_models SET failures = failures + 1, problem = CASE WHEN failures + 1 >= $1 THEN $2 ELSE '' END WHERE id = $3 RETURNING failures`,
			most, problem, id).Scan(&failures)
	})
	return failures, err
}

// RetryVectorModel takes the problem of a model away.
func (s *Vectors) RetryVectorModel(ctx context.Context, id int64) error {
	return s.db.Exec(ctx, true, `UPDATE vector_models SET problem = '', failures = 0 WHERE id = $1`, id)
}

// CountVectors counts the passages of a person, or of all for "", and those that a model has embedded.
func (s *Vectors) CountVectors(ctx context.Context, model int64, userID string) (n agent.VectorCounts, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT COALESCE(SUM(passages), 0), COALESCE(SUM(length), 0),
		COALESCE(SUM((SELECT COUNT(*) FROM passages WHERE vector_model = $1 AND scope = passage_scopes.id AND gone = 0)), 0)
		FROM passage_scopes WHERE $2 IN ('', user_id)`, model, userID).Scan(&n.Passages, &n.Terms, &n.Embedded)
	return n, err
}

// HasVectors reports whether a model has embedded a passage that is open to a person and can be
// found now: none can while the index is being rebuilt.
func (s *Vectors) HasVectors(ctx context.Context, model int64, userID string) (has bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM passages WHERE vector_model = $1 AND gone = 0 AND scope IN
		(SELECT s.id FROM collection_rights o JOIN passage_scopes s ON s.collection_id = o.collection_id WHERE o.user_id = $2))
		AND NOT (`+isRebuilt+`)`,
		model, userID).Scan(&has)
	return has, err
}

// comparison is what passages are compared with by meaning; the zero one with nothing.
type comparison struct {
	model    agent.VectorModel
	question ranking.Vector
	// alone leaves words out.
	alone bool
}

// FindByMeaning is FindPassages where passages also answer whose vectors of a model are near
// that of the question.
func (s *Index) FindByMeaning(ctx context.Context, search agent.Search, model agent.VectorModel, question ranking.Vector) ([]agent.Found, error) {
	return s.findPassages(ctx, search, comparison{model: model, question: question})
}

// FindNearest is FindByMeaning by vectors alone.
func (s *Index) FindNearest(ctx context.Context, search agent.Search, model agent.VectorModel, question ranking.Vector) ([]agent.Found, error) {
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
