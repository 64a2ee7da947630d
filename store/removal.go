package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"fusebox/agent"
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
	if err := (&Passages{s.core}).removeAll(t, id); err != nil {
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

// DocumentLeftovers are files of deleted documents that may still be there, sorted, those
// after one of them, at most limit.
func (s *Documents) DocumentLeftovers(ctx context.Context, after string, limit int) ([]string, error) {
	return sqlite.List(ctx, s.db, sqlite.ScanString, `SELECT file FROM document_leftovers WHERE file > $1 ORDER BY file LIMIT $2`, after, limit)
}

// ForgetDocumentLeftovers notes that files are gone.
func (s *Documents) ForgetDocumentLeftovers(ctx context.Context, files []string) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		list, err := toJSON(files)
		if err == nil {
			_, err = t.Exec(`DELETE FROM document_leftovers WHERE file IN (SELECT value FROM json_each($1))`, list)
		}
		return err
	})
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

// Leftovers keeps which files of deleted conversations are still there, and what backups
// have left out.
type Leftovers struct{ *core }

// Deleted are those of some conversations that were deleted. What this database has
// never known, or has lost, is not among them: its files may belong to another one.
func (s *Leftovers) Deleted(ctx context.Context, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	asked, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return sqlite.List(ctx, s.db, sqlite.ScanString, `SELECT DISTINCT target FROM audit
		WHERE action = 'conversation.delete' AND target IN (SELECT value FROM json_each($1)) AND target NOT IN (SELECT id FROM conversations)`, string(asked))
}

// NoteLeftover keeps why the files of a deleted conversation could not be removed; nil is
// that they are gone.
func (s *Leftovers) NoteLeftover(ctx context.Context, conversationID string, at time.Time, problem error) error {
	return s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		if problem == nil {
			_, err := t.Exec(`DELETE FROM leftover_files WHERE conversation_id = $1`, conversationID)
			return err
		}
		_, err := t.Exec(`INSERT INTO leftover_files (conversation_id, since, tried, problem) VALUES ($1, $2, $2, $3)
			ON CONFLICT (conversation_id) DO UPDATE SET tried = excluded.tried, problem = excluded.problem`,
			conversationID, sqlite.MS(at), strings.ToValidUTF8(problem.Error(), "\uFFFD"))
		return err
	})
}

// Leftovers lists what could not be removed, the oldest first, at most limit.
func (s *Leftovers) Leftovers(ctx context.Context, limit int) ([]agent.Leftover, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (l agent.Leftover, err error) {
		var since, tried int64
		err = r.Scan(&l.ConversationID, &since, &tried, &l.Problem)
		l.Since, l.Tried = sqlite.FromMS(since), sqlite.FromMS(tried)
		return l, err
	}, `SELECT conversation_id, since, tried, problem FROM leftover_files ORDER BY since, conversation_id LIMIT $1`, limit)
}
