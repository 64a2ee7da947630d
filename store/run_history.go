package store

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// PastRuns reads the runs that were created in a span of time, From included,
// To not, oldest first, with their calls and answers, and hands them over one
// by one. At most maxCalls calls are read; more is true where some were left.
func (s *Runs) PastRuns(ctx context.Context, from, to time.Time, maxCalls int, each func(agent.PastRun)) (more bool, err error) {
	runs, err := sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.PastRun, error) {
		var p agent.PastRun
		var created int64
		var state string
		err := r.Scan(&p.ID, &p.ConversationID, &p.Title, &p.OwnerEmail, &p.Steps, &created, &state)
		p.CreatedAt = sqlite.FromMS(created)
		if err != nil {
			return p, err
		}
		var st agent.RunState
		err = fromJSON(state, &st)
		p.Compacted = st.Compacted
		return p, err
	}, `SELECT r.id, r.conversation_id, c.title, u.email, r.steps, r.created_at, r.state
		FROM runs r JOIN conversations c ON c.id = r.conversation_id JOIN users u ON u.id = r.user_id
		WHERE r.created_at >= $1 AND r.created_at < $2 ORDER BY r.created_at, r.id`, sqlite.MS(from), sqlite.MS(to))
	if err != nil {
		return false, err
	}
	read := 0
	for _, p := range runs {
		if read >= maxCalls {
			return true, nil
		}
		if p.Calls, err = s.ToolCalls(ctx, p.ID); err != nil {
			return false, err
		}
		if p.Answers, err = s.answers(ctx, p.ID); err != nil {
			return false, err
		}
		read += len(p.Calls)
		each(p)
	}
	return false, nil
}

func (s *Runs) answers(ctx context.Context, runID string) ([]agent.PastAnswer, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.PastAnswer, error) {
		var a agent.PastAnswer
		err := r.Scan(&a.MessageID, &a.Content)
		return a, err
	}, `SELECT id, content FROM messages WHERE run_id = $1 AND role = 'assistant' ORDER BY id`, runID)
}
