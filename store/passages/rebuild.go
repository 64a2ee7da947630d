package passages

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"fusebox/agent"
	"fusebox/agent/ranking"
	"fusebox/store/sqlite"
)

// indexTables are those that the full-text table keeps its terms in.
var indexTables = []string{"passage_index_segments", "passage_index_content", "passage_index_segdir", "passage_index_stat"}

// Sizes of a step of a rebuild: rows of the old index that go, and passages that come in.
const (
	emptiedRows   = 64
	rebuiltAtOnce = 32
)

// isRebuilt asks whether the index is being rebuilt.
const isRebuilt = `SELECT EXISTS (SELECT 1 FROM passage_rebuild)`

// Rebuilding is how far the index has been rebuilt, nil where it is whole.
func Rebuilding(ctx context.Context, r sqlite.Reader) (*agent.IndexRebuild, error) {
	var b agent.IndexRebuild
	err := r.QueryRowContext(ctx, `SELECT done, (SELECT COALESCE(SUM(passages), 0) FROM passage_scopes) FROM passage_rebuild`).Scan(&b.Done, &b.Passages)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	b.Done = min(b.Done, b.Passages)
	return &b, err
}

// refuseRebuilding is Unavailable while the index is being rebuilt.
func refuseRebuilding(ctx context.Context, r sqlite.Reader) error {
	b, err := Rebuilding(ctx, r)
	if err != nil || b == nil {
		return err
	}
	return agent.Errorf(agent.Unavailable, "The index of the documents is being rebuilt: %d of %d passages are done. Search again in a while.", b.Done, b.Passages)
}

// RebuildDamaged has the index be rebuilt where an error, or a look at it, says that it is
// damaged, and reports whether it was. One that is locked is not.
func (s *Index) RebuildDamaged(ctx context.Context, why error) (bool, error) {
	if !sqlite.IsCorrupt(why) {
		damage, err := s.damage(ctx)
		if err != nil || damage == "" {
			return false, err
		}
		why = errors.Join(why, errors.New(damage))
	}
	return true, s.RebuildIndex(ctx, why)
}

// mending makes a change again where it failed because the index is damaged: what is changed
// while the index is rebuilt is put into it by that.
func (s *Index) mending(ctx context.Context, change func() error) error {
	err := change()
	if err == nil {
		return nil
	}
	if damaged, failed := s.RebuildDamaged(ctx, err); failed != nil || !damaged {
		return errors.Join(err, failed)
	}
	return change()
}

// RebuildIndex has the index be rebuilt, by Tidy.
func (s *Index) RebuildIndex(ctx context.Context, why error) error {
	s.log.Error("the index of documents is damaged and is rebuilt", "error", why)
	return s.db.Exec(ctx, true, `INSERT INTO passage_rebuild (id) VALUES (1) ON CONFLICT DO NOTHING`)
}

// damage is what a quick look finds wrong with an index that is not being rebuilt, "" for nothing: missing tables, a
// person without terms, passages without terms, or terms that cannot be read.
func (s *Index) damage(ctx context.Context) (found string, err error) {
	err = s.db.View(ctx, func(r sqlite.Reader) error {
		var rebuilt bool
		if err := r.QueryRowContext(ctx, isRebuilt).Scan(&rebuilt); err != nil || rebuilt {
			return err
		}
		var tables int
		if err := r.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_master WHERE name IN ('passage_index', '`+strings.Join(indexTables, `', '`)+`')`).Scan(&tables); err != nil {
			return err
		}
		if tables <= len(indexTables) {
			found = "tables are missing"
			return nil
		}
		for _, look := range []struct{ query, finds string }{
			{`SELECT EXISTS (SELECT 1 FROM passage_scopes AS s WHERE length > 0 AND NOT EXISTS
				(SELECT 1 FROM passage_index_segdir WHERE level BETWEEN s.id * 1024 AND s.id * 1024 + 1023))`, "a person has no terms"},
			{`SELECT EXISTS (SELECT 1 FROM (SELECT id FROM passages WHERE gone = 0 ORDER BY id LIMIT 1)
				WHERE id NOT IN (SELECT docid FROM passage_index_content))`, "the first passage is missing"},
			{`SELECT EXISTS (SELECT 1 FROM (SELECT id FROM passages WHERE gone = 0 ORDER BY id DESC LIMIT 1)
				WHERE id NOT IN (SELECT docid FROM passage_index_content))`, "the last passage is missing"},
		} {
			var wrong bool
			if err := r.QueryRowContext(ctx, look.query).Scan(&wrong); err != nil {
				return err
			}
			if wrong {
				found = look.finds
				return nil
			}
		}
		return s.lookForLast(ctx, r, &found)
	})
	if sqlite.IsCorrupt(err) {
		return err.Error(), nil
	}
	return found, err
}

const passagesWithTexts = `SELECT p.id, p.scope, x.name, x.headings, x.head, x.text FROM passages AS p JOIN passage_texts AS x ON x.passage_id = p.id
	`

func scanPassage(r sqlite.Scanner) (p passage, err error) {
	err = r.Scan(&p.id, &p.scope, &p.name, &p.headings, &p.head, &p.text)
	return p, err
}

// lookForLast looks for the last passage by its first term.
func (s *Index) lookForLast(ctx context.Context, r sqlite.Reader, found *string) error {
	p, err := scanPassage(r.QueryRowContext(ctx, passagesWithTexts+`WHERE p.gone = 0 ORDER BY p.id DESC LIMIT 1`))
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	terms := ranking.Terms(p.all())
	if len(terms) == 0 {
		return nil
	}
	var there bool
	err = r.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM passage_index WHERE passage_index MATCH $1 AND scope = $2 AND docid = $3)`, `"`+terms[0].Text+`"`, p.scope, p.id).Scan(&there)
	if err == nil && !there {
		*found = "the last passage is not found"
	}
	return err
}

// rebuild does a step of a rebuild, in one short write. more is false where there was nothing to
// do. An index that is damaged meanwhile is rebuilt from the beginning.
func (s *Index) rebuild(ctx context.Context) (more bool, err error) {
	if err := s.db.QueryRowContext(ctx, isRebuilt).Scan(&more); err != nil || !more {
		return false, err
	}
	err = s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		var emptied bool
		var passed int64
		if err := t.Row(`SELECT emptied, passed FROM passage_rebuild`).Scan(&emptied, &passed); err != nil {
			return err
		}
		if !emptied {
			return emptyIndex(t)
		}
		return refill(t, passed)
	})
	s.db.NoteDeletion()
	if sqlite.IsCorrupt(err) {
		err = errors.Join(err, s.db.Exec(ctx, true, `UPDATE passage_rebuild SET emptied = FALSE, passed = 0, done = 0`))
	}
	return true, err
}

// emptyIndex takes some rows out of what is left of an index; once there are none, it makes a new one.
func emptyIndex(t *sqlite.Tx) error {
	for _, table := range indexTables {
		var there bool
		if err := t.Row(`SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = $1)`, table).Scan(&there); err != nil {
			return err
		}
		if !there {
			continue
		}
		n, err := t.Exec(`DELETE FROM `+table+` WHERE rowid IN (SELECT rowid FROM `+table+` LIMIT $1)`, emptiedRows)
		if err != nil || n > 0 {
			return err
		}
	}
	return t.ExecEach(nil,
		`DROP TABLE IF EXISTS passage_vocabulary`,
		`DROP TABLE IF EXISTS passage_index`,
		`CREATE VIRTUAL TABLE passage_index USING fts4(terms, languageid="scope", matchinfo="fts3", tokenize=simple)`,
		`INSERT INTO passage_index (passage_index) VALUES ('automerge=4')`,
		`CREATE VIRTUAL TABLE passage_vocabulary USING fts4aux(passage_index)`,
		`UPDATE passage_rebuild SET emptied = TRUE`)
}

// refill puts the next passages into a new index, and ends the rebuild where there are none.
func refill(t *sqlite.Tx, passed int64) error {
	next, err := sqlite.ListIn(t, scanPassage, passagesWithTexts+`WHERE p.id > $1 AND p.gone = 0 ORDER BY p.id LIMIT $2`,
		passed, rebuiltAtOnce)
	if err != nil {
		return err
	}
	if len(next) == 0 {
		_, err := t.Exec(`DELETE FROM passage_rebuild`)
		return err
	}
	for _, p := range next {
		terms, _ := p.terms()
		if _, err := t.Exec(`INSERT INTO passage_index (docid, terms, scope) VALUES ($1, $2, $3)`, p.id, terms, p.scope); err != nil {
			return err
		}
	}
	_, err = t.Exec(`UPDATE passage_rebuild SET passed = $1, done = done + $2`, next[len(next)-1].id, len(next))
	return err
}
