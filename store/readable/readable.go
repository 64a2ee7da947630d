package readable

import (
	"context"
	"encoding/json"
	"slices"

	"fusebox/agent"
	"fusebox/agent/sources"
	"fusebox/store/sqlite"
)

// What tools have read of documents is stored as it was read, and shown as far as these are open
// to the conversation's owner when it is looked at: a right that comes back brings it back.

// Messages are those of a conversation as they may be read now. It leaves the messages that it
// was given alone.
func Messages(ctx context.Context, from sqlite.Reader, conversationID string, messages []agent.Message) ([]agent.Message, error) {
	if !slices.ContainsFunc(messages, func(m agent.Message) bool { return m.Role == agent.FromTool }) {
		return messages, nil
	}
	closed, err := Closed(ctx, from, conversationID)
	return sources.Readable(messages, closed), err
}

// Events are those of a conversation as they may be read now. It leaves the events that it
// was given alone.
func Events(ctx context.Context, from sqlite.Reader, conversationID string, events []agent.Event) ([]agent.Event, error) {
	if !slices.ContainsFunc(events, tellsOfResults) {
		return events, nil
	}
	closed, err := Closed(ctx, from, conversationID)
	if len(closed) == 0 || err != nil {
		return events, err
	}
	events = slices.Clone(events)
	for i := range events {
		if data := readableData(events[i], closed); data != nil {
			events[i].Data, events[i].Encoded = data, nil
		}
	}
	return events, nil
}

// tellsOfResults reports whether an event may have the result of a call.
func tellsOfResults(e agent.Event) bool {
	switch d := e.Data.(type) {
	case agent.MessageEvent:
		return d.Message.Role == agent.FromTool
	case agent.ToolCallResult, agent.GuardEvent, agent.ApprovalRequestedEvent:
		return true
	default:
		return false
	}
}

// readableData is what an event may tell now, nil where that is all.
func readableData(e agent.Event, closed agent.ClosedDocuments) agent.EventData {
	switch d := e.Data.(type) {
	case agent.MessageEvent:
		if d.Message.Role == agent.FromTool {
			return agent.MessageEvent{Message: sources.Readable([]agent.Message{d.Message}, closed)[0]}
		}
	case agent.ToolCallResult:
		d.Result = sources.Without(d.Result, closed[agent.CallID{RunID: e.RunID, CallID: d.ToolCallID}])
		return d
	case agent.GuardEvent:
		d.Evidence = readableEvidence(d.Evidence, e.RunID, closed)
		return d
	case agent.ApprovalRequestedEvent:
		if d.Kind == agent.KindLoop {
			d.Evidence = readableEvidence(d.Evidence, e.RunID, closed)
			return d
		}
	}
	return nil
}

// readableEvidence is the evidence of a loop of a run as it may be read now.
func readableEvidence(raw json.RawMessage, runID string, closed agent.ClosedDocuments) json.RawMessage {
	var e agent.LoopEvidence
	if json.Unmarshal(raw, &e) != nil { // a page says so
		return raw
	}
	changed := false
	for i, c := range e.Calls {
		id := agent.CallID{RunID: runID, CallID: c.ToolCallID}
		if c.RunID != "" {
			id.RunID = c.RunID
		}
		if of := closed[id]; len(of) > 0 {
			e.Calls[i].Result, changed = sources.Without(c.Result, of), true
		}
	}
	if !changed {
		return raw
	}
	return agent.MustJSON(e)
}

// Approval changes one into what may be read of it now.
func Approval(ctx context.Context, from sqlite.Reader, a *agent.Approval) error {
	if a.Kind != agent.KindLoop {
		return nil
	}
	closed, err := Closed(ctx, from, a.ConversationID)
	if len(closed) > 0 {
		a.Evidence = readableEvidence(a.Evidence, a.RunID, closed)
	}
	return err
}

// callDocuments are the documents that the calls of a conversation have read. One is closed that
// its owner has no right to read, and one that is deleted and was not theirs.
const callDocuments = `SELECT k.run_id, k.call_id, k.document_id,
	NOT EXISTS (SELECT 1 FROM documents AS d JOIN collection_rights AS o ON o.collection_id = d.collection_id
		WHERE d.id = k.document_id AND o.user_id = c.owner_id)
	AND NOT EXISTS (SELECT 1 FROM deleted_documents AS x WHERE x.user_id = c.owner_id AND x.id = k.document_id)
	FROM conversations AS c CROSS JOIN call_documents AS k ON k.conversation_id = c.id WHERE c.id = $1`

// CallDocuments are the documents that the calls of a conversation have read, as open to its
// owner as they are now.
func CallDocuments(ctx context.Context, from sqlite.Reader, conversationID string) ([]agent.CallDocument, error) {
	return sqlite.List(ctx, from, func(r sqlite.Scanner) (d agent.CallDocument, err error) {
		err = r.Scan(&d.RunID, &d.CallID.CallID, &d.DocumentID, &d.Closed)
		return d, err
	}, callDocuments, conversationID)
}

// Closed are the documents that calls of a conversation have read and that are closed now.
func Closed(ctx context.Context, from sqlite.Reader, conversationID string) (agent.ClosedDocuments, error) {
	read, err := CallDocuments(ctx, from, conversationID)
	return agent.ClosedOf(read), err
}

// NoteDocuments keeps which documents a call has read. One that shares the result of its twin has
// read the same.
func NoteDocuments(t *sqlite.Tx, change agent.CallChange) error {
	c := change.Call
	if change.Event == agent.CallShared {
		_, err := t.Exec(`INSERT INTO call_documents SELECT conversation_id, run_id, $1, document_id FROM call_documents
			WHERE conversation_id = $2 AND run_id = $3 AND call_id = $4 ON CONFLICT DO NOTHING`, c.ID, c.ConversationID, c.RunID, c.Authority.ID)
		return err
	}
	for _, id := range c.Documents {
		if _, err := t.Exec(`INSERT INTO call_documents (conversation_id, run_id, call_id, document_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			c.ConversationID, c.RunID, c.ID, id); err != nil {
			return err
		}
	}
	return nil
}
