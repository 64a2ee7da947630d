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
	s := builtin("update_plan", updatePlanText, `{
		"type": "object", "additionalProperties": false, "required": ["plan"],
		"properties": {
			"plan": {
				"type": "array", "minItems": 1, "maxItems": 50, "description": "All steps, in order",
				"items": {
					"type": "object", "additionalProperties": false, "required": ["step", "status"],
					"properties": {
						"step": {"type": "string", "maxLength": 500},
						"status": {"type": "string", "enum": ["pending", "in_progress", "completed"]}
					}
				}
			}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Pure, s.Identity = agent.EffectRead, agent.RiskLow, true, true, []string{"*.status"}
	return s
}

func (updatePlan) Run(_ context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct {
		Plan []struct{ Step, Status string }
	}
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	done := 0
	for _, s := range args.Plan {
		if s.Status == "completed" {
			done++
		}
	}
	return agent.ToolResult{Content: fmt.Sprintf("The plan is noted: %d of %d steps are completed.", done, len(args.Plan))}
}
