package store

import (
	"context"

	"fusebox/agent"
)

func scanCompaction(r scanner) (agent.Compaction, error) {
	var c agent.Compaction
	var created int64
	err := r.Scan(&c.ID, &c.ConversationID, &c.RunID, &c.UpTo, &c.Leaf, &c.Summary, &created)
	c.CreatedAt = fromMS(created)
	return c, err
}

func insertCompaction(t *tx, c agent.Compaction) error {
	_, err := t.exec(`INSERT INTO compactions (id, conversation_id, run_id, up_to, leaf, summary, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, c.ID, c.ConversationID, c.RunID, c.UpTo, c.Leaf, c.Summary, ms(c.CreatedAt))
	return err
}

// compactions are those of a conversation, oldest first.
func compactions(ctx context.Context, from reader, conversationID string) ([]agent.Compaction, error) {
	return list(ctx, from, scanCompaction, `SELECT id, conversation_id, run_id, up_to, leaf, summary, created_at
		FROM compactions WHERE conversation_id = $1 ORDER BY id`, conversationID)
}
