package store

import (
	"context"
	"database/sql"
	"errors"

	"fusebox/store/sqlite"
)

// reindexedAtOnce is how many passages of a document a step of Tidy puts into the index anew.
const reindexedAtOnce = 16

// reindexNext puts some passages of a document that was renamed, or moved to another collection,
// into the index anew. more is false where there was none.
func (s *Passages) reindexNext(ctx context.Context) (more bool, err error) {
	var id string
	const next = `SELECT id FROM documents WHERE renamed LIMIT 1`
	if err := s.db.QueryRowContext(ctx, next).Scan(&id); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return false, err
	}
	return true, s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		left, err := reindex(t, id, reindexedAtOnce)
		if err == nil && !left {
			_, err = t.Exec(`UPDATE documents SET renamed = FALSE WHERE id = $1`, id)
		}
		return err
	})
}

// reindex puts passages of a document that have another name than it, or are in the index of
// another collection, into the index anew, the first ones of what answers first; left is false
// where there were none. An index that is being rebuilt is left alone.
func reindex(t *sqlite.Tx, documentID string, most int) (left bool, err error) {
	var rebuilt bool
	if err := t.Row(isRebuilt).Scan(&rebuilt); err != nil || rebuilt {
		return true, err
	}
	var collectionID, ownerID string
	if err := t.Row(`SELECT collection_id, user_id FROM documents WHERE id = $1`, documentID).Scan(&collectionID, &ownerID); err != nil {
		return false, noDocument(err)
	}
	scope, err := scopeOf(t, collectionID, ownerID)
	if err != nil {
		return false, err
	}
	var passages []passage
	lengths := map[int64]int{}
	if err := t.Each(func(r sqlite.Scanner) error {
		var p passage
		var length int
		err := r.Scan(&p.id, &p.scope, &length, &p.name, &p.headings, &p.head, &p.text)
		passages, lengths[p.id] = append(passages, p), length
		return err
	}, `SELECT p.id, p.scope, p.length, d.name, x.headings, x.head, x.text FROM documents AS d CROSS JOIN passages AS p ON p.document_id = d.id
		JOIN passage_texts AS x ON x.passage_id = p.id WHERE d.id = $1 AND p.gone = 0 AND (x.name <> d.name OR p.scope <> $2) ORDER BY p.version, p.ordinal LIMIT $3`,
		documentID, scope, most); err != nil {
		return false, err
	}
	for _, p := range passages {
		terms, length := p.terms()
		for _, change := range []struct {
			query string
			args  []any
		}{
			{`DELETE FROM passage_index WHERE docid = $1`, []any{p.id}},
			{`INSERT INTO passage_index (docid, terms, scope) VALUES ($1, $2, $3)`, []any{p.id, terms, scope}},
			{`UPDATE passage_texts SET name = $1 WHERE passage_id = $2`, []any{p.name, p.id}},
			{`UPDATE passages SET length = $1, scope = $2 WHERE id = $3`, []any{length, scope, p.id}},
			// What it had before is in the index until its parts are merged.
			{`UPDATE passage_scopes SET residue = TRUE, passages = passages - 1, length = length - $1 WHERE id = $2`, []any{lengths[p.id], p.scope}},
			{`UPDATE passage_scopes SET passages = passages + 1, length = length + $1 WHERE id = $2`, []any{length, scope}},
		} {
			if _, err := t.Exec(change.query, change.args...); err != nil {
				return false, err
			}
		}
	}
	return len(passages) > 0, nil
}
