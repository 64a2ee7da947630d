package store

import (
	"context"

	"fusebox/store/sqlite"
)

// BeginDeletingDocuments notes in the audit log that all documents of a person are to be deleted.
// last is the newest of them, "" for none: what they add meanwhile stays. NotFound where there is no such account.
func (s *Documents) BeginDeletingDocuments(ctx context.Context, userID string) (last string, err error) {
	if _, err := userByID(ctx, s.db, userID); err != nil {
		return "", err
	}
	var gone struct {
		Documents int   `json:"documents"`
		Bytes     int64 `json:"bytes"`
	}
	st, err := s.DocumentsState(ctx, userID, nil)
	if err != nil || st.Documents == 0 {
		return "", err
	}
	gone.Documents, gone.Bytes = st.Documents, st.Bytes
	err = s.audited(ctx, "", "documents.delete", userID, &gone, func(t *sqlite.Tx) error {
		return t.Row(`SELECT COALESCE(MAX(id), '') FROM documents WHERE user_id = $1`, userID).Scan(&last)
	})
	return last, err
}

// deletedAtOnce is how many documents one write deletes: runs wait for it.
const deletedAtOnce = 8

// DeleteSomeDocuments deletes the first documents of a person up to one, and returns their ids;
// none are left where there are none.
func (s *Documents) DeleteSomeDocuments(ctx context.Context, userID, last string) (ids []string, err error) {
	defer s.db.NoteDeletion()
	err = s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		ids = nil
		if err := t.Each(func(r sqlite.Scanner) error {
			id, err := sqlite.ScanString(r)
			ids = append(ids, id)
			return err
		}, `SELECT id FROM documents WHERE user_id = $1 AND id <= $2 ORDER BY id LIMIT $3`, userID, last, deletedAtOnce); err != nil {
			return err
		}
		for _, id := range ids {
			if err := s.deleteDocument(t, id); err != nil {
				return err
			}
		}
		return nil
	})
	return ids, err
}
