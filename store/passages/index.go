package passages

import (
	"context"
	"log/slog"
	"strings"

	"fusebox/agent"
	"fusebox/agent/ranking"
	"fusebox/store/sqlite"
)

// Index keeps the passages of documents, and an index of their terms for each collection.
type Index struct {
	db  *sqlite.DB
	log *slog.Logger
}

// New is the index of a database.
func New(db *sqlite.DB, log *slog.Logger) *Index { return &Index{db, log} }

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

// indexedAtOnce is how many passages one write indexes: runs wait for it.
const indexedAtOnce = 32

// AddPassages adds the passages of a version that was read and does not answer yet. NotFound where
// the document was deleted meanwhile.
func (s *Index) AddPassages(ctx context.Context, d agent.Document, cut []agent.Passage) error {
	return s.mending(ctx, func() error { return s.indexParts(ctx, d, cut) })
}

// indexParts indexes passages of a version that does not answer yet, a few in each write. What
// a process that ended has indexed of it before goes first.
func (s *Index) indexParts(ctx context.Context, d agent.Document, cut []agent.Passage) error {
	text := d.Reading.Text
	for first := true; first || len(cut) > 0; first = false {
		n := min(len(cut), indexedAtOnce)
		err := s.db.Write(ctx, false, func(t *sqlite.Tx) error {
			var answers int
			if err := t.Row(`SELECT answers, user_id, collection_id FROM documents WHERE id = $1`, d.ID).Scan(&answers, &d.UserID, &d.CollectionID); err != nil {
				return sqlite.NotFound(err, agent.NoDocument)
			}
			if first {
				if err := Remove(t, d.ID, answers); err != nil {
					return err
				}
			}
			return add(t, d, text, cut[:n])
		})
		if err != nil {
			return err
		}
		cut = cut[n:]
	}
	return nil
}

// add adds passages of a document's version, with the document's name and headings. Those
// of a large document are added in parts, in their order: they are found once the version
// is the one that answers.
func add(t *sqlite.Tx, d agent.Document, text string, passages []agent.Passage) error {
	if len(passages) == 0 {
		return nil
	}
	scope, err := scopeOf(t, d.CollectionID, d.UserID)
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

// scopeOf is the number of a collection's index.
func scopeOf(t *sqlite.Tx, collectionID, ownerID string) (id int64, err error) {
	err = t.Row(`INSERT INTO passage_scopes (collection_id, user_id) VALUES ($1, $2) ON CONFLICT (collection_id) DO UPDATE SET user_id = user_id RETURNING id`, collectionID, ownerID).Scan(&id)
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
func Remove(t *sqlite.Tx, documentID string, but int) error {
	if _, err := t.Exec(`UPDATE passage_scopes SET residue = TRUE, passages = passage_scopes.passages - g.n, length = passage_scopes.length - g.length
		FROM (SELECT scope, COUNT(*) AS n, SUM(length) AS length FROM passages WHERE document_id = $1 AND version <> $2 AND gone = 0 GROUP BY scope) AS g
		WHERE passage_scopes.id = g.scope`, documentID, but); err != nil {
		return err
	}
	_, err := t.Exec(`UPDATE passages SET gone = 1 WHERE document_id = $1 AND version <> $2 AND gone = 0`, documentID, but)
	return err
}

// RemoveDocument is Remove for a document that is deleted: of earlier versions, no row is left.
func RemoveDocument(t *sqlite.Tx, documentID string) error {
	if err := Remove(t, documentID, 0); err != nil {
		return err
	}
	_, err := t.Exec(`DELETE FROM passages WHERE document_id = $1 AND gone = 2`, documentID)
	return err
}

// RemoveVersion is Remove for a version that will have another text: its passages belong to no
// document any more, so that what cites them leads to the document, not to places of what is gone.
func RemoveVersion(t *sqlite.Tx, documentID string, version int) error {
	if err := Remove(t, documentID, 0); err != nil {
		return err
	}
	_, err := t.Exec(`UPDATE passages SET document_id = '' WHERE document_id = $1 AND version = $2`, documentID, version)
	return err
}

// RemoveUser is RemoveDocument for all documents of a person who is removed.
func RemoveUser(t *sqlite.Tx, userID string) error {
	return t.ExecEach([]any{userID},
		`DELETE FROM passages WHERE gone = 2 AND document_id IN (SELECT id FROM documents WHERE user_id = $1)`,
		`UPDATE passages SET gone = 1 WHERE gone = 0 AND document_id IN (SELECT id FROM documents WHERE user_id = $1)`,
		`UPDATE passage_scopes SET residue = TRUE, passages = 0, length = 0 WHERE user_id = $1`)
}
