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
	if err := t.Row(`SELECT COUNT(*) FROM passages WHERE document_id = $1 AND version = $2 AND NOT gone`, d.ID, d.Version).Scan(&before); err != nil {
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
	err = t.Row(`INSERT INTO passages (public_id, scope, document_id, version, ordinal, starts, ends, section, length, place)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`,
		"p"+t.NewID(), entry.scope, d.ID, d.Version, ordinal, p.Start, p.End, p.Section, length, entry.place).Scan(&entry.id)
	if err != nil {
		return 0, err
	}
	if _, err := t.Exec(`INSERT INTO passage_texts (passage_id, name, headings, head, text) VALUES ($1, $2, $3, $4, $5)`,
		entry.id, entry.name, entry.headings, entry.head, entry.text); err != nil {
		return 0, err
	}
	_, err = t.Exec(`INSERT INTO passage_index (docid, terms, scope) VALUES ($1, $2, $3)`, entry.id, terms, entry.scope)
	return length, err
}

// Remove takes the passages of all versions of a document but one out of what is found; of
// all versions for 0. Tidy takes their bytes out of the database.
func (s *Passages) Remove(t *sqlite.Tx, documentID string, but int) error {
	if _, err := t.Exec(`UPDATE passage_scopes SET residue = TRUE, passages = passage_scopes.passages - g.n, length = passage_scopes.length - g.length
		FROM (SELECT scope, COUNT(*) AS n, SUM(length) AS length FROM passages WHERE document_id = $1 AND version <> $2 AND NOT gone GROUP BY scope) AS g
		WHERE passage_scopes.id = g.scope`, documentID, but); err != nil {
		return err
	}
	for _, change := range []string{
		`UPDATE passage_texts SET gone = TRUE WHERE passage_id IN (SELECT id FROM passages WHERE document_id = $1 AND version <> $2 AND NOT gone)`,
		`UPDATE passages SET gone = TRUE WHERE document_id = $1 AND version <> $2 AND NOT gone`,
	} {
		if _, err := t.Exec(change, documentID, but); err != nil {
			return err
		}
	}
	return nil
}

// removeAll is Remove for a document that is deleted: of earlier versions, no row is left.
func (s *Passages) removeAll(t *sqlite.Tx, documentID string) error {
	if err := s.Remove(t, documentID, 0); err != nil {
		return err
	}
	_, err := t.Exec(`DELETE FROM passages WHERE document_id = $1 AND NOT EXISTS (SELECT 1 FROM passage_texts WHERE passage_id = passages.id)`, documentID)
	return err
}

// Sizes of a step of Tidy: the passages that it takes out of the index, and the pages that
// it writes to merge parts of the index. Runs wait for a step.
const (
	tidyPassages = 16
	tidyPages    = 64
)

// Tidy takes some of what was removed out of the index, in one short write. more is true
// where it is to be called again; once it is false, Erase takes the rest out of the files.
func (s *Passages) Tidy(ctx context.Context) (more bool, err error) {
	var residue bool
	if err := s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM passage_scopes WHERE residue)`).Scan(&residue); err != nil || !residue {
		return false, err
	}
	err = s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		var gone []int64
		if err := t.Each(func(r sqlite.Scanner) error {
			var id int64
			err := r.Scan(&id)
			gone = append(gone, id)
			return err
		}, `SELECT passage_id FROM passage_texts WHERE gone ORDER BY passage_id LIMIT $1`, tidyPassages); err != nil {
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
			`DELETE FROM passages WHERE id = $1 AND document_id NOT IN (SELECT id FROM documents)`,
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

// scopeLevels is how many levels of parts each scope has in the index, mergeLevel the one
// on which all of its parts are merged.
const scopeLevels, mergeLevel = 1024, 6

// levelParts puts the parts of a scope that are on levels of their own, and therefore not
// merged, on one level, the oldest first. A scope of one part has no residue.
func levelParts(t *sqlite.Tx, scope int64) error {
	first := scope * scopeLevels
	var parts []int64
	if err := t.Each(func(r sqlite.Scanner) error {
		var id int64
		err := r.Scan(&id)
		parts = append(parts, id)
		return err
	}, `SELECT rowid FROM passage_index_segdir WHERE level BETWEEN $1 AND $2 ORDER BY level DESC, idx`, first, first+scopeLevels-1); err != nil {
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
