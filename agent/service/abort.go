package service

import (
	"context"
	"time"

	"fusebox/agent"
)

// abortUndo is how long a person can undo that they have aborted a waiting run.
const abortUndo = 10 * time.Second

// Abort ends a run; idempotent. Its owner and admins may.
func (d *Runs) Abort(ctx context.Context, v agent.Viewer, runID string) error {
	run, err := d.abortable(ctx, v, runID)
	if err != nil || run.Status.Ended() {
		return err
	}
	return d.abort(ctx, v, runID)
}

// Stop is Abort as the pages offer it: where a run waits for a decision, that decision
// is to abort, and it can be undone for a moment before the run ends.
func (d *Runs) Stop(ctx context.Context, v agent.Viewer, runID string) error {
	run, err := d.abortable(ctx, v, runID)
	if err != nil || run.Status.Ended() {
		return err
	}
	if run.Status == agent.StatusPaused {
		return d.abortWaiting(ctx, v, runID)
	}
	return d.abort(ctx, v, runID)
}

// abortWaiting decides the oldest approval that a run waits for. What has none that can
// be decided is aborted at once.
func (d *Runs) abortWaiting(ctx context.Context, v agent.Viewer, runID string) error {
	pending, err := d.Store.PendingApprovalIDs(ctx, runID)
	if err != nil {
		return err
	}
	if len(pending) == 0 { // it has expired, or was decided and can be undone
		return d.abort(ctx, v, runID)
	}
	a, err := d.Store.Approval(ctx, v, pending[0])
	if err != nil {
		return err
	}
	update, err := d.entryOf(ctx, v, *a, agent.Decision{Verb: agent.DecideAbort})
	if err != nil {
		return err
	}
	if _, err := d.Store.ChangeApproval(ctx, update); err != nil {
		return err
	}
	d.Runner.Wake()
	return nil
}

// abortable is a run that the viewer may end.
func (d *Runs) abortable(ctx context.Context, v agent.Viewer, runID string) (*agent.Run, error) {
	run, err := d.Store.Run(ctx, v, runID)
	if err != nil {
		return nil, err
	}
	if run.UserID != v.UserID && v.Role != agent.RoleAdmin {
		return nil, agent.Errorf(agent.Forbidden, "Only the person who started this run, or an admin, can abort it.")
	}
	return run, nil
}

func (d *Runs) abort(ctx context.Context, v agent.Viewer, runID string) error {
	if err := d.Store.RequestAbort(ctx, runID, v.Email); err != nil {
		return err
	}
	d.Runner.Abort(runID, v.Email)
	d.Runner.Wake()
	return nil
}
