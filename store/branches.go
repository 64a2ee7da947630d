package store

import (
	"context"
	"slices"

	"fusebox/agent"
	"fusebox/store/readable"
	"fusebox/store/sqlite"
)

// worthKeeping is the length from which on a branch is kept. Shorter ones are read as quickly.
const worthKeeping = 32

// roomToGrow is how many messages a run can add to a branch before it is copied.
const roomToGrow = 64

// keepBranch keeps a branch in the place of the earlier one of a conversation or child run, so that a turn
// of a long one reads what is new in it. Messages do not change once they are stored, but
// for their pins, which are not kept.
func (c *core) keepBranch(of string, messages []agent.Message) {
	if len(messages) < worthKeeping {
		c.branches.Take(of)
		return
	}
	size := 0
	for i := range messages {
		size += messages[i].Size()
	}
	c.branches.Put(of, messages, size)
}

// branch returns the path from the root to a leaf, oldest first. That of a child run is its own.
func (c *core) branch(ctx context.Context, from sqlite.Reader, of agent.Run, leafID string) ([]agent.Message, error) {
	conversationID, key := of.ConversationID, of.ConversationID
	if of.Lineage.IsChild() {
		key = of.ID
	}
	known := c.branches.Get(key) // must not be changed
	whole := known
	if leafID != leafOf(known) {
		read, err := readBranch(ctx, from, conversationID, leafID, leafOf(known))
		if err != nil {
			return nil, err
		}
		if len(read) > 0 && read[0].ParentID == leafOf(known) {
			joined := make([]agent.Message, 0, len(known)+len(read)+roomToGrow)
			read = append(append(joined, known...), read...)
		}
		whole = slices.Grow(read[max(len(read)-maxBranch, 0):], roomToGrow)
		c.keepBranch(key, slices.Clip(whole)) // what is behind its end is the caller's
	}
	return withPins(ctx, from, conversationID, whole)
}

// leafOf is the newest message of a branch, "" for none.
func leafOf(messages []agent.Message) string {
	if len(messages) == 0 {
		return ""
	}
	return messages[len(messages)-1].ID
}

// readBranch reads the path to a leaf from behind a message that is known, or from
// the root where that is not on it. The joins are crossed because SQLite, which has
// no statistics here, would begin with the table of all messages.
func readBranch(ctx context.Context, from sqlite.Reader, conversationID, leafID, known string) ([]agent.Message, error) {
	messages, err := sqlite.List(ctx, from, scanMessage, `WITH RECURSIVE path(id, parent_id, depth) AS (
			SELECT id, parent_id, 1 FROM messages WHERE id = $1 AND conversation_id = $2
			UNION ALL
			SELECT p.id, p.parent_id, path.depth + 1 FROM path CROSS JOIN messages p
			WHERE p.id = path.parent_id AND p.conversation_id = $2 AND p.id <> $3 AND path.depth < $4
		)
		SELECT `+messageColumns+` FROM path CROSS JOIN messages m WHERE m.id = path.id`,
		leafID, conversationID, known, maxBranch)
	return pathTo(leafID, messages), err
}

// pathTo puts the messages of a path in order, oldest first. The database would copy
// all that they say to sort them.
func pathTo(leafID string, messages []agent.Message) []agent.Message {
	place := make(map[string]int, len(messages))
	for i := range messages {
		place[messages[i].ID] = i
	}
	path := make([]agent.Message, len(messages))
	for i, id := len(path)-1, leafID; i >= 0; i-- {
		path[i] = messages[place[id]]
		id = path[i].ParentID
	}
	return path
}

// withPins marks the messages of a branch that are pinned now.
func withPins(ctx context.Context, from sqlite.Reader, conversationID string, messages []agent.Message) ([]agent.Message, error) {
	pinned, err := pinnedMessages(ctx, from, conversationID)
	if err != nil || len(pinned) == 0 {
		return messages, err
	}
	messages = slices.Clone(messages)
	for i := range messages {
		messages[i].Pinned = slices.Contains(pinned, messages[i].ID)
	}
	return messages, nil
}

// Messages returns the branch of a conversation that is chosen; see Branch.
func (s *Conversations) Messages(ctx context.Context, v agent.Viewer, id string) ([]agent.Message, error) {
	return s.Branch(ctx, v, id, "")
}

// Branch returns a branch of a conversation, oldest first: the one that a message of it names, or
// that is chosen where none is named. What it cites is named as it is now.
func (s *Conversations) Branch(ctx context.Context, v agent.Viewer, id, messageID string) ([]agent.Message, error) {
	var messages []agent.Message
	c, err := s.Conversation(ctx, v, id)
	if err != nil {
		return nil, err
	}
	err = s.db.View(ctx, func(from sqlite.Reader) error {
		leaf := ""
		if messageID != "" {
			leaf, err = leafBelow(ctx, from, c.ID, messageID)
		} else {
			err = from.QueryRowContext(ctx, `SELECT leaf_id FROM conversations WHERE id = $1`, c.ID).Scan(&leaf)
		}
		if err != nil {
			return sqlite.NotFound(err, agent.NoConversation)
		}
		if messages, err = s.branch(ctx, from, agent.Run{ConversationID: c.ID}, leaf); err != nil {
			return err
		}
		messages, err = withSiblings(ctx, from, c.ID, messages)
		return err
	})
	if err != nil {
		return nil, err
	}
	if messages, err = readable.Messages(ctx, s.db, c.ID, messages); err != nil {
		return nil, err
	}
	return readable.CitedMessages(ctx, s.db, c.ID, messages)
}

func insertCompaction(t *sqlite.Tx, c agent.Compaction) error {
	_, err := t.Exec(`INSERT INTO compactions (id, conversation_id, run_id, up_to, leaf, summary, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, c.ID, c.ConversationID, c.RunID, c.UpTo, c.Leaf, c.Summary, sqlite.MS(c.CreatedAt))
	return err
}

// compactions are those of a conversation, oldest first.
func compactions(ctx context.Context, from sqlite.Reader, conversationID string) ([]agent.Compaction, error) {
	return sqlite.List(ctx, from, func(r sqlite.Scanner) (c agent.Compaction, err error) {
		err = r.Scan(&c.ID, &c.ConversationID, &c.RunID, &c.UpTo, &c.Leaf, &c.Summary, sqlite.Time(&c.CreatedAt))
		return c, err
	}, `SELECT id, conversation_id, run_id, up_to, leaf, summary, created_at
		FROM compactions WHERE conversation_id = $1 ORDER BY id`, conversationID)
}

// siblings are the messages of a conversation that are versions of each other, by the message that
// they follow, and those that follow the end of a branch. Those that begin the tasks of child runs follow none, as those that begin a conversation do.
const siblings = `SELECT m.parent_id, m.id, m.run_id FROM messages m WHERE m.conversation_id = $1
	AND m.parent_id IN (SELECT parent_id FROM messages WHERE conversation_id = $1 GROUP BY parent_id HAVING COUNT(*) > 1 OR parent_id = $2)
	AND (m.parent_id <> '' OR NOT ` + ofChild + `) ORDER BY m.parent_id, m.id`

// withSiblings names the versions of each message of a branch that has several, and what follows its end.
func withSiblings(ctx context.Context, from sqlite.Reader, conversationID string, messages []agent.Message) ([]agent.Message, error) {
	if len(messages) == 0 {
		return messages, nil
	}
	following := map[string][]string{}
	err := eachSibling(ctx, from, conversationID, leafOf(messages), func(parent, id, _ string) {
		following[parent] = append(following[parent], id)
	})
	if err != nil || len(following) == 0 {
		return messages, err
	}
	messages = slices.Clone(messages)
	for i := range messages {
		if all := following[messages[i].ParentID]; len(all) > 1 {
			messages[i].Siblings = all
		}
	}
	messages[len(messages)-1].Followers = following[leafOf(messages)]
	return messages, nil
}

// eachSibling hands over the messages that siblings finds: what they follow, themselves, and their runs.
func eachSibling(ctx context.Context, from sqlite.Reader, conversationID, leafID string, take func(parent, id, runID string)) error {
	return sqlite.Each(ctx, from, func(r sqlite.Scanner) error {
		var parent, id, runID string
		err := r.Scan(&parent, &id, &runID)
		take(parent, id, runID)
		return err
	}, siblings, conversationID, leafID)
}
