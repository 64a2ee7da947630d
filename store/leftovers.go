package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

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
