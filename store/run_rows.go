package store

import (
	"errors"
	"strings"
	"time"

	"fusebox/agent"
)

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
