package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

const queuedColumns = `q.id, q.conversation_id, q.user_id, q.token_id, q.client_id, q.run_id, q.goes_in, q.held, q.content, q.document_id, q.agent, q.workflow, q.inputs, q.created_at, q.parent_id`

func scanQueued(r sqlite.Scanner) (m agent.QueuedMessage, err error) {
	var inputs string
	err = r.Scan(&m.ID, &m.ConversationID, &m.UserID, &m.TokenID, &m.ClientID, &m.RunID, &m.GoesIn, &m.Held, &m.Content, &m.DocumentID, &m.Agent,
		&m.Workflow, &inputs, sqlite.Time(&m.CreatedAt), &m.ParentID)
	err = cmp.Or(err, fromJSON(inputs, &m.Inputs))
	return m, err
}

// queued are the messages that wait in a conversation, in their order.
const queued = `SELECT ` + queuedColumns + ` FROM queued_messages q WHERE q.conversation_id = $1 AND q.message_id = '' ORDER BY q.position`

// Queue is what waits in a conversation. The caller has checked the viewer.
func (s *Runs) Queue(ctx context.Context, conversationID string) (agent.Queue, error) {
	all, err := sqlite.List(ctx, s.db, scanQueued, queued, conversationID)
	return agent.QueueOf(bySteering(all)), err
}

// bySteering puts what steers the run before what waits for its turn.
func bySteering(all []agent.QueuedMessage) []agent.QueuedMessage {
	slices.SortStableFunc(all, func(a, b agent.QueuedMessage) int {
		switch {
		case a.RunID != "" && b.RunID == "":
			return -1
		case a.RunID == "" && b.RunID != "":
			return 1
		default:
			return 0
		}
	})
	return all
}

func queueOf(t *sqlite.Tx, conversationID string) ([]agent.QueuedMessage, error) {
	all, err := sqlite.ListIn(t, scanQueued, queued, conversationID)
	return bySteering(all), err
}

// toldQueue is the event about what waits in a conversation now.
func toldQueue(t *sqlite.Tx, conversationID string) (agent.Event, error) {
	all, err := queueOf(t, conversationID)
	return agent.Event{Data: agent.QueueOf(all).Told()}, err
}

// tellQueue writes that event.
func tellQueue(t *sqlite.Tx, conversationID string) error {
	told, err := toldQueue(t, conversationID)
	if err == nil {
		_, err = eventlog.Append(t, conversationID, []agent.Event{told})
	}
	return err
}

// AddQueued stores a message that waits until the conversation's run has ended; see service.MessageStore.
func (s *Runs) AddQueued(ctx context.Context, m agent.QueuedMessage) (agent.Queued, error) {
	var done agent.Queued
	err := s.db.Write(ctx, true, func(t *sqlite.Tx) (err error) {
		done, err = wasQueued(t, m)
		if err != nil || done.ID != "" || done.Was != nil {
			return err
		}
		var works, stopped, goesOn bool
		if err := t.Row(`SELECT EXISTS (SELECT 1 FROM runs WHERE conversation_id = $1 AND parent_run_id = '' AND `+openStatus+`),
			EXISTS (SELECT 1 FROM runs WHERE conversation_id = $1 AND parent_run_id = '' AND `+openStatus+` AND abort_by <> ''),
			EXISTS (SELECT 1 FROM queued_messages WHERE conversation_id = $1 AND run_id = '' AND NOT held)`, m.ConversationID).Scan(&works, &stopped, &goesOn); err != nil {
			return err
		}
		if done.Idle = !works && !goesOn; done.Idle {
			return nil
		}
		first := false
		if stopped { // a message sent after the stop is next, and releases what the stop has held
			if first, err = letGo(t, m.ConversationID); err != nil {
				return err
			}
		}
		done.ID = m.ID
		return s.insertQueued(t, m, first)
	})
	return done, err
}

// wasQueued finds what the same client id became before.
func wasQueued(t *sqlite.Tx, m agent.QueuedMessage) (agent.Queued, error) {
	var done agent.Queued
	if m.ClientID == "" {
		return done, nil
	}
	was, err := existing(t, agent.NewMessage{ConversationID: m.ConversationID, ClientID: m.ClientID})
	if err != nil || was.Existing {
		done.Was = &was
		return done, err
	}
	err = t.Row(`SELECT id FROM queued_messages WHERE conversation_id = $1 AND client_id = $2 AND client_id <> ''`, m.ConversationID, m.ClientID).Scan(&done.ID)
	return done, sqlite.OrNone(err)
}

// insertQueued puts a message at the end of those that wait, or before all of them.
func (s *Runs) insertQueued(t *sqlite.Tx, m agent.QueuedMessage, first bool) error {
	if err := s.db.Room(); err != nil {
		return err
	}
	var waiting int
	if err := t.Row(`SELECT COUNT(*) FROM queued_messages WHERE conversation_id = $1 AND message_id = ''`, m.ConversationID).Scan(&waiting); err != nil {
		return err
	}
	if waiting >= agent.MaxQueued {
		return agent.Errorf(agent.Conflict, "%d messages wait in this conversation already. Let some be answered, or delete some.", waiting)
	}
	inputs, err := toJSON(m.Inputs)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO queued_messages (id, conversation_id, user_id, token_id, client_id, run_id, goes_in, position, content, document_id, agent, workflow, inputs, created_at, parent_id)
		SELECT $1, $2, $3, $4, $5, $6, $7, CASE WHEN $8 THEN COALESCE(MIN(position), 0) - 1 ELSE COALESCE(MAX(position), 0) + 1 END,
			$9, $10, $11, $12, $13, $14, $15 FROM queued_messages WHERE conversation_id = $2 AND message_id = ''`,
		m.ID, m.ConversationID, m.UserID, m.TokenID, m.ClientID, m.RunID, m.GoesIn, first, m.Content, m.DocumentID, m.Agent, m.Workflow, inputs, sqlite.MS(agent.Stamp(t.Clock)), m.ParentID)
	if err != nil {
		return err
	}
	return tellQueue(t, m.ConversationID)
}

const noQueued = "This message does not wait any more."

// ChangeQueued changes the text or the place of a message that waits for its turn; see service.MessageStore.
func (s *Runs) ChangeQueued(ctx context.Context, conversationID, id string, p agent.QueuedPatch) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		all, err := queueOf(t, conversationID)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(m agent.QueuedMessage) bool { return m.RunID != "" })
		at := slices.IndexFunc(all, func(m agent.QueuedMessage) bool { return m.ID == id })
		if at < 0 {
			return agent.Errorf(agent.NotFound, noQueued)
		}
		if p.Content != nil {
			if _, err := t.Exec(`UPDATE queued_messages SET content = $1 WHERE id = $2`, *p.Content, id); err != nil {
				return err
			}
		}
		if p.Position != nil {
			m := all[at]
			all = slices.Insert(slices.Delete(all, at, at+1), min(max(*p.Position, 0), len(all)-1), m)
			if err := placeQueued(t, all); err != nil {
				return err
			}
		}
		return tellQueue(t, conversationID)
	})
}

// placeQueued gives messages that wait the places in which they are given.
func placeQueued(t *sqlite.Tx, all []agent.QueuedMessage) error {
	for i, m := range all {
		if _, err := t.Exec(`UPDATE queued_messages SET position = $1 WHERE id = $2`, i+1, m.ID); err != nil {
			return err
		}
	}
	return nil
}

// RemoveQueued takes a message back that waits, be it for its turn or for the run that it steers.
func (s *Runs) RemoveQueued(ctx context.Context, conversationID, id string) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if err := t.ExecOr(agent.Errorf(agent.NotFound, noQueued),
			`DELETE FROM queued_messages WHERE id = $1 AND conversation_id = $2 AND message_id = ''`, id, conversationID); err != nil {
			return err
		}
		return tellQueue(t, conversationID)
	})
}

// ResumeQueue lets what is held of a queue go on.
func (s *Runs) ResumeQueue(ctx context.Context, conversationID string) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if let, err := letGo(t, conversationID); err != nil || !let {
			return err
		}
		return tellQueue(t, conversationID)
	})
}

// letGo lets what is held of a queue go on, and reports whether anything was.
func letGo(t *sqlite.Tx, conversationID string) (bool, error) {
	n, err := t.Exec(`UPDATE queued_messages SET held = FALSE WHERE conversation_id = $1 AND message_id = '' AND held`, conversationID)
	return n > 0, err
}

// holdBehind holds the messages that wait for a run which is being stopped, or steer it. For a child run it does
// nothing: messages wait for the root.
func holdBehind(t *sqlite.Tx, runID string) error {
	var conversationID string
	err := t.Row(`SELECT conversation_id FROM runs WHERE id = $1 AND parent_run_id = ''`, runID).Scan(&conversationID)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	n, err := t.Exec(`UPDATE queued_messages SET held = TRUE WHERE conversation_id = $1 AND message_id = '' AND NOT held`, conversationID)
	if err != nil || n == 0 {
		return err
	}
	return tellQueue(t, conversationID)
}

// HoldQueue holds what waits for its turn, and says why.
func (s *Runs) HoldQueue(ctx context.Context, conversationID, why string) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		n, err := t.Exec(`UPDATE queued_messages SET held = TRUE WHERE conversation_id = $1 AND run_id = '' AND NOT held`, conversationID)
		if err != nil || n == 0 {
			return err
		}
		told, err := toldQueue(t, conversationID)
		if err == nil {
			_, err = eventlog.Append(t, conversationID, []agent.Event{told, {Data: agent.Notice{Message: why}}})
		}
		return err
	})
}

// readyQueued are the first messages of the queues that go on, of conversations without a run at work.
const readyQueued = `SELECT ` + queuedColumns + ` FROM queued_messages q WHERE q.run_id = '' AND NOT q.held
	AND NOT EXISTS (SELECT 1 FROM queued_messages b WHERE b.conversation_id = q.conversation_id AND b.run_id = '' AND NOT b.held AND b.position < q.position)
	AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.conversation_id = q.conversation_id AND r.parent_run_id = '' AND r.status IN ('queued', 'running', 'paused'))`

// ReadyQueued are the messages whose turn has come, at most limit of them; see service.MessageStore.
func (s *Runs) ReadyQueued(ctx context.Context, conversationID string, limit int) ([]agent.QueuedMessage, error) {
	if conversationID != "" {
		return sqlite.List(ctx, s.db, scanQueued, readyQueued+` AND q.conversation_id = $1 LIMIT $2`, conversationID, limit)
	}
	return sqlite.List(ctx, s.db, scanQueued, readyQueued+` LIMIT $1`, limit)
}

// moveQueue does what a message that gets its run means for the queue: one that waited for its
// turn leaves it, any other lets what was held go on. It reports whether the queue has changed.
// Conflict where the one that waited is not as it was read.
func moveQueue(t *sqlite.Tx, p agent.NewMessage) (bool, error) {
	if p.QueuedID == "" {
		var again int64 // the same message, sent once more while it waits
		if p.ClientID != "" {
			var err error
			if again, err = t.Exec(`DELETE FROM queued_messages WHERE conversation_id = $1 AND client_id = $2 AND client_id <> '' AND message_id = ''`, p.ConversationID, p.ClientID); err != nil {
				return false, err
			}
		}
		let, err := letGo(t, p.ConversationID)
		return let || again > 0, err
	}
	return true, t.ExecOr(agent.Errorf(agent.Conflict, noQueued),
		`DELETE FROM queued_messages WHERE id = $1 AND run_id = '' AND NOT held AND content = $2`, p.QueuedID, p.Content)
}
