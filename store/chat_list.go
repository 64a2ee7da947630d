package store

import (
	"context"
	"slices"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// saidLength is how much of what was said last is read for a list, in characters.
const saidLength = 160

// listedChat are the columns of a conversation in a list.
const listedChat = `c.id, c.title, c.updated_at,
	COALESCE((SELECT CASE WHEN r.status = 'paused' AND ` + agentsWork + ` THEN 'running' ELSE r.status END FROM runs r WHERE r.conversation_id = c.id AND r.parent_run_id = '' AND r.status IN ('queued', 'running', 'paused')), ''),
	COALESCE((SELECT SUBSTR(m.content, 1, $1) FROM messages m WHERE m.conversation_id = c.id AND m.role IN ('user', 'assistant') AND m.content <> ''
		AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = m.run_id AND r.parent_run_id <> '')
		ORDER BY m.id DESC LIMIT 1), '')`

// agentsWork says that a paused run waits for agents of which one works and none asks a person.
const agentsWork = `EXISTS (SELECT 1 FROM runs w WHERE w.conversation_id = c.id AND w.parent_run_id <> ''
		AND w.status IN ('queued', 'running', 'paused') AND w.status <> 'paused')
	AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.conversation_id = c.id AND a.status = 'pending')`

func scanListedChat(r sqlite.Scanner) (agent.ListedChat, error) {
	var c agent.ListedChat
	var updated int64
	err := r.Scan(&c.ID, &c.Title, &updated, &c.ActiveStatus, &c.Said)
	c.UpdatedAt = sqlite.FromMS(updated)
	return c, err
}

// ChatList lists a person's own conversations for them to choose from.
func (s *Conversations) ChatList(ctx context.Context, q agent.ChatListQuery) (found agent.ChatList, err error) {
	if utf8.RuneCountInString(q.Search) > maxSearch {
		return found, agent.InvalidField("search", "is too long; at most %d characters are allowed", maxSearch)
	}
	titled := ` FROM conversations c WHERE c.owner_id = $2 AND ` + titleLike(q.Search, "$3")
	found.Items, err = sqlite.List(ctx, s.db, scanListedChat, `SELECT `+listedChat+titled+` ORDER BY c.updated_at DESC, c.id DESC LIMIT $4`,
		saidLength, q.OwnerID, containing(q.Search), q.Limit)
	if err != nil {
		return found, err
	}
	if found.Found = len(found.Items); found.Found == q.Limit {
		err = s.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM conversations c WHERE c.owner_id = $1 AND `+titleLike(q.Search, "$2"),
			q.OwnerID, containing(q.Search)).Scan(&found.Found)
		if err != nil {
			return found, err
		}
	}
	if q.Open == "" || q.Search != "" || slices.ContainsFunc(found.Items, func(c agent.ListedChat) bool { return c.ID == q.Open }) {
		return found, nil
	}
	open, err := scanListedChat(s.db.QueryRowContext(ctx, `SELECT `+listedChat+` FROM conversations c WHERE c.owner_id = $2 AND c.id = $3`,
		saidLength, q.OwnerID, q.Open))
	if err = sqlite.NotFound(err, agent.NoConversation); err == nil {
		found.Open = &open
	} else if agent.CodeOf(err) == agent.NotFound { // it is another person's
		err = nil
	}
	return found, err
}
