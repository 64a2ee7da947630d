package tools

import (
	"context"
	_ "embed" // the description is a file
	"fmt"

	"fusebox/agent"
)

//go:embed update_plan.md
var updatePlanText string

// updatePlan lets the model write down what it is going to do, for the person
// watchers. Only the statuses are its identity: a plan that is reworded is
// the same plan.
type updatePlan struct{}

func (updatePlan) Spec() agent.ToolSpec {
	s := builtin(agent.UpdatePlanTool, updatePlanText, `{
		"type": "object", "additionalProperties": false, "required": ["plan"],
		"properties": {
			"plan": {
				"type": "array", "minItems": 1, "maxItems": 50, "description": "All steps, in order",
				"items": {
					"type": "object", "additionalProperties": false, "required": ["step", "status"],
					"properties": {
						"step": {"type": "string", "minLength": 1, "maxLength": 500},
						"status": {"type": "string", "enum": ["not_started", "in_progress", "completed", "blocked"]},
						"note": {"type": "string", "maxLength": 500, "description": "What the person should know of the step, such as why it is blocked"}
					}
				}
			}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Pure, s.Identity = agent.EffectRead, agent.RiskLow, true, true, []string{"*.status"}
	return s
}

func (updatePlan) Run(_ context.Context, in agent.ToolInput) agent.ToolResult {
	var args agent.PlanArgs
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	plan := agent.Plan{Steps: args.Plan}
	return agent.ToolResult{
		Content: fmt.Sprintf("The plan is noted: %d of %d steps are completed.", plan.Done(), len(plan.Steps)),
		Plan:    plan.Steps,
	}
}
