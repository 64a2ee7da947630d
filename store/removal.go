package store

import (
	"context"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/store/passages"
	"fusebox/store/sqlite"
)

// UserData counts what belongs to an account.
func (s *Users) UserData(ctx context.Context, id string) (agent.UserData, error) {
	return userData(ctx, s.db, id)
}

func userData(ctx context.Context, from sqlite.Reader, id string) (d agent.UserData, err error) {
	err = from.QueryRowContext(ctx, `SELECT
		(SELECT COUNT(*) FROM conversations WHERE owner_id = $1),
		(SELECT COUNT(*) FROM runs r JOIN conversations c ON c.id = r.conversation_id WHERE c.owner_id = $1),
		(SELECT COUNT(*) FROM runs r JOIN conversations c ON c.id = r.conversation_id WHERE c.owner_id = $1 AND r.parent_run_id = '' AND r.status IN ('queued', 'running', 'paused')),
		(SELECT COUNT(*) FROM tokens WHERE user_id = $1),
		(SELECT COUNT(*) FROM budgets WHERE who = 'user' AND subject = $1 AND ended_at = 0),
		(SELECT COUNT(*) FROM facts WHERE user_id = $1),
		(SELECT COUNT(*) FROM documents WHERE user_id = $1),
		(SELECT COUNT(*) FROM collections WHERE owner_id = $1 AND visibility <> 'private')`, id).
		Scan(&d.Conversations, &d.Runs, &d.Active, &d.Tokens, &d.Budgets, &d.Facts, &d.Documents, &d.Collections)
	return d, err
}

// ConversationsOf are the ids of all conversations of an account.
func (s *Users) ConversationsOf(ctx context.Context, userID string) ([]string, error) {
	return sqlite.List(ctx, s.db, sqlite.ScanString, `SELECT id FROM conversations WHERE owner_id = $1 ORDER BY id`, userID)
}

// RemoveUser removes an account, whose conversations were deleted before, with all that
// is its own. The bill and the audit log are kept. Conflict where it has a conversation,
// or no admin would be left. gone is what there was, for the audit log.
func (s *Users) RemoveUser(ctx context.Context, id string, gone agent.UserData) error {
	detail := struct {
		agent.UserData
		Name string `json:"name"`
	}{gone, agent.RemovedUser(id)}
	defer s.db.NoteDeletion() // what was remembered of them
	return s.audited(ctx, "", "user.remove", id, detail, func(t *sqlite.Tx) error {
		var email string
		if err := t.Row(`SELECT email FROM users WHERE id = $1`, id).Scan(&email); err != nil {
			return sqlite.NotFound(err, "There is no such account.")
		}
		left, err := userData(ctx, t.Reader(), id)
		if err == nil && left.Conversations > 0 {
			err = agent.Errorf(agent.Conflict, "This account has started a new conversation. Try again.")
		}
		if err != nil {
			return err
		}
		if err := removeTraces(t, id, email, agent.ViewerIn(ctx).Email); err != nil {
			return err
		}
		if _, err := t.Exec(`DELETE FROM users WHERE id = $1`, id); err != nil {
			return err
		}
		return adminLeft(t)
	})
}

// removeTraces removes what belongs to an account beside its conversations and what the
// database removes with it. Its budgets end, and so does what it allowed permanently:
// another account may get its address.
func removeTraces(t *sqlite.Tx, id, email, by string) error {
	now := sqlite.MS(t.Clock.Now())
	if err := leaveFiles(t, `d.user_id = $1`, id); err != nil {
		return err
	}
	if err := passages.RemoveUser(t, id); err != nil {
		return err
	}
	for _, change := range []struct {
		query string
		args  []any
	}{
		{`INSERT INTO document_leftovers (file) SELECT file FROM imports WHERE user_id = $1 AND file <> ''`, []any{id}},
		{`DELETE FROM alerts WHERE user_id = $1`, []any{id}},
		{`DELETE FROM approval_looks WHERE user_id = $1`, []any{id}},
		{`DELETE FROM outbox WHERE channel = 'email' AND receiver = $1`, []any{email}},
		// What a session has is the session manager's; the id of its account is in it as it is.
		{`DELETE FROM sessions WHERE INSTR(data, CAST($1 AS BLOB)) > 0`, []any{id}},
		{`UPDATE budgets SET ended_by = $1, ended_at = $2 WHERE who = 'user' AND subject = $3 AND ended_at = 0`, []any{by, now, id}},
		{`UPDATE policy_rules SET revoked_at = $1, revoked_by = $2 WHERE created_by = $3 AND approval_id <> '' AND revoked_at = 0`, []any{now, by, email}},
	} {
		if _, err := t.Exec(change.query, change.args...); err != nil {
			return err
		}
	}
	return nil
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
	return sqlite.List(ctx, s.db, sqlite.ScanString, `SELECT DISTINCT target FROM audit
		WHERE action = 'conversation.delete' AND target IN (SELECT value FROM json_each($1)) AND target NOT IN (SELECT id FROM conversations)`, jsonList(ids))
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
		err = r.Scan(&l.ConversationID, sqlite.Time(&l.Since), sqlite.Time(&l.Tried), &l.Problem)
		return l, err
	}, `SELECT conversation_id, since, tried, problem FROM leftover_files ORDER BY since, conversation_id LIMIT $1`, limit)
}
