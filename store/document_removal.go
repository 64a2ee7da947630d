package store

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/passages"
	"fusebox/store/sqlite"
)

// DeleteDocument deletes a document with all its versions. Their files are leftovers now,
// what waited as a duplicate of it is read, and answers that cite it say when it was deleted.
func (s *Documents) DeleteDocument(ctx context.Context, userID, id string) error {
	defer s.db.NoteDeletion()
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if err := mayChange(t, userID, id, agent.RightOwn); err != nil {
			return err
		}
		return s.deleteDocument(t, id)
	})
}

func (s *Documents) deleteDocument(t *sqlite.Tx, id string) error {
	if err := leaveFiles(t, `d.id = $1`, id); err != nil {
		return err
	}
	if _, err := t.Exec(`INSERT INTO deleted_documents (user_id, collection_id, id, deleted_at) SELECT user_id, collection_id, id, $1 FROM documents WHERE id = $2`,
		sqlite.MS(t.Clock.Now()), id); err != nil {
		return err
	}
	if _, err := t.Exec(`DELETE FROM documents WHERE id = $1`, id); err != nil {
		return err
	}
	if err := passages.RemoveDocument(t, id); err != nil {
		return err
	}
	_, err := t.Exec(`UPDATE document_versions SET state = 'reading', duplicate_of = '', reading = '{}' WHERE duplicate_of = $1`, id)
	return err
}

// leaveFiles notes the files of documents that are about to be deleted.
func leaveFiles(t *sqlite.Tx, which string, args ...any) error {
	_, err := t.Exec(`INSERT INTO document_leftovers (file) SELECT v.file FROM documents d JOIN document_versions v ON v.document_id = d.id WHERE `+which, args...)
	return err
}

// DocumentDeletedAt is when a document was deleted of a collection that is open to the person;
// NotFound for any other.
func (s *Documents) DocumentDeletedAt(ctx context.Context, userID, id string) (at time.Time, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT d.deleted_at FROM deleted_documents d`+openTo+`$1 WHERE d.id = $2`, userID, id).
		Scan(sqlite.Time(&at))
	return at, noDocument(err)
}

// DocumentLeftovers are files of deleted documents that may still be there, sorted, those
// after one of them, at most limit.
func (s *Documents) DocumentLeftovers(ctx context.Context, after string, limit int) ([]string, error) {
	return sqlite.List(ctx, s.db, sqlite.ScanString, `SELECT file FROM document_leftovers WHERE file > $1 ORDER BY file LIMIT $2`, after, limit)
}

// ForgetDocumentLeftovers notes that files are gone.
func (s *Documents) ForgetDocumentLeftovers(ctx context.Context, files []string) error {
	return s.db.Exec(ctx, true, `DELETE FROM document_leftovers WHERE file IN (SELECT value FROM json_each($1))`, jsonList(files))
}

// HasDocumentFile reports whether a file is that of a version, or of an import.
func (s *Documents) HasDocumentFile(ctx context.Context, file string) (has bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM document_versions WHERE file = $1 UNION ALL SELECT 1 FROM imports WHERE file = $1)`, file).Scan(&has)
	return has, err
}

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
		ids, err = sqlite.ListIn(t, sqlite.ScanString, `SELECT id FROM documents WHERE user_id = $1 AND id <= $2 ORDER BY id LIMIT $3`,
			userID, last, deletedAtOnce)
		if err != nil {
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
