package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"fusebox/agent"
	"fusebox/agent/ranking"
	"fusebox/store/sqlite"
)

// Passages keeps the passages of documents, and an index of their terms for each person.
type Passages struct{ *core }

// passage is what a passage is found by.
type passage struct {
	id, scope                         int64
	name, headings, head, text, place string
}

// all is the text with what stands above it.
func (p passage) all() string {
	return p.name + "\n" + p.headings + "\n" + p.head + "\n" + p.text
}

// terms are those of a passage as the index takes them, and how many there are.
func (p passage) terms() (string, int) {
	terms := ranking.Terms(p.all())
	var b strings.Builder
	for _, t := range terms {
		b.WriteString(t.Text)
		b.WriteByte(' ')
	}
	return b.String(), len(terms)
}

// Index adds passages of a document's version, with the document's name and headings. Those
// of a large document are added in parts, in their order: they are found once the version
// is the one that answers.
func (s *Passages) Index(t *sqlite.Tx, d agent.Document, text string, passages []agent.Passage) error {
	if len(passages) == 0 {
		return nil
	}
	scope, err := scopeOf(t, d.UserID)
	if err != nil {
		return err
	}
	var before, all int
	if err := t.Row(`SELECT COUNT(*) FROM passages WHERE document_id = $1 AND version = $2 AND gone = 0`, d.ID, d.Version).Scan(&before); err != nil {
		return err
	}
	for i, p := range passages {
		entry := passage{scope: scope, name: d.Name, text: text[p.Start:p.End]}
		if p.Section < len(d.Reading.Sections) {
			section := d.Reading.Sections[p.Section]
			entry.headings, entry.place = strings.Join(section.Headings, "\n"), section.Place(d.Reading.Type)
			if !strings.Contains(entry.text, section.Head) {
				entry.head = section.Head
			}
		}
		length, err := insertPassage(t, d, before+i, p, entry)
		if err != nil {
			return err
		}
		all += length
	}
	_, err = t.Exec(`UPDATE passage_scopes SET passages = passages + $1, length = length + $2 WHERE id = $3`, len(passages), all, scope)
	return err
}

// scopeOf is the number of a person's index.
func scopeOf(t *sqlite.Tx, userID string) (id int64, err error) {
	err = t.Row(`INSERT INTO passage_scopes (user_id) VALUES ($1) ON CONFLICT (user_id) DO UPDATE SET user_id = user_id RETURNING id`, userID).Scan(&id)
	return id, err
}

func insertPassage(t *sqlite.Tx, d agent.Document, ordinal int, p agent.Passage, entry passage) (length int, err error) {
	terms, length := entry.terms()
	err = t.Row(`INSERT INTO passages (public_id, scope, document_id, version, ordinal, starts, ends, length, place)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
		"p"+t.NewID(), entry.scope, d.ID, d.Version, ordinal, p.Start, p.End, length, entry.place).Scan(&entry.id)
	if err != nil {
		return 0, err
	}
	if _, err := t.Exec(`INSERT INTO passage_texts (passage_id, name, headings, head, text) VALUES ($1, $2, $3, $4, $5)`,
		entry.id, entry.name, entry.headings, entry.head, entry.text); err != nil {
		return 0, err
	}
	// A rebuild comes to it, since it takes passages in the order of their ids.
	var rebuilt bool
	if err := t.Row(isRebuilt).Scan(&rebuilt); err != nil || rebuilt {
		return length, err
	}
	_, err = t.Exec(`INSERT INTO passage_index (docid, terms, scope) VALUES ($1, $2, $3)`, entry.id, terms, entry.scope)
	return length, err
}

// Remove takes the passages of all versions of a document but one out of what is found; of
// all versions for 0. Tidy takes their bytes out of the database.
func (s *Passages) Remove(t *sqlite.Tx, documentID string, but int) error {
	if _, err := t.Exec(`UPDATE passage_scopes SET residue = TRUE, passages = passage_scopes.passages - g.n, length = passage_scopes.length - g.length
		FROM (SELECT scope, COUNT(*) AS n, SUM(length) AS length FROM passages WHERE document_id = $1 AND version <> $2 AND gone = 0 GROUP BY scope) AS g
		WHERE passage_scopes.id = g.scope`, documentID, but); err != nil {
		return err
	}
	_, err := t.Exec(`UPDATE passages SET gone = 1 WHERE document_id = $1 AND version <> $2 AND gone = 0`, documentID, but)
	return err
}

// removeAll is Remove for a document that is deleted: of earlier versions, no row is left.
func (s *Passages) removeAll(t *sqlite.Tx, documentID string) error {
	if err := s.Remove(t, documentID, 0); err != nil {
		return err
	}
	_, err := t.Exec(`DELETE FROM passages WHERE document_id = $1 AND gone = 2`, documentID)
	return err
}

// removeVersion is Remove for a version that will have another text: its passages belong to no
// document any more, so that what cites them leads to the document, not to places of what is gone.
func (s *Passages) removeVersion(t *sqlite.Tx, documentID string, version int) error {
	if err := s.Remove(t, documentID, 0); err != nil {
		return err
	}
	_, err := t.Exec(`UPDATE passages SET document_id = '' WHERE document_id = $1 AND version = $2`, documentID, version)
	return err
}

// removePassages is removeAll for all documents of a person who is removed.
func removePassages(t *sqlite.Tx, userID string) error {
	for _, change := range []string{
		`DELETE FROM passages WHERE gone = 2 AND document_id IN (SELECT id FROM documents WHERE user_id = $1)`,
		`UPDATE passages SET gone = 1 WHERE gone = 0 AND document_id IN (SELECT id FROM documents WHERE user_id = $1)`,
		`UPDATE passage_scopes SET residue = TRUE, passages = 0, length = 0 WHERE user_id = $1`,
	} {
		if _, err := t.Exec(change, userID); err != nil {
			return err
		}
	}
	return nil
}

// Sizes of a step of Tidy: the passages that it takes out of the index, and the pages that
// it writes to merge parts of the index. Runs wait for a step.
const (
	tidyPassages = 16
	tidyPages    = 64
)

// Tidy takes some of what was removed out of the index, puts new names into it, or does a step of
// rebuilding it, in one short write. more is true where it is to be called again; once it is false, Erase takes the
// rest out of the files.
func (s *Passages) Tidy(ctx context.Context) (more bool, err error) {
	if more, err = s.rebuild(ctx); err != nil || more {
		return more, err
	}
	if more, err = s.renameNext(ctx); err == nil && !more {
		more, err = s.tidy(ctx)
	}
	if err == nil {
		return more, nil
	}
	damaged, failed := s.rebuildDamaged(ctx, err)
	if damaged {
		err = nil
	}
	return damaged, errors.Join(err, failed)
}

func (s *Passages) tidy(ctx context.Context) (more bool, err error) {
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
		for _, change := range []string{
			`DELETE FROM passage_index WHERE docid = $1`,
			`DELETE FROM passage_texts WHERE passage_id = $1`,
			// Of what was deleted, or has never answered, nothing is cited.
			`DELETE FROM passages WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM documents WHERE documents.id = passages.document_id AND answers >= version)`,
			`UPDATE passages SET gone = 2 WHERE id = $1`,
		} {
			if _, err := t.Exec(change, id); err != nil {
				return err
			}
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
// ones that they were deleted. Those of people who were removed are dropped themselves.
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
		if _, err := t.Exec(`DELETE FROM passage_scopes WHERE id = $1 AND user_id NOT IN (SELECT id FROM users)`, scope); err != nil {
			return err
		}
	}
	return nil
}

// numbers are those that a statement returns.
func numbers(t *sqlite.Tx, query string, args ...any) (all []int64, err error) {
	err = t.Each(func(r sqlite.Scanner) error {
		var n int64
		err := r.Scan(&n)
		all = append(all, n)
		return err
	}, query, args...)
	return all, err
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
