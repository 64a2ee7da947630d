package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/readable"
	"fusebox/store/sqlite"
)

const messageColumns = `m.id, m.conversation_id, m.parent_id, m.role, m.content, m.reasoning, m.tool_calls,
	m.tool_call_id, m.run_id, m.usage, m.created_at, m.reasoning_ms, m.data, m.sources, m.said_by, m.images`

func scanMessage(r sqlite.Scanner) (m agent.Message, err error) {
	var calls, usage, data, told, images string
	err = r.Scan(&m.ID, &m.ConversationID, &m.ParentID, &m.Role, &m.Content, &m.Reasoning, &calls,
		&m.ToolCallID, &m.RunID, &usage, sqlite.Time(&m.CreatedAt), &m.ReasoningMS, &data, &told, &m.SaidBy, &images)
	if err != nil {
		return m, err
	}
	if data != "" {
		m.Data = []byte(data)
	}
	err = errors.Join(fromJSON(calls, &m.ToolCalls), readSources(told, &m), fromJSON(images, &m.Images), fromJSON(usage, &m.Usage))
	return m, err
}

func insertMessage(t *sqlite.Tx, m agent.Message) error {
	calls, err := partJSON(m.ToolCalls, len(m.ToolCalls))
	if err != nil {
		return err
	}
	usage := ""
	if m.Usage != nil {
		if usage, err = toJSON(m.Usage); err != nil {
			return err
		}
	}
	told, err := sourcesOf(m)
	if err != nil {
		return err
	}
	images, err := partJSON(m.Images, len(m.Images))
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO messages
		(id, conversation_id, parent_id, role, content, reasoning, tool_calls, tool_call_id, run_id, usage, created_at, reasoning_ms, data, sources, said_by, images)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		m.ID, m.ConversationID, m.ParentID, m.Role, m.Content, m.Reasoning, calls, m.ToolCallID, m.RunID, usage, sqlite.MS(m.CreatedAt), m.ReasoningMS, string(m.Data), told, m.SaidBy, images)
	return err
}

// follow moves the leaf of a conversation on to a new message where it stood at the one
// before: a run goes on in its own branch, whichever is chosen meanwhile. What a run does between a
// question and its answer does not move the conversation in the list: that would be
// an entry of its index in each step.
func follow(t *sqlite.Tx, m agent.Message) error {
	const onwards = `UPDATE conversations SET leaf_id = CASE WHEN leaf_id = $1 THEN $2 ELSE leaf_id END`
	if m.Role == agent.FromTool || len(m.ToolCalls) > 0 {
		_, err := t.Exec(onwards+` WHERE id = $3`, m.ParentID, m.ID, m.ConversationID)
		return err
	}
	_, err := t.Exec(onwards+`, updated_at = $3 WHERE id = $4`, m.ParentID, m.ID, sqlite.MS(m.CreatedAt), m.ConversationID)
	return err
}

// newestOf returns the last message of a run, which is the one it answers as
// long as there is no other: the one that no message of the run answers.
func newestOf(ctx context.Context, from sqlite.Reader, runID string) (string, error) {
	var id string
	err := from.QueryRowContext(ctx, `SELECT m.id FROM messages m WHERE m.run_id = $1
		AND m.id NOT IN (SELECT parent_id FROM messages WHERE run_id = $1) ORDER BY m.id DESC LIMIT 1`, runID).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) { // it continues behind a message of an earlier run
		err = from.QueryRowContext(ctx, `SELECT message_id FROM runs WHERE id = $1`, runID).Scan(&id)
	}
	return id, sqlite.NotFound(err, agent.NoRun)
}

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
	cited, err := readable.CitedMessages(ctx, s.db, m.ConversationID, []agent.Message{m})
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
		return t.ExecOr(agent.Errorf(agent.NotFound, "There is no such user message in this conversation."),
			`UPDATE messages SET pinned = $1 WHERE id = $2 AND conversation_id = $3 AND role = 'user'`, pinned, messageID, conversationID)
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
	Steered   bool             `json:"steered,omitempty"`
	Citations []agent.Citation `json:"citations,omitempty"`
	Unknown   []string         `json:"unknown,omitempty"`
	Hosts     []string         `json:"hosts,omitempty"`
}

// sourcesOf encodes a message's sources for storage, "" for none.
func sourcesOf(m agent.Message) (string, error) {
	if len(m.DocumentID)+len(m.Citations)+len(m.UnknownCitations)+len(m.LinkHosts) == 0 && !m.Steered {
		return "", nil
	}
	return toJSON(messageSources{m.DocumentID, m.Steered, m.Citations, m.UnknownCitations, m.LinkHosts})
}

func readSources(text string, m *agent.Message) error {
	if text == "" {
		return nil
	}
	var s messageSources
	err := fromJSON(text, &s)
	m.DocumentID, m.Steered, m.Citations, m.UnknownCitations, m.LinkHosts = s.Document, s.Steered, s.Citations, s.Unknown, s.Hosts
	return err
}

// Transcript returns a part of the log without the deltas of what is final: whole
// runs, and the approvals of other runs that still cover calls or were revoked. What messages cite
// is named as it is now.
func (s *Conversations) Transcript(ctx context.Context, conversationID string, p agent.LogPart) (agent.Transcript, error) {
	var t agent.Transcript
	err := s.db.View(ctx, func(from sqlite.Reader) (err error) {
		var end int64
		if t.From, end, err = spanOf(ctx, from, conversationID, p); err != nil {
			return err
		}
		t.Events, err = sqlite.List(ctx, from, eventlog.Scan, `SELECT `+eventlog.Columns+` FROM events e
			WHERE e.conversation_id = $1 AND e.seq >= $2 AND e.seq <= $3 AND `+ofRuns("$4")+` AND NOT `+eventlog.Superseded+` ORDER BY e.seq`, conversationID, t.From, end, jsonList(p.Runs))
		if err != nil {
			return err
		}
		if t.Events, err = readable.CitedEvents(ctx, from, conversationID, t.Events); err != nil {
			return err
		}
		t.Covers, err = sqlite.List(ctx, from, eventlog.Scan, `SELECT `+eventlog.Columns+` FROM (
				SELECT DISTINCT run_id FROM approvals WHERE conversation_id = $1 AND scope = 'conversation'
			) a CROSS JOIN events e WHERE e.run_id = a.run_id AND e.`+eventlog.IsWhole+`
			AND (e.seq < $2 OR e.seq > $3 OR NOT `+ofRuns("$4")+`) AND e.type IN ('approval-requested', 'approval-decided', 'notice') ORDER BY e.seq`, conversationID, t.From, end, jsonList(p.Runs))
		if err != nil {
			return err
		}
		t.Covers, err = readable.Events(ctx, from, conversationID, t.Covers)
		return err
	})
	return t, err
}

// behindAll is behind every event.
const behindAll = int64(1) << 62

// ofRuns is the condition of an event of some runs, a JSON array of ids, of runs below others, or of
// none; all are for an empty one.
func ofRuns(ids string) string {
	return `(` + ids + ` = '[]' OR e.run_id = '' OR e.parent_run_id <> '' OR e.run_id IN (SELECT value FROM json_each(` + ids + `)))`
}

// begins is the condition under which an event begins a message, or nearly so: a run
// begins with that of a person, a step with that of the model.
const begins = `e.parent_run_id = '' AND e.type IN ('run-start', 'step-start')`

// spanOf finds the first and the last event of a part. The runs of its first and its last message are whole in it.
func spanOf(ctx context.Context, from sqlite.Reader, conversationID string, p agent.LogPart) (first, last int64, err error) {
	before, runs := cmp.Or(p.Before, behindAll), jsonList(p.Runs)
	first = 1 // where there are fewer
	err = from.QueryRowContext(ctx, `SELECT (SELECT MIN(f.seq) FROM events f WHERE f.run_id = e.run_id AND f.`+eventlog.IsWhole+`)
		FROM events e WHERE e.conversation_id = $1 AND e.seq < $2 AND `+begins+` AND `+ofRuns("$3")+` ORDER BY e.seq DESC LIMIT 1 OFFSET $4`,
		conversationID, before, runs, p.Messages).Scan(&first)
	if err = sqlite.OrNone(err); err != nil || p.Before == 0 || p.ToEnd {
		return first, behindAll, err
	}
	last = before - 1
	err = from.QueryRowContext(ctx, `SELECT (SELECT MAX(f.seq) FROM events f WHERE f.run_id = e.run_id AND f.`+eventlog.IsWhole+`)
		FROM events e WHERE e.conversation_id = $1 AND e.seq < $2 AND `+begins+` AND `+ofRuns("$3")+` ORDER BY e.seq DESC LIMIT 1`,
		conversationID, before, runs).Scan(&last)
	return first, max(last, before-1), sqlite.OrNone(err)
}

// PlaceOf is the number of the event before which a part of the log has a message in
// its middle, 0 where that is among the newest; of some runs as those of a LogPart. NotFound where there is none.
func (s *Conversations) PlaceOf(ctx context.Context, conversationID, messageID string, runs []string, part int) (int64, error) {
	var at, before int64
	err := s.db.QueryRowContext(ctx, `SELECT e.seq FROM events e WHERE e.conversation_id = $1 AND e.subject = $2 AND e.type = 'message'`,
		conversationID, messageID).Scan(&at)
	if err != nil {
		return 0, sqlite.NotFound(err, "There is no such message in this conversation.")
	}
	err = s.db.QueryRowContext(ctx, `SELECT e.seq FROM events e WHERE e.conversation_id = $1 AND e.seq > $2 AND `+begins+` AND `+ofRuns("$3")+`
		ORDER BY e.seq LIMIT 1 OFFSET $4`, conversationID, at, jsonList(runs), part/2).Scan(&before)
	return before, sqlite.OrNone(err)
}

// CitedNow are events of a conversation in which messages cite its documents as they are now.
// It leaves the events that it was given alone. The caller has checked the viewer.
func (s *Conversations) CitedNow(ctx context.Context, conversationID string, events []agent.Event) ([]agent.Event, error) {
	return readable.CitedEvents(ctx, s.db, conversationID, events)
}

// messageOf is a message as it is stored.
func messageOf(t *sqlite.Tx, id string) (agent.Message, error) {
	m, err := scanMessage(t.Row(`SELECT `+messageColumns+` FROM messages m WHERE m.id = $1`, id))
	return m, sqlite.NotFound(err, noMessage)
}

// noMessage is what stands for a message that is not there, or not the viewer's.
const noMessage = "There is no such message."
