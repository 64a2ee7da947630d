package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/ranking"
	"fusebox/store/sqlite"
)

// The bounds of a search: the terms of a question that count, the passages that are weighed
// by their rare terms, and how many of these are read.
const (
	maxQuestion = 64
	maxWeighed  = 10_000
	maxRead     = 50
)

// commonShare is the share of a person's passages that a term may have that passages are
// looked for by: one in so many.
const commonShare = 5

// FindPassages finds the passages of a person's documents that answer a question, the best
// first, and none where nothing does. Whatever the question says is words. Invalid where
// it has none.
func (s *Passages) FindPassages(ctx context.Context, userID, query string, limit int) ([]agent.Found, error) {
	return s.findPassages(ctx, userID, query, limit, comparison{})
}

func (s *Passages) findPassages(ctx context.Context, userID, query string, limit int, by comparison) (found []agent.Found, err error) {
	asked := ranking.Question(query)
	if len(asked) == 0 {
		return nil, agent.Errorf(agent.Invalid, "There is no word to search for: the question contains only punctuation.")
	}
	err = s.db.View(ctx, func(r sqlite.Reader) error {
		q, err := newQuestion(ctx, r, userID, asked)
		if err != nil {
			return err
		}
		read, err := q.read(ctx, r, userID)
		if err != nil {
			return err
		}
		near, err := by.nearest(ctx, r, q.scope, userID)
		if err == nil {
			found = q.best(read, near, limit)
		}
		return err
	})
	return found, err
}

// read reads the passages that may answer by their words.
func (q *question) read(ctx context.Context, r sqlite.Reader, userID string) ([]candidate, error) {
	if len(q.rare) == 0 {
		return nil, nil
	}
	ids, err := q.weigh(ctx, r)
	if err != nil {
		return nil, err
	}
	return readPassages(ctx, r, ids, userID)
}

// question is what is asked about the passages of a person.
type question struct {
	terms    []ranking.Term
	scope    int64
	passages int
	average  float64 // length of a passage, in terms
	// rarity is how much each term tells, also one that no passage has.
	rarity map[string]float64
	// rare are the terms by which passages are looked for.
	rare []string
}

func newQuestion(ctx context.Context, r sqlite.Reader, userID string, terms []ranking.Term) (q question, err error) {
	q = question{terms: terms[:min(len(terms), maxQuestion)], rarity: map[string]float64{}}
	var length float64
	if err := r.QueryRowContext(ctx, `SELECT COALESCE(MAX(id), 0), COALESCE(SUM(passages), 0), COALESCE(SUM(length), 0) FROM passage_scopes WHERE user_id = $1`, userID).
		Scan(&q.scope, &q.passages, &length); err != nil || q.passages == 0 {
		return q, err
	}
	q.average = max(1, length/float64(q.passages))
	for _, t := range q.terms {
		q.rarity[t.Text] = ranking.Rarity(0, q.passages)
	}
	names, err := toJSON(slices.Sorted(maps.Keys(q.rarity)))
	if err != nil {
		return q, err
	}
	known, err := sqlite.List(ctx, r, func(r sqlite.Scanner) (k knownTerm, err error) {
		return k, r.Scan(&k.term, &k.passages)
	}, `SELECT v.term, v.documents FROM json_each($1) AS j CROSS JOIN passage_vocabulary AS v ON v.term = j.value
		WHERE v.languageid = $2 AND v.col = '*' ORDER BY v.documents, v.term`, names, q.scope)
	if err != nil {
		return q, err
	}
	q.choose(known)
	return q, nil
}

// knownTerm is a term of a question, and the number of passages that have it.
type knownTerm struct {
	term     string
	passages int
}

// choose takes the terms by which passages are looked for, of those that there are, the
// rarest first: as many as are weighed soon enough. Common ones are taken only where
// there is nothing rarer.
func (q *question) choose(known []knownTerm) {
	weighed := 0
	for i, k := range known {
		q.rarity[k.term] = ranking.Rarity(min(k.passages, q.passages), q.passages)
		weighed += k.passages
		common := k.passages > max(q.passages/commonShare, maxRead)
		if i == 0 || weighed <= maxWeighed && !common {
			q.rare = append(q.rare, k.term)
		}
	}
}

// weighed is a passage, and how well its rare terms answer.
type weighed struct {
	id    int64
	score float64
}

// weigh returns the passages whose rare terms answer best.
func (q *question) weigh(ctx context.Context, r sqlite.Reader) ([]int64, error) {
	var hits []byte
	all, err := sqlite.List(context.WithoutCancel(ctx), r, func(r sqlite.Scanner) (w weighed, err error) {
		var length float64
		if err = r.Scan(&w.id, &length, &hits); err != nil {
			return w, err
		}
		for i, term := range q.rare {
			if n := binary.NativeEndian.Uint32(hits[4*i:]); n > 0 {
				w.score += q.rarity[term] * ranking.Weight(float64(n), length, q.average)
			}
		}
		return w, nil
	}, `SELECT p.id, p.length, matchinfo(passage_index, 'y') FROM passage_index CROSS JOIN passages AS p ON p.id = passage_index.docid
		JOIN documents AS d ON d.id = p.document_id AND d.answers = p.version
		WHERE passage_index MATCH $1 AND passage_index.scope = $2 AND p.gone = 0 ORDER BY passage_index.docid DESC LIMIT $3`,
		`"`+strings.Join(q.rare, `" OR "`)+`"`, q.scope, maxWeighed)
	slices.SortFunc(all, func(a, b weighed) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	var ids []int64
	for _, w := range all[:min(len(all), maxRead)] {
		ids = append(ids, w.id)
	}
	return ids, err
}

// readPassages reads those that are of the version of a document that answers.
func readPassages(ctx context.Context, r sqlite.Reader, ids []int64, userID string) ([]candidate, error) {
	list, err := toJSON(ids)
	if err != nil {
		return nil, err
	}
	return sqlite.List(ctx, r, func(r sqlite.Scanner) (c candidate, err error) {
		f := &c.found
		err = r.Scan(&c.id, &f.PassageID, &f.DocumentID, &f.Name, &f.Version, &f.Start, &f.End, &f.Section, &f.Place, &c.name, &c.headings, &c.head, &c.text)
		return c, err
	}, `SELECT p.id, p.public_id, p.document_id, d.name, p.version, p.starts, p.ends, p.section, p.place, x.name, x.headings, x.head, x.text
		FROM json_each($1) AS j CROSS JOIN passages AS p ON p.id = j.value JOIN passage_texts AS x ON x.passage_id = p.id
		JOIN documents AS d ON d.id = p.document_id AND d.answers = p.version
		WHERE d.user_id = $2 AND p.gone = 0 ORDER BY p.id`, list, userID)
}

// Passage is where a passage of one of the person's documents is: its document, version, and
// bytes there, without its text.
func (s *Passages) Passage(ctx context.Context, userID, id string) (f agent.Found, err error) {
	f.PassageID = id
	row := s.db.QueryRowContext(ctx, `SELECT p.document_id, d.name, p.version, p.starts, p.ends, p.section, p.place
		FROM passages AS p JOIN documents AS d ON d.id = p.document_id WHERE p.public_id = $1 AND d.user_id = $2`, id, userID)
	return f, noDocument(row.Scan(&f.DocumentID, &f.Name, &f.Version, &f.Start, &f.End, &f.Section, &f.Place))
}
