package tools

import (
	"context"
	_ "embed" // the description is a file

	"fusebox/agent"
)

//go:embed hand_over.md
var handOverText string

// handOver is never executed: the loop puts it before the person, who takes over or
// says how to go on.
type handOver struct{}

func (handOver) Spec() agent.ToolSpec {
	s := builtin(agent.HandOverTool, handOverText, `{
		"type": "object", "additionalProperties": false, "required": ["reason"],
		"properties": {
			"reason": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "What is done, what is left, and why a person is needed"},
			"confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "How sure you are that you could not do it yourself"}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.AsksPerson = agent.EffectRead, agent.RiskLow, true, true
	return s
}

func (handOver) Run(context.Context, agent.ToolInput) agent.ToolResult {
	return failed(agent.ErrExecution, "A person takes over; nothing is executed.")
}
