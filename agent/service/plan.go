package service

import (
	"context"
	"encoding/json"
	"fmt"

	"fusebox/agent"
)

// ChangePlan gives a run that waits for a person another plan, of which the model hears in
// its next request. Only the run's own person may. Conflict where the run does not wait,
// Invalid for what the model could not have written down either.
func (d *Runs) ChangePlan(ctx context.Context, v agent.Viewer, runID string, plan agent.PlanArgs) error {
	run, err := d.Store.Run(ctx, v, runID)
	if err != nil {
		return err
	}
	if run.UserID != v.UserID {
		return agent.Errorf(agent.Forbidden, "Only the person who started this run can change its plan.")
	}
	if plan.Plan == nil {
		plan.Plan = []agent.PlanStep{}
	}
	args, err := d.Tools.Validate(agent.UpdatePlanTool, string(agent.MustJSON(plan)))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(args, &plan); err != nil {
		return fmt.Errorf("read a plan that was checked: %w", err)
	}
	return d.Store.ChangePlan(ctx, run.ID, v.Email, plan.Plan)
}
