package tools

import (
	"context"
	_ "embed" // the description is a file

	"fusebox/agent"
)

//go:embed ask_user.md
var askUserText string

// askUser is never executed: the loop puts its question before the person, and
// the answer is its result.
type askUser struct{}

func (askUser) Spec() agent.ToolSpec {
	s := builtin(agent.AskUserTool, askUserText, `{
		"type": "object", "additionalProperties": false, "required": ["question"],
		"properties": {
			"question": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "One clear question"},
			"options": {"type": "array", "minItems": 2, "maxItems": 12, "uniqueItems": true, "description": "Answers to choose from",
				"items": {"type": "string", "minLength": 1, "maxLength": 200}},
			"draft": {"type": "string", "maxLength": 20000, "description": "A text that you propose, without options. The person edits it, and the result is the text as they want it"},
			"multiple": {"type": "boolean", "description": "Several of the options may be chosen"},
			"free_text": {"type": "boolean", "description": "false allows nothing but the options"},
			"confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "How sure you are of what you would do without an answer"}
		}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.AsksPerson = agent.EffectRead, agent.RiskLow, true, true
	return s
}

func (askUser) Run(context.Context, agent.ToolInput) agent.ToolResult {
	return failed(agent.ErrExecution, "A question is answered by a person, not executed.")
}
