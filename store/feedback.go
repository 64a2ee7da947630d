package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Message is a message of a person or the model in a conversation that the viewer may see.
func (s *Conversations) Message(ctx context.Context, v agent.Viewer, conversationID, id string) (agent.Message, error) {
	if _, err := s.Conversation(ctx, v, conversationID); err != nil {
		return agent.Message{}, err
	}
	m, err := scanMessage(s.db.QueryRowContext(ctx, `SELECT `+messageColumns+` FROM messages m
		WHERE m.id = $1 AND m.conversation_id = $2 AND m.role IN ('user', 'assistant')`, id, conversationID))
	return m, sqlite.NotFound(err, noMessage)
}

// SetFeedback keeps what is said of an answer. The caller has checked the viewer.
func (s *Conversations) SetFeedback(ctx context.Context, f agent.Feedback) error {
	return s.db.Exec(ctx, true, `INSERT INTO feedback (message_id, rating, reason, at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (message_id) DO UPDATE SET rating = excluded.rating, reason = excluded.reason, at = excluded.at`,
		f.MessageID, f.Rating, f.Reason, sqlite.MS(f.At))
}

// RemoveFeedback takes back what the viewer has said of an answer.
func (s *Conversations) RemoveFeedback(ctx context.Context, v agent.Viewer, messageID string) error {
	if _, err := s.OwnMessage(ctx, v, messageID); err != nil {
		return err
	}
	return s.erasing(ctx, func(t *sqlite.Tx) error {
		_, err := t.Exec(`DELETE FROM feedback WHERE message_id = $1`, messageID)
		return err
	})
}

// FeedbackIn is what has been said of the answers of a conversation, by their ids.
func (s *Conversations) FeedbackIn(ctx context.Context, conversationID string) (map[string]agent.Feedback, error) {
	list, err := sqlite.List(ctx, s.db, func(r sqlite.Scanner) (f agent.Feedback, err error) {
		err = r.Scan(&f.MessageID, &f.Rating, &f.Reason)
		return f, err
	}, `SELECT f.message_id, f.rating, f.reason FROM messages m CROSS JOIN feedback f WHERE m.conversation_id = $1 AND f.message_id = m.id`, conversationID)
	all := make(map[string]agent.Feedback, len(list))
	for _, f := range list {
		all[f.MessageID] = f
	}
	return all, err
}

// shownOfAnswer is how many characters of an answer stand beside what was said of it.
const shownOfAnswer = 300

// allFeedback lists what everybody has said, the newest first.
const allFeedback = `SELECT f.message_id, f.rating, f.reason, f.at, m.conversation_id, m.run_id, u.email, COALESCE(r.model, ''), SUBSTR(m.content, 1, $1)
	FROM feedback f CROSS JOIN messages m ON m.id = f.message_id
	JOIN conversations c ON c.id = m.conversation_id JOIN users u ON u.id = c.owner_id
	LEFT JOIN runs r ON r.id = m.run_id
	WHERE (f.at, f.message_id) < ($2, $3) ORDER BY f.at DESC, f.message_id DESC LIMIT $4`

// Feedback lists what everybody has said of answers, the newest first.
func (s *Conversations) Feedback(ctx context.Context, p agent.Page) ([]agent.GivenFeedback, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err != nil {
		return nil, "", err
	}
	limit := limitOf(p)
	items, err := sqlite.List(ctx, s.db, func(r sqlite.Scanner) (f agent.GivenFeedback, err error) {
		err = r.Scan(&f.MessageID, &f.Rating, &f.Reason, sqlite.Time(&f.At), &f.ConversationID, &f.RunID, &f.User, &f.Model, &f.Answer)
		return f, err
	}, allFeedback, shownOfAnswer, from.at, from.id, limit+1)
	return page(items, err, limit, func(f agent.GivenFeedback) cursor { return cursor{at: sqlite.MS(f.At), id: f.MessageID} })
}
