package store

import (
	"context"

	"fusebox/agent"
)

// Runs keeps runs as people ask for them, abort them and look at them, with their
// tool calls and the exchanges with models.
type Runs struct{ *core }

// Run returns a run to its owner, to admins, and to reviewers where it has an approval.
func (s *Runs) Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error) {
	run, err := scanRun(s.read.QueryRowContext(ctx, `SELECT `+runColumns+`
		FROM runs r JOIN conversations c ON c.id = r.conversation_id
		WHERE r.id = $1 AND (c.owner_id = $2 OR $3 OR ($4 AND EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = r.id)))`,
		id, v.UserID, v.SeesAll(), v.Role.Reviews()))
	if err != nil {
		return nil, notFound(err, noRun)
	}
	return &run, nil
}

// ActiveRun returns the conversation's run that is queued, running or paused.
func (s *Runs) ActiveRun(ctx context.Context, conversationID string) (*agent.Run, error) {
	run, err := scanRun(s.read.QueryRowContext(ctx, `SELECT `+runColumns+` FROM runs r
		WHERE r.conversation_id = $1 AND r.status IN ('queued', 'running', 'paused')`, conversationID))
	if err != nil {
		return nil, notFound(err, "No run of this conversation is active.")
	}
	return &run, nil
}
