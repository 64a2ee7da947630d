package passages

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Sizes of a step of Tidy: the passages that it takes out of the index, and the pages that
// it writes to merge parts of the index. Runs wait for a step.
const (
	tidyPassages = 16
	tidyPages    = 64
)

// Tidy takes some of what was removed out of the index, puts what was renamed or moved into it anew, or does a step of
// rebuilding it, in one short write. more is true where it is to be called again; once it is false, Erase takes the
// rest out of the files.
func (s *Index) Tidy(ctx context.Context) (more bool, err error) {
	if more, err = s.rebuild(ctx); err != nil || more {
		return more, err
	}
	if more, err = s.reindexNext(ctx); err == nil && !more {
		more, err = s.tidy(ctx)
	}
	if err == nil {
		return more, nil
	}
	damaged, failed := s.RebuildDamaged(ctx, err)
	if damaged {
		err = nil
	}
	return damaged, errors.Join(err, failed)
}

func (s *Index) tidy(ctx context.Context) (more bool, err error) {
	var residue bool
	if err := s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM passage_scopes WHERE residue)`).Scan(&residue); err != nil || !residue {
		return false, err
	}
	err = s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		gone, err := numbers(t, `SELECT id FROM passages WHERE gone = 1 ORDER BY id LIMIT $1`, tidyPassages)
		if err != nil {
			return err
		}
		if len(gone) > 0 {
			more = true
			return takeOut(t, gone)
		}
		more, err = mergeIndex(t)
		return err
	})
	if err == nil && !more {
		s.db.NoteDeletion()
	}
	return more, err
}

// takeOut takes passages out of the index and the tables.
func takeOut(t *sqlite.Tx, gone []int64) error {
	for _, id := range gone {
		if err := t.ExecEach([]any{id},
			`DELETE FROM passage_index WHERE docid = $1`,
			`DELETE FROM passage_texts WHERE passage_id = $1`,
			// Of what was deleted, or has never answered, nothing is cited.
			`DELETE FROM passages WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM documents WHERE documents.id = passages.document_id AND answers >= version)`,
			`UPDATE passages SET gone = 2 WHERE id = $1`); err != nil {
			return err
		}
	}
	return nil
}

// mergeIndex does a step of merging the parts of the index. What was taken out is in it
// until its scope is one part. more is false once no scope has residue.
func mergeIndex(t *sqlite.Tx) (more bool, err error) {
	if err := dropEmpty(t); err != nil {
		return false, err
	}
	var before, after int
	if err := t.Row(`SELECT total_changes()`).Scan(&before); err != nil {
		return false, err
	}
	if _, err := t.Exec(fmt.Sprintf(`INSERT INTO passage_index (passage_index) VALUES ('merge=%d,2')`, tidyPages)); err != nil {
		return false, err
	}
	if err := t.Row(`SELECT total_changes()`).Scan(&after); err != nil || after-before > 1 { // the statement itself counts as one
		return true, err
	}
	var scope int64
	err = t.Row(`SELECT id FROM passage_scopes WHERE residue ORDER BY id LIMIT 1`).Scan(&scope)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, levelParts(t, scope)
}

// dropEmpty drops the parts of scopes that have no passage any more: merging leaves of the last
// ones that they were deleted. Those of people and collections that were removed are dropped themselves.
func dropEmpty(t *sqlite.Tx) error {
	empty, err := numbers(t, `SELECT id FROM passage_scopes WHERE residue AND passages = 0`)
	if err != nil {
		return err
	}
	for _, scope := range empty {
		first, last := scope*scopeLevels, (scope+1)*scopeLevels-1
		// Behind its number the last block has the size of all of them.
		ends, err := numbers(t, `SELECT CAST(end_block AS INTEGER) FROM passage_index_segdir WHERE level BETWEEN $1 AND $2 AND start_block > 0 ORDER BY start_block`, first, last)
		if err != nil {
			return err
		}
		starts, err := numbers(t, `SELECT start_block FROM passage_index_segdir WHERE level BETWEEN $1 AND $2 AND start_block > 0 ORDER BY start_block`, first, last)
		if err != nil {
			return err
		}
		for i, start := range starts {
			if _, err := t.Exec(`DELETE FROM passage_index_segments WHERE blockid BETWEEN $1 AND $2`, start, ends[i]); err != nil {
				return err
			}
		}
		if _, err := t.Exec(`DELETE FROM passage_index_segdir WHERE level BETWEEN $1 AND $2`, first, last); err != nil {
			return err
		}
		if _, err := t.Exec(`UPDATE passage_scopes SET residue = FALSE WHERE id = $1`, scope); err != nil {
			return err
		}
		if _, err := t.Exec(`DELETE FROM passage_scopes WHERE id = $1 AND collection_id NOT IN (SELECT id FROM users UNION ALL SELECT id FROM collections)`, scope); err != nil {
			return err
		}
	}
	return nil
}

// numbers are those that a statement returns.
func numbers(t *sqlite.Tx, query string, args ...any) ([]int64, error) {
	return sqlite.ListIn(t, func(r sqlite.Scanner) (n int64, err error) {
		err = r.Scan(&n)
		return n, err
	}, query, args...)
}

// scopeLevels is how many levels of parts each scope has in the index, mergeLevel the one
// on which all of its parts are merged.
const scopeLevels, mergeLevel = 1024, 6

// levelParts puts the parts of a scope that are on levels of their own, and therefore not
// merged, on one level, the oldest first. A scope of one part has no residue.
func levelParts(t *sqlite.Tx, scope int64) error {
	first := scope * scopeLevels
	parts, err := numbers(t, `SELECT rowid FROM passage_index_segdir WHERE level BETWEEN $1 AND $2 ORDER BY level DESC, idx`, first, first+scopeLevels-1)
	if err != nil {
		return err
	}
	if len(parts) <= 1 {
		_, err := t.Exec(`UPDATE passage_scopes SET residue = FALSE WHERE id = $1`, scope)
		return err
	}
	if _, err := t.Exec(`UPDATE passage_index_segdir SET level = -level WHERE level BETWEEN $1 AND $2`, first, first+scopeLevels-1); err != nil {
		return err
	}
	for i, id := range parts {
		if _, err := t.Exec(`UPDATE passage_index_segdir SET level = $1, idx = $2 WHERE rowid = $3`, first+mergeLevel, i, id); err != nil {
			return err
		}
	}
	return nil
}

// reindexedAtOnce is how many passages of a document a step of Tidy puts into the index anew.
const reindexedAtOnce = 16

// reindexNext puts some passages of a document that was renamed, or moved to another collection,
// into the index anew. more is false where there was none.
func (s *Index) reindexNext(ctx context.Context) (more bool, err error) {
	var id string
	if err := s.db.QueryRowContext(ctx, `SELECT id FROM documents WHERE renamed LIMIT 1`).Scan(&id); err != nil {
		return false, sqlite.OrNone(err)
	}
	return true, s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		left, err := reindex(t, id, reindexedAtOnce)
		if err == nil && !left {
			_, err = t.Exec(`UPDATE documents SET renamed = FALSE WHERE id = $1`, id)
		}
		return err
	})
}

// Reindex makes a change that gives a document another name, or moves it to another collection,
// and puts its first passages, at most so many, into the index anew in the same write; Tidy comes
// to the others.
func (s *Index) Reindex(ctx context.Context, documentID string, most int, change func(*sqlite.Tx) error) error {
	return s.mending(ctx, func() error {
		return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
			if err := change(t); err != nil {
				return err
			}
			_, err := reindex(t, documentID, most)
			return err
		})
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
		return false, sqlite.NotFound(err, agent.NoDocument)
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
