package service

import (
	"context"

	"fusebox/agent"
)

// CancelCall cancels one call; its run continues. Anyone who may abort the run may cancel
// its calls. The error is a Conflict if the call is not being executed.
func (d *Runs) CancelCall(ctx context.Context, v agent.Viewer, runID, callID string) (*agent.Run, error) {
	run, err := d.abortable(ctx, v, runID)
	if err != nil {
		return nil, err
	}
	if !d.Runner.CancelCall(run.ID, callID, v.Email) {
		return nil, agent.Errorf(agent.Conflict, "This call is not running any more.")
	}
	return run, nil
}
