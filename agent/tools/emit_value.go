package tools

import (
	"context"
	_ "embed" // the description is a file
	"encoding/json"
	"fmt"

	"fusebox/agent"
)

//go:embed emit_value.md
var emitValueText string

// emitValue delivers an output that the conversation or its caller has
// declared. Which there are, and of which type, the loop knows.
type emitValue struct{}

func (emitValue) Spec() agent.ToolSpec {
	s := builtin(agent.EmitValueTool, emitValueText, `{
		"type": "object", "additionalProperties": false, "required": ["name", "value"],
		"properties": {
			"name": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The name of the declared output"},
			"value": {"description": "Its value, of the declared type"}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Pure, s.ForOutputs = agent.EffectRead, agent.RiskLow, true, true, true
	return s
}

func (emitValue) Run(_ context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct {
		Name  string          `json:"name"`
		Value json.RawMessage `json:"value"`
	}
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	return agent.ToolResult{
		Content: fmt.Sprintf("%q is delivered.", args.Name),
		Emit:    &agent.Emission{Name: args.Name, Value: args.Value},
	}
}
