package tools

import (
	"context"
	_ "embed" // the description is a file
	"fmt"
	"strings"

	"fusebox/agent"
)

//go:embed calculator.md
var calculatorText string

const maxExpression = 1000

// calculator evaluates arithmetic: exactly for whole numbers (arithmetic.go),
// in floating point for all others. Its parser is a small one of our own
// (expression.go): general expression languages call methods by reflection,
// and with that the linker keeps every method of the whole program.
type calculator struct{}

func (calculator) Spec() agent.ToolSpec {
	s := builtin("calculator", calculatorText, `{
		"type": "object", "additionalProperties": false, "required": ["expression"],
		"properties": {"expression": {"type": "string", "minLength": 1, "maxLength": 1000,
			"description": "Arithmetic, for example 12*(3+4) or sqrt(2)^3"}}
	}`)
	s.Effect, s.Risk, s.Idempotent, s.Pure = agent.EffectRead, agent.RiskLow, true, true
	return s
}

func (calculator) Run(_ context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct {
		Expression string `json:"expression"`
	}
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	value, err := evaluate(args.Expression)
	if err != nil {
		return failed(agent.ErrExecution, "%s cannot be calculated: %v", args.Expression, err)
	}
	return encode(map[string]any{"expression": args.Expression, "result": value})
}

// plain writes what people type into what the evaluator reads.
var plain = strings.NewReplacer("×", "*", "÷", "/", "−", "-", "（", "(", "）", ")", "，", ",", "π", "pi")

func evaluate(text string) (any, error) {
	if len(text) > maxExpression {
		return nil, fmt.Errorf("it has more than %d characters", maxExpression)
	}
	result, err := parse(plain.Replace(text))
	if err != nil {
		return nil, err
	}
	value, err := result()
	if err != nil {
		return nil, err
	}
	return number(value)
}
