package store

import (
	"context"

	"fusebox/agent"
)

// EnqueueRetry stores a run that continues where a failed one stopped; see agent.DeskStore.
func (s *Runs) EnqueueRetry(ctx context.Context, a agent.RetryRun) error {
	return s.write.do(ctx, true, func(t *tx) error {
		from, err := goesOnFrom(t, a)
		if err != nil {
			return err
		}
		limits, err := toJSON(a.Limits)
		if err != nil {
			return err
		}
		state, err := toJSON(agent.RunState{Outputs: a.Outputs, Values: a.Values})
		if err != nil {
			return err
		}
		n, err := t.exec(`INSERT INTO runs (id, conversation_id, user_id, message_id, status, model, limits, state, created_at)
			VALUES ($1, $2, $3, $4, 'queued', $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
			a.RunID, a.ConversationID, a.UserID, from, a.Model, limits, state, ms(agent.Stamp(s.clock)))
		if err != nil {
			return err
		}
		if n == 0 {
			return agent.Errorf(agent.Conflict, "A run of this conversation is already active.")
		}
		_, err = t.exec(`UPDATE conversations SET leaf_id = $1 WHERE id = $2`, from, a.ConversationID)
		return err
	})
}

// goesOnFrom is the message behind which a failed run continues. Text that broke
// off is left out: the model writes its answer again.
func goesOnFrom(t *tx, a agent.RetryRun) (string, error) {
	var newest, leaf, start string
	err := t.row(`SELECT (SELECT r.id FROM runs r WHERE r.conversation_id = c.id ORDER BY r.id DESC LIMIT 1), c.leaf_id,
			(SELECT r.message_id FROM runs r WHERE r.id = $1)
		FROM conversations c WHERE c.id = $2 AND c.owner_id = $3`, a.FailedID, a.ConversationID, a.UserID).Scan(&newest, &leaf, &start)
	if err != nil {
		return "", notFound(err, noConversation)
	}
	m, err := scanMessage(t.row(`SELECT `+messageColumns+` FROM messages m WHERE m.id = $1`, leaf))
	if err != nil {
		return "", notFound(err, noRun)
	}
	if newest != a.FailedID || m.RunID != a.FailedID && m.ID != start {
		return "", agent.Errorf(agent.Conflict, "The conversation has continued since. Send a message to continue from here.")
	}
	for range maxBranch { // several, where an answer was cut and its continuation broke off
		if m.Role != agent.FromAssistant || len(m.ToolCalls) > 0 {
			break
		}
		if m, err = scanMessage(t.row(`SELECT `+messageColumns+` FROM messages m WHERE m.id = $1`, m.ParentID)); err != nil {
			return "", notFound(err, noRun)
		}
	}
	return m.ID, nil
}
