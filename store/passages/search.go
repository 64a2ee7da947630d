package passages

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/ranking"
	"fusebox/store/sqlite"
)

// FindPassages finds the passages that answer a question, the best first, and none where nothing
// does. Whatever the question says is words. Invalid where it has none, Unavailable while the
// index is being rebuilt.
func (s *Index) FindPassages(ctx context.Context, search agent.Search) ([]agent.Found, error) {
	return s.findPassages(ctx, search, comparison{})
}

// findPassages reads the rights of the person and the passages in one snapshot: what is open to
// them, as it was at one moment.
func (s *Index) findPassages(ctx context.Context, search agent.Search, by comparison) (found []agent.Found, err error) {
	asked := ranking.Question(search.Query)
	if len(asked) == 0 {
		return nil, agent.Errorf(agent.Invalid, "There is no word to search for: the question contains only punctuation.")
	}
	related := ranking.FindRelated(search.Query)
	incomparable := false // which is no fault of the index
	err = s.db.View(ctx, func(r sqlite.Reader) error {
		if err := refuseRebuilding(ctx, r); err != nil {
			return err
		}
		q, err := newQuestion(ctx, r, search, asked, related)
		if err != nil || q.passages == 0 {
			return err
		}
		near, err := by.nearest(ctx, r, q.scopes)
		if err != nil {
			incomparable = true
			return err
		}
		if by.alone {
			found = q.best(nil, near, search.Limit)
			return nil
		}
		read, err := q.read(ctx, r)
		if err == nil || errors.Is(err, errNoTerms) {
			found = q.best(read, near, search.Limit)
		}
		return err
	})
	if err == nil || incomparable || agent.CodeOf(err) == agent.Unavailable {
		return found, err
	}
	damaged, failed := s.RebuildDamaged(ctx, err)
	switch {
	case failed != nil:
		return nil, failed
	case damaged:
		return nil, refuseRebuilding(ctx, s.db)
	case errors.Is(err, errNoTerms):
		return found, nil
	}
	return nil, err
}

// errNoTerms says that the index has no term of a question: none of the passages has, or it is damaged.
var errNoTerms = errors.New("no term of the question is in the index")

// read reads the passages that may answer by their words.
func (q *question) read(ctx context.Context, r sqlite.Reader) ([]candidate, error) {
	if len(q.phrases) == 0 {
		return nil, errNoTerms
	}
	ids, err := q.weigh(ctx, r)
	if err != nil {
		return nil, err
	}
	return readPassages(ctx, r, ids)
}

// weighed is a passage, and how well its rare terms answer.
type weighed struct {
	id    int64
	score float64
}

// weigh returns the passages whose phrases answer best.
func (q *question) weigh(ctx context.Context, r sqlite.Reader) ([]int64, error) {
	var hits []byte
	var match []string
	for _, p := range q.phrases {
		match = append(match, strings.Join(p.terms, " "))
	}
	all, err := sqlite.List(context.WithoutCancel(ctx), r, func(r sqlite.Scanner) (w weighed, err error) {
		var length float64
		if err = r.Scan(&w.id, &length, &hits); err != nil {
			return w, err
		}
		for i, p := range q.phrases {
			if n := binary.NativeEndian.Uint32(hits[4*i:]); n > 0 {
				w.score += p.rarity * ranking.Weight(float64(n), length, q.average)
			}
		}
		return w, nil
	}, `SELECT p.id, p.length, matchinfo(passage_index, 'y') FROM json_each($1) AS j CROSS JOIN passage_index CROSS JOIN passages AS p ON p.id = passage_index.docid
		JOIN documents AS d ON d.id = p.document_id AND d.answers = p.version
		WHERE passage_index MATCH $2 AND passage_index.scope = j.value AND p.gone = 0 ORDER BY passage_index.docid DESC LIMIT $3`,
		q.scopes, `"`+strings.Join(match, `" OR "`)+`"`, maxWeighed)
	slices.SortFunc(all, func(a, b weighed) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	var ids []int64
	for _, w := range all[:min(len(all), maxRead)] {
		ids = append(ids, w.id)
	}
	return ids, err
}

// readPassages reads those that are of the version of a document that answers, and in the index
// of the collection in which the document is now.
func readPassages(ctx context.Context, r sqlite.Reader, ids []int64) ([]candidate, error) {
	return sqlite.List(ctx, r, func(r sqlite.Scanner) (c candidate, err error) {
		f := &c.found
		err = r.Scan(&c.id, &f.PassageID, &f.DocumentID, &f.Name, &f.Version, &f.Start, &f.End, &f.Place, &c.name, &c.headings, &c.head, &c.text)
		return c, err
	}, `SELECT p.id, p.public_id, p.document_id, d.name, p.version, p.starts, p.ends, p.place, d.name, x.headings, x.head, x.text
		FROM json_each($1) AS j CROSS JOIN passages AS p ON p.id = j.value JOIN passage_texts AS x ON x.passage_id = p.id
		JOIN documents AS d ON d.id = p.document_id AND d.answers = p.version
		JOIN passage_scopes AS s ON s.id = p.scope AND s.collection_id = d.collection_id
		WHERE p.gone = 0 ORDER BY p.id`, string(agent.MustJSON(ids)))
}
