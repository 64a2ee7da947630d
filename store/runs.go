package store

import (
	"context"

	"fusebox/agent"
)

// Run returns a run to its owner, to admins, and to reviewers where it has an approval.
func (s *Store) Run(ctx context.Context, v agent.Viewer, id string) (*agent.Run, error) {
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
func (s *Store) ActiveRun(ctx context.Context, conversationID string) (*agent.Run, error) {
	run, err := scanRun(s.read.QueryRowContext(ctx, `SELECT `+runColumns+` FROM runs r
		WHERE r.conversation_id = $1 AND r.status IN ('queued', 'running', 'paused')`, conversationID))
	if err != nil {
		return nil, notFound(err, "No run of this conversation is active.")
	}
	return &run, nil
}
