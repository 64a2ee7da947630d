package store

import (
	"context"
	"errors"
	"strings"
	"time"

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

const runColumns = `r.id, r.conversation_id, r.user_id, r.status, r.stop_reason, r.model, r.steps, r.usage, r.cost_micros,
	r.limits, r.state, r.active_ms, r.created_at, r.started_at, r.ended_at, r.owner, r.epoch, r.lease_until, r.wake_at, r.abort_by`

func scanRun(r scanner) (agent.Run, error) {
	var run agent.Run
	var usage, limits, state string
	var active, created, started, ended, lease, wake int64
	err := r.Scan(&run.ID, &run.ConversationID, &run.UserID, &run.Status, &run.StopReason, &run.Model, &run.Steps,
		&usage, &run.CostMicros, &limits, &state, &active, &created, &started, &ended,
		&run.Owner, &run.Epoch, &lease, &wake, &run.AbortBy)
	if err != nil {
		return run, err
	}
	run.Active = time.Duration(active) * time.Millisecond
	run.CreatedAt, run.StartedAt, run.EndedAt, run.LeaseUntil = fromMS(created), fromMS(started), fromMS(ended), fromMS(lease)
	run.WakeAt = fromMS(wake)
	err = errors.Join(fromJSON(usage, &run.Usage), fromJSON(limits, &run.Limits), fromJSON(state, &run.State))
	return run, err
}

// returned are the columns behind RETURNING, which takes no table names everywhere.
var returned = strings.ReplaceAll(runColumns, "r.", "")

const noRun = "There is no such run."

func updateRun(t *tx, r agent.Run) error {
	usage, err := toJSON(r.Usage)
	if err != nil {
		return err
	}
	limits, err := toJSON(r.Limits)
	if err != nil {
		return err
	}
	state, err := toJSON(r.State)
	if err != nil {
		return err
	}
	_, err = t.exec(`UPDATE runs SET status = $1, stop_reason = $2, steps = $3, usage = $4, cost_micros = $5, limits = $6,
		state = $7, active_ms = $8, started_at = $9, ended_at = $10, wake_at = $11 WHERE id = $12`,
		r.Status, r.StopReason, r.Steps, usage, r.CostMicros, limits, state,
		int64(r.Active/time.Millisecond), ms(r.StartedAt), ms(r.EndedAt), ms(r.WakeAt), r.ID)
	return err
}

// OpenRuns counts the runs that have not ended by status.
func (s *Runs) OpenRuns(ctx context.Context) ([]agent.OpenRuns, error) {
	return list(ctx, s.read, func(r scanner) (agent.OpenRuns, error) {
		var n agent.OpenRuns
		err := r.Scan(&n.Status, &n.Count)
		return n, err
	}, `SELECT status, COUNT(*) FROM runs WHERE `+openRun+` GROUP BY status`)
}

// openRun is the condition of a run that has not ended, as its index has it.
const openRun = `status IN ('queued', 'running', 'paused')`

// UnendedRuns are all runs that have not ended.
func (s *Runs) UnendedRuns(ctx context.Context) ([]agent.Run, error) {
	return list(ctx, s.read, scanRun, `SELECT `+runColumns+` FROM runs r WHERE r.`+openRun)
}

// UnendedCalls are the calls without a result, of runs that have not ended.
func (s *Runs) UnendedCalls(ctx context.Context) ([]agent.ToolCall, error) {
	return list(ctx, s.read, scanCall, `SELECT `+callColumns+` FROM tool_calls
		WHERE run_id IN (SELECT id FROM runs WHERE `+openRun+`) AND state NOT IN ('success', 'error', 'cancelled')`)
}
