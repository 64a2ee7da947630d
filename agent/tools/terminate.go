package tools

import (
	"context"
	_ "embed" // the description is a file

	"fusebox/agent"
)

//go:embed terminate.md
var terminateText string

// terminate lets the model end its own run, and say how it went.
type terminate struct{}

func (terminate) Spec() agent.ToolSpec {
	s := builtin("terminate", terminateText, `{
		"type": "object", "additionalProperties": false, "required": ["status"],
		"properties": {
			"status": {"type": "string", "enum": ["success", "failure"], "description": "Whether the task was done"},
			"message": {"type": "string", "maxLength": 100000, "description": "The closing words for the person"}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Pure = agent.EffectRead, agent.RiskLow, true, true
	return s
}

func (terminate) Run(_ context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ Status, Message string }
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	return agent.ToolResult{
		Content:   "The run ends with this step.",
		Terminate: &agent.Terminate{Success: args.Status == "success", Message: args.Message},
	}
}
