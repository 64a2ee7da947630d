package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// BeginReading takes the version that waits longest, and is not among those that are being
// read, and counts the try; those of people of whom none is being read first. NotFound where
// none waits, Full where there is no room for what would be read.
func (s *Documents) BeginReading(ctx context.Context, except []string) (agent.Document, error) {
	var d agent.Document
	if err := s.db.Room(); err != nil {
		return d, err
	}
	busy, err := toJSON(except)
	if err != nil {
		return d, err
	}
	err = s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		w := where{}
		w.also(`v.state = 'reading'`)
		turn := ``
		if len(except) > 0 {
			w.also(`v.document_id NOT IN (SELECT value FROM json_each(` + w.param(``, busy) + `))`)
			turn = w.param(`d.user_id IN (SELECT user_id FROM documents WHERE id IN (SELECT value FROM json_each(`, busy) + `))), `
		}
		d, err = scanDocument(t.Row(`SELECT `+documentColumns+` FROM document_versions v JOIN documents d ON d.id = v.document_id `+openTo+`d.user_id `+w.String()+
			` ORDER BY `+turn+`v.tries, v.added_at, v.document_id, v.version LIMIT 1`, w.args...))
		if err != nil {
			return noDocument(err)
		}
		d.Tries++
		_, err = t.Exec(`UPDATE document_versions SET tries = $1 WHERE document_id = $2 AND version = $3`, d.Tries, d.ID, d.Version)
		return err
	})
	return d, err
}

// UncountTry takes a try back: the server was stopped, and the file is not to blame.
func (s *Documents) UncountTry(ctx context.Context, d agent.Document) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		_, err := t.Exec(`UPDATE document_versions SET tries = tries - 1 WHERE document_id = $1 AND version = $2 AND tries > 0`, d.ID, d.Version)
		return err
	})
}

// indexedAtOnce is how many passages one write indexes: runs wait for it.
const indexedAtOnce = 32

// FinishReading keeps what was read of a version, and its passages. One with text answers from
// now on, unless a newer one does: the last write says so, and before it nothing of it is found.
// Of the version that did, the text is kept and no longer found. NotFound where the document
// was deleted meanwhile.
func (s *Documents) FinishReading(ctx context.Context, d agent.Document, cut []agent.Passage) error {
	found, text := &Passages{s.core}, d.Reading.Text
	if d.State == agent.DocumentReady {
		if err := found.mending(ctx, func() error { return found.indexParts(ctx, d, cut) }); err != nil {
			return err
		}
	}
	sections, err := toJSON(d.Reading.Sections)
	if err != nil {
		return err
	}
	d.Reading.Text, d.Reading.Sections = "", nil
	reading, err := toJSON(d.Reading)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		n, err := t.Exec(`UPDATE document_versions SET state = $1, reading = $2, text = $3, sections = $4 WHERE document_id = $5 AND version = $6 AND state = 'reading'`,
			d.State, reading, text, sections, d.ID, d.Version)
		if err = noRow(n, err); err != nil {
			return err
		}
		answers := 0
		if d.State == agent.DocumentReady {
			answers = d.Version
		}
		if err := t.Row(`UPDATE documents SET answers = MAX(answers, $1), renamed = renamed OR name <> $2 OR collection_id <> $3 WHERE id = $4 RETURNING answers`, answers, d.Name, d.CollectionID, d.ID).Scan(&answers); err != nil {
			return err
		}
		return found.Remove(t, d.ID, answers)
	})
}

// indexParts indexes passages of a version that does not answer yet, a few in each write. What
// a process that ended has indexed of it before goes first.
func (s *Passages) indexParts(ctx context.Context, d agent.Document, cut []agent.Passage) error {
	text := d.Reading.Text
	for first := true; first || len(cut) > 0; first = false {
		n := min(len(cut), indexedAtOnce)
		err := s.db.Write(ctx, false, func(t *sqlite.Tx) error {
			var answers int
			if err := t.Row(`SELECT answers, user_id, collection_id FROM documents WHERE id = $1`, d.ID).Scan(&answers, &d.UserID, &d.CollectionID); err != nil {
				return noDocument(err)
			}
			if first {
				if err := s.Remove(t, d.ID, answers); err != nil {
					return err
				}
			}
			return s.Index(t, d, text, cut[:n])
		})
		if err != nil {
			return err
		}
		cut = cut[n:]
	}
	return nil
}
