package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// callDocuments are the documents that the calls of a conversation have read. One is closed that
// its owner has no right to read, and one that is deleted and was not theirs.
const callDocuments = `SELECT k.run_id, k.call_id, k.document_id,
	NOT EXISTS (SELECT 1 FROM documents AS d JOIN collection_rights AS o ON o.collection_id = d.collection_id
		WHERE d.id = k.document_id AND o.user_id = c.owner_id)
	AND NOT EXISTS (SELECT 1 FROM deleted_documents AS x WHERE x.user_id = c.owner_id AND x.id = k.document_id)
	FROM conversations AS c CROSS JOIN call_documents AS k ON k.conversation_id = c.id WHERE c.id = $1`

// CallDocuments are the documents that the calls of a conversation have read, as open to its
// owner as they are now. The caller has checked the viewer.
func (s *Journal) CallDocuments(ctx context.Context, conversationID string) ([]agent.CallDocument, error) {
	return readCallDocuments(ctx, s.db, conversationID)
}

func readCallDocuments(ctx context.Context, from sqlite.Reader, conversationID string) ([]agent.CallDocument, error) {
	return sqlite.List(ctx, from, func(r sqlite.Scanner) (d agent.CallDocument, err error) {
		return d, r.Scan(&d.RunID, &d.CallID.CallID, &d.DocumentID, &d.Closed)
	}, callDocuments, conversationID)
}

// closedNow are the documents that calls of a conversation have read and that are closed now.
func closedNow(ctx context.Context, from sqlite.Reader, conversationID string) (agent.ClosedDocuments, error) {
	read, err := readCallDocuments(ctx, from, conversationID)
	return agent.ClosedOf(read), err
}

// noteDocuments keeps which documents a call has read. One that shares the result of its twin has
// read the same.
func noteDocuments(t *sqlite.Tx, change agent.CallChange) error {
	c := change.Call
	if change.Event == agent.CallShared {
		_, err := t.Exec(`INSERT OR IGNORE INTO call_documents SELECT conversation_id, run_id, $1, document_id FROM call_documents
			WHERE conversation_id = $2 AND run_id = $3 AND call_id = $4`, c.ID, c.ConversationID, c.RunID, c.Authority.ID)
		return err
	}
	for _, id := range c.Documents {
		if _, err := t.Exec(`INSERT OR IGNORE INTO call_documents (conversation_id, run_id, call_id, document_id) VALUES ($1, $2, $3, $4)`,
			c.ConversationID, c.RunID, c.ID, id); err != nil {
			return err
		}
	}
	return nil
}
