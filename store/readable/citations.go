package readable

import (
	"context"
	"slices"

	"fusebox/agent"
	"fusebox/agent/sources"
	"fusebox/store/sqlite"
)

// citedDocuments tells of passages that a conversation cites, each with its document, what has
// become of them: documents that are open to its owner alone. Passages of a version that was read
// again in another way belong to no document.
const citedDocuments = `SELECT j.value ->> 0, d.id IS NOT NULL, COALESCE(d.name, ''), COALESCE(p.place, ''), COALESCE(d.answers <> p.version, TRUE), COALESCE(x.deleted_at, 0)
	FROM conversations AS c CROSS JOIN json_each($1) AS j
	LEFT JOIN passages AS p ON p.public_id = j.value ->> 0 AND p.document_id <> ''
	LEFT JOIN documents AS d ON d.id = COALESCE(p.document_id, j.value ->> 1)
		AND EXISTS (SELECT 1 FROM collection_rights AS o WHERE o.user_id = c.owner_id AND o.collection_id = d.collection_id)
	LEFT JOIN deleted_documents AS x ON x.id = COALESCE(p.document_id, j.value ->> 1)
		AND EXISTS (SELECT 1 FROM collection_rights AS o WHERE o.user_id = c.owner_id AND o.collection_id = x.collection_id)
	WHERE c.id = $2`

// citedPassage is what has become of a passage and its document: found is false once it is deleted,
// or not open to the owner of the conversation any more.
type citedPassage struct {
	id, name, place string
	found, earlier  bool
	deletedAt       int64
}

func scanCited(r sqlite.Scanner) (p citedPassage, err error) {
	err = r.Scan(&p.id, &p.found, &p.name, &p.place, &p.earlier, &p.deletedAt)
	return p, err
}

// CitedMessages are what messages of a conversation cite as its documents are now, in one query. It
// leaves the messages that it was given alone.
func CitedMessages(ctx context.Context, from sqlite.Reader, conversationID string, messages []agent.Message) ([]agent.Message, error) {
	asked := [][2]string{}
	known := map[string]citedPassage{}
	for _, m := range messages {
		for _, c := range m.Citations {
			if _, seen := known[c.PassageID]; !seen && c.PassageID != "" {
				known[c.PassageID] = citedPassage{}
				asked = append(asked, [2]string{c.PassageID, c.DocumentID})
			}
		}
	}
	if len(asked) == 0 {
		return messages, nil
	}
	passages, err := sqlite.List(ctx, from, scanCited, citedDocuments, string(agent.MustJSON(asked)), conversationID)
	if err != nil {
		return nil, err
	}
	for _, p := range passages {
		known[p.id] = p
	}
	messages = slices.Clone(messages)
	for i := range messages {
		messages[i].Citations = slices.Clone(messages[i].Citations)
		for j, c := range messages[i].Citations {
			if c.PassageID != "" {
				messages[i].Citations[j] = known[c.PassageID].cite(c)
			}
		}
	}
	return messages, nil
}

// cite is a citation of the passage as it is now.
func (p citedPassage) cite(c agent.Citation) agent.Citation {
	switch {
	case p.found:
		c.Name, c.Replaced = sources.Name(p.name, p.place), p.earlier
	case p.deletedAt > 0:
		c.Name, c.DeletedAt = "", sqlite.FromMS(p.deletedAt)
	default:
		c.Name, c.Closed = "", c.DocumentID != "" // older messages do not say it: theirs was deleted
	}
	return c
}

// CitedEvents are events of a conversation as they may be read now, in which messages cite its
// documents as they are now. It leaves the events that it was given alone.
func CitedEvents(ctx context.Context, from sqlite.Reader, conversationID string, events []agent.Event) ([]agent.Event, error) {
	events, err := Events(ctx, from, conversationID, events)
	if err != nil {
		return nil, err
	}
	var at []int
	var messages []agent.Message
	for i, e := range events {
		if m, ok := e.Data.(agent.MessageEvent); ok && len(m.Message.Citations) > 0 {
			at, messages = append(at, i), append(messages, m.Message)
		}
	}
	if len(messages) == 0 {
		return events, nil
	}
	if messages, err = CitedMessages(ctx, from, conversationID, messages); err != nil {
		return nil, err
	}
	events = slices.Clone(events)
	for i, m := range messages {
		events[at[i]].Data, events[at[i]].Encoded = agent.MessageEvent{Message: m}, nil
	}
	return events, nil
}
