package passages

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// VectorsOf is the query of the vectors that are compared.
const VectorsOf = vectorsOf

// IndexDocument adds a document that answers, cut into passages.
func (s *Index) IndexDocument(d agent.Document, text string, passages []agent.Passage) error {
	return s.db.Write(context.Background(), false, func(t *sqlite.Tx) error {
		if _, err := t.Exec(`INSERT INTO documents (id, user_id, collection_id, name, version, answers, created_at) VALUES ($1, $2, $2, $3, $4, $4, 0)
			ON CONFLICT (id) DO UPDATE SET version = $4, answers = $4`, d.ID, d.UserID, d.Name, d.Version); err != nil {
			return err
		}
		if err := Remove(t, d.ID, d.Version); err != nil {
			return err
		}
		d.CollectionID = d.UserID
		return add(t, d, text, passages)
	})
}

// RemoveDocument deletes a document with its passages.
func (s *Index) RemoveDocument(id string) error {
	return s.db.Write(context.Background(), true, func(t *sqlite.Tx) error {
		if err := Remove(t, id, 0); err != nil {
			return err
		}
		_, err := t.Exec(`DELETE FROM documents WHERE id = $1`, id)
		return err
	})
}

// Exec changes the database past everything.
func (s *Index) Exec(query string) error {
	return s.db.Write(context.Background(), true, func(t *sqlite.Tx) error {
		_, err := t.Exec(query)
		return err
	})
}
