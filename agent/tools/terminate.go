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
			"message": {"type": "string", "maxLength": 100000, "description": "The closing words for the person"},
			"confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "How sure you are that the message is right and complete"}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Pure, s.Confident = agent.EffectRead, agent.RiskLow, true, true, true
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
