package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

const messageColumns = `m.id, m.conversation_id, m.parent_id, m.role, m.content, m.reasoning, m.tool_calls,
	m.tool_call_id, m.run_id, m.usage, m.created_at, m.reasoning_ms, m.data, m.sources, m.said_by, m.images`

func scanMessage(r sqlite.Scanner) (agent.Message, error) {
	var m agent.Message
	var calls, usage, data, told, images string
	var created int64
	err := r.Scan(&m.ID, &m.ConversationID, &m.ParentID, &m.Role, &m.Content, &m.Reasoning, &calls,
		&m.ToolCallID, &m.RunID, &usage, &created, &m.ReasoningMS, &data, &told, &m.SaidBy, &images)
	if err != nil {
		return m, err
	}
	if data != "" {
		m.Data = []byte(data)
	}
	m.CreatedAt = sqlite.FromMS(created)
	if err := fromJSON(calls, &m.ToolCalls); err != nil {
		return m, err
	}
	if err := readSources(told, &m); err != nil {
		return m, err
	}
	if err := fromJSON(images, &m.Images); err != nil {
		return m, err
	}
	return m, fromJSON(usage, &m.Usage)
}

func insertMessage(t *sqlite.Tx, m agent.Message, onBranch bool) error {
	var calls, usage string
	var err error
	if len(m.ToolCalls) > 0 {
		if calls, err = toJSON(m.ToolCalls); err != nil {
			return err
		}
	}
	if m.Usage != nil {
		if usage, err = toJSON(m.Usage); err != nil {
			return err
		}
	}
	told, err := sourcesOf(m)
	if err != nil {
		return err
	}
	images, err := imagesText(m.Images)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO messages
		(id, conversation_id, parent_id, role, content, reasoning, tool_calls, tool_call_id, run_id, usage, created_at, reasoning_ms, data, sources, said_by, images)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		m.ID, m.ConversationID, m.ParentID, m.Role, m.Content, m.Reasoning, calls, m.ToolCallID, m.RunID, usage, sqlite.MS(m.CreatedAt), m.ReasoningMS, string(m.Data), told, m.SaidBy, images)
	if err != nil || !onBranch {
		return err
	}
	return moveLeaf(t, m)
}

// imagesText writes the pictures of a result, "" for none.
func imagesText(images []agent.Image) (string, error) {
	if len(images) == 0 {
		return "", nil
	}
	return toJSON(images)
}

// moveLeaf makes a message its conversation's newest. What a run does between a
// question and its answer does not move the conversation in the list: that would be
// an entry of its index in each step.
func moveLeaf(t *sqlite.Tx, m agent.Message) error {
	if m.Role == agent.FromTool || len(m.ToolCalls) > 0 {
		_, err := t.Exec(`UPDATE conversations SET leaf_id = $1 WHERE id = $2`, m.ID, m.ConversationID)
		return err
	}
	_, err := t.Exec(`UPDATE conversations SET leaf_id = $1, updated_at = $2 WHERE id = $3`, m.ID, sqlite.MS(m.CreatedAt), m.ConversationID)
	return err
}

// newestOf returns the last message of a run, which is the one it answers as
// long as there is no other: the one that no message of the run answers.
func newestOf(ctx context.Context, from sqlite.Reader, runID string) (string, error) {
	var id string
	err := from.QueryRowContext(ctx, `SELECT m.id FROM messages m WHERE m.run_id = $1
		AND m.id NOT IN (SELECT parent_id FROM messages WHERE run_id = $1) ORDER BY m.id DESC LIMIT 1`, runID).Scan(&id)
	if agent.CodeOf(sqlite.NotFound(err, agent.NoRun)) == agent.NotFound { // it continues behind a message of an earlier run
		err = from.QueryRowContext(ctx, `SELECT message_id FROM runs WHERE id = $1`, runID).Scan(&id)
	}
	return id, sqlite.NotFound(err, agent.NoRun)
}

const noMessage = "There is no such message."

// OwnMessage is a message of a person or the model in one of the viewer's conversations. It cites
// documents as they are now.
func (s *Conversations) OwnMessage(ctx context.Context, v agent.Viewer, id string) (agent.Message, error) {
	m, err := scanMessage(s.db.QueryRowContext(ctx, `SELECT `+messageColumns+` FROM messages m WHERE m.id = $1 AND m.role IN ('user', 'assistant')`, id))
	if err != nil {
		return m, sqlite.NotFound(err, noMessage)
	}
	if _, err = s.owned(ctx, v, m.ConversationID); agent.CodeOf(err) == agent.NotFound {
		err = agent.Errorf(agent.NotFound, noMessage)
	}
	if err != nil {
		return m, err
	}
	cited, err := citedNow(ctx, s.db, m.ConversationID, []agent.Message{m})
	if err != nil {
		return m, err
	}
	return cited[0], nil
}

// SetPinned keeps a message of the owner's conversation word for word when the
// context is compacted, or no longer; NotFound for what is not theirs.
func (s *Conversations) SetPinned(ctx context.Context, v agent.Viewer, conversationID, messageID string, pinned bool) error {
	if _, err := s.owned(ctx, v, conversationID); err != nil {
		return err
	}
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		n, err := t.Exec(`UPDATE messages SET pinned = $1 WHERE id = $2 AND conversation_id = $3 AND role = 'user'`, pinned, messageID, conversationID)
		if err == nil && n == 0 {
			err = agent.Errorf(agent.NotFound, "There is no such user message in this conversation.")
		}
		return err
	})
}

// PinnedMessages are the ids of a conversation's pinned messages.
func (s *Conversations) PinnedMessages(ctx context.Context, conversationID string) ([]string, error) {
	return pinnedMessages(ctx, s.db, conversationID)
}

func pinnedMessages(ctx context.Context, from sqlite.Reader, conversationID string) ([]string, error) {
	return sqlite.List(ctx, from, sqlite.ScanString, `SELECT id FROM messages WHERE conversation_id = $1 AND pinned`, conversationID)
}

// messageSources is what a message has been written with, cites, and links to, as it is stored.
type messageSources struct {
	Document  string           `json:"document,omitempty"`
	Citations []agent.Citation `json:"citations,omitempty"`
	Unknown   []string         `json:"unknown,omitempty"`
	Hosts     []string         `json:"hosts,omitempty"`
}

// sourcesOf encodes a message's sources for storage, "" for none.
func sourcesOf(m agent.Message) (string, error) {
	if len(m.DocumentID)+len(m.Citations)+len(m.UnknownCitations)+len(m.LinkHosts) == 0 {
		return "", nil
	}
	return toJSON(messageSources{m.DocumentID, m.Citations, m.UnknownCitations, m.LinkHosts})
}

func readSources(text string, m *agent.Message) error {
	if text == "" {
		return nil
	}
	var s messageSources
	err := fromJSON(text, &s)
	m.DocumentID, m.Citations, m.UnknownCitations, m.LinkHosts = s.Document, s.Citations, s.Unknown, s.Hosts
	return err
}
