package store

import (
	"context"
	"errors"
	"slices"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Conversations keeps conversations and the messages in them.
type Conversations struct{ *core }

const conversationColumns = `c.id, c.owner_id, c.title, c.model, c.system, c.approval_mode, c.run_token_limit, c.output_mode, c.guards, c.outputs,
	c.output_purposes, c.tool_sets, c.collections, c.agent, NOT EXISTS (SELECT 1 FROM agents a WHERE a.name = c.agent AND NOT a.deleted),
	c.workflow, NOT EXISTS (SELECT 1 FROM workflows w WHERE w.name = c.workflow AND NOT w.deleted), c.inputs, c.thinking, c.thinking_tokens, c.run_cost_limit, c.leaf_id, c.last_seq, c.created_at, c.updated_at,
	COALESCE((SELECT r.status FROM runs r WHERE r.conversation_id = c.id AND r.parent_run_id = '' AND r.status IN ('queued', 'running', 'paused')), '')`

func scanConversation(r sqlite.Scanner) (c agent.Conversation, err error) {
	var guards, outputs, purposes, sets, collections, inputs string
	var noAgent, noWorkflow bool
	err = r.Scan(&c.ID, &c.OwnerID, &c.Title, &c.Model, &c.System, &c.ApprovalMode, &c.RunTokenLimit, &c.OutputMode, &guards, &outputs,
		&purposes, &sets, &collections, &c.Agent, &noAgent, &c.Workflow, &noWorkflow, &inputs, &c.Thinking, &c.ThinkingTokens,
		&c.RunCostLimit, &c.LeafID, &c.LastSeq, sqlite.Time(&c.CreatedAt), sqlite.Time(&c.UpdatedAt), &c.ActiveStatus)
	if err != nil {
		return c, err
	}
	if noAgent {
		c.Agent, c.DeletedAgent = "", c.Agent
	}
	if noWorkflow {
		c.Workflow, c.DeletedWorkflow = "", c.Workflow
	}
	c.Collections = agent.Everything()
	err = errors.Join(fromJSON(collections, &c.Collections), fromJSON(guards, &c.Guards), fromJSON(outputs, &c.Outputs), fromJSON(purposes, &c.OutputPurposes), fromJSON(sets, &c.ToolSets), fromJSON(inputs, &c.Inputs))
	return c, err
}

// Conversation returns one that the viewer owns, or any to an admin.
func (s *Conversations) Conversation(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error) {
	return sqlite.One(s.db.QueryRowContext(ctx, `SELECT `+conversationColumns+`
		FROM conversations c WHERE c.id = $1 AND (c.owner_id = $2 OR $3)`, id, v.UserID, v.SeesAll()), scanConversation, agent.NoConversation)
}

// Conversations lists the owner's own, newest change first; search is a part
// of the title, ignoring case.
func (s *Conversations) Conversations(ctx context.Context, ownerID, search string, p agent.Page) ([]agent.Conversation, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err == nil {
		err = checkSearch(search)
	}
	if err != nil {
		return nil, "", err
	}
	limit := limitOf(p)
	items, err := sqlite.List(ctx, s.db, scanConversation, conversationsTitled(search), ownerID, from.at, from.id, containing(search), limit+1)
	return page(items, err, limit, func(c agent.Conversation) cursor { return cursor{sqlite.MS(c.UpdatedAt), c.ID} })
}

// conversationsTitled lists an owner's conversations whose titles contain a text.
func conversationsTitled(search string) string {
	return `SELECT ` + conversationColumns + ` FROM conversations c
		WHERE c.owner_id = $1 AND (c.updated_at < $2 OR (c.updated_at = $2 AND c.id < $3)) AND ` + titleLike(search, "$4") + `
		ORDER BY c.updated_at DESC, c.id DESC LIMIT $5`
}

// titleLike is the condition on a title that contains a text. The titles are in the index
// that leads to them, so that those which do not match cost little. LIKE ignores the case
// of ASCII letters by itself, many times faster than LOWER, which knows the case of all.
func titleLike(search, pattern string) string {
	title := `c.title`
	if !isASCII(search) {
		title = `LOWER(c.title)`
	}
	return title + ` LIKE ` + pattern + ` ESCAPE '!'`
}

// owned is Conversation for what only the owner may do.
func (s *Conversations) owned(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error) {
	c, err := s.Conversation(ctx, v, id)
	if err == nil && c.OwnerID != v.UserID {
		err = agent.Errorf(agent.Forbidden, "Only its owner can change this conversation.")
	}
	return c, err
}

// DeleteConversation removes a conversation with all that hangs on it; the
// ledger stays. Conflict while a run is active. Call EventLog.Erase afterwards, to
// have its text out of the files too.
func (s *Conversations) DeleteConversation(ctx context.Context, v agent.Viewer, id string) error {
	if _, err := s.owned(ctx, v, id); err != nil {
		return err
	}
	var gone struct {
		Runs int `json:"runs"`
	}
	defer s.forget(id)
	return s.audited(ctx, v.Email, "conversation.delete", id, &gone, func(t *sqlite.Tx) error {
		if err := t.Row(`SELECT COUNT(*) FROM runs WHERE conversation_id = $1`, id).Scan(&gone.Runs); err != nil {
			return err
		}
		if _, err := t.Exec(`DELETE FROM alerts WHERE path = '/c/' || $1
			OR path IN (SELECT '/runs/' || id FROM runs WHERE conversation_id = $1)`, id); err != nil {
			return err
		}
		n, err := t.Exec(`DELETE FROM conversations WHERE id = $1 AND owner_id = $2 AND NOT EXISTS (
			SELECT 1 FROM runs r WHERE r.conversation_id = $1 AND r.parent_run_id = '' AND r.status IN ('queued', 'running', 'paused'))`, id, v.UserID)
		if err == nil && n == 0 {
			err = agent.Errorf(agent.Conflict, "A run of this conversation is active. Stop it first, then delete.")
		}
		if err != nil {
			return err
		}
		// Notifications name it: they are deleted too, and no longer sent.
		_, err = t.Exec(`DELETE FROM outbox WHERE conversation_id = $1`, id)
		return err
	})
}

// ApprovalMode is a conversation's as it is now.
func (s *Conversations) ApprovalMode(ctx context.Context, conversationID string) (m agent.ApprovalMode, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT approval_mode FROM conversations WHERE id = $1`, conversationID).Scan(&m)
	return m, sqlite.NotFound(err, agent.NoConversation)
}

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

func scanListedChat(r sqlite.Scanner) (c agent.ListedChat, err error) {
	err = r.Scan(&c.ID, &c.Title, sqlite.Time(&c.UpdatedAt), &c.ActiveStatus, &c.Said)
	return c, err
}

// ChatList lists a person's own conversations for them to choose from.
func (s *Conversations) ChatList(ctx context.Context, q agent.ChatListQuery) (found agent.ChatList, err error) {
	if err := checkSearch(q.Search); err != nil {
		return found, err
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
