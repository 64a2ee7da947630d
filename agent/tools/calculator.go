package tools

import (
	"context"
	_ "embed" // the description is a file
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"

	"fusebox/agent"
)

//go:embed calculator.md
var calculatorText string

const (
	maxExpression = 1000
	maxNodes      = 500
)

// calculator evaluates arithmetic. All numbers are floating point, so whole
// numbers are exact up to 2^53 and nothing overflows unseen.
type calculator struct{}

func (calculator) Spec() agent.ToolSpec {
	s := builtin("calculator", calculatorText, `{
		"type": "object", "additionalProperties": false, "required": ["expression"],
		"properties": {"expression": {"type": "string", "minLength": 1, "maxLength": 1000,
			"description": "Arithmetic, for example 12*(3+4) or sqrt(2)^3"}}
	}`)
	s.Effect, s.Risk, s.Idempotent = agent.EffectRead, agent.RiskLow, true
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

func evaluate(text string) (value any, err error) {
	if len(text) > maxExpression {
		return nil, fmt.Errorf("it has more than %d characters", maxExpression)
	}
	only := &arithmeticOnly{}
	options := append(functions(), expr.Env(map[string]any{"pi": math.Pi, "e": math.E}),
		expr.DisableAllBuiltins(), expr.MaxNodes(maxNodes), expr.Patch(only), expr.Optimize(false))
	program, err := expr.Compile(plain.Replace(text), options...)
	if only.found != "" {
		return nil, errors.New(only.found)
	}
	if err != nil {
		return nil, firstLine(err)
	}
	out, err := expr.Run(program, map[string]any{"pi": math.Pi, "e": math.E})
	if err != nil {
		return nil, firstLine(err)
	}
	f, ok := out.(float64)
	switch {
	case !ok:
		return nil, errors.New("the result is no number")
	case math.IsNaN(f):
		return nil, errors.New("the result is not defined")
	case math.IsInf(f, 0):
		return nil, errors.New("the result is too large, or a division by zero")
	case f == math.Trunc(f) && math.Abs(f) <= 1<<53:
		return int64(f), nil
	}
	return f, nil
}

func firstLine(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}

// functions are what may be called, each over numbers.
func functions() []expr.Option {
	one := func(name string, f func(float64) float64) expr.Option {
		return expr.Function(name, func(p ...any) (any, error) { return f(p[0].(float64)), nil }, f)
	}
	two := func(name string, f func(a, b float64) float64) expr.Option {
		return expr.Function(name, func(p ...any) (any, error) { return f(p[0].(float64), p[1].(float64)), nil }, f)
	}
	return []expr.Option{
		one("sqrt", math.Sqrt), one("abs", math.Abs), one("round", math.Round), one("floor", math.Floor),
		one("ceil", math.Ceil), one("exp", math.Exp), one("log", math.Log), one("ln", math.Log), one("log10", math.Log10),
		one("log2", math.Log2), one("sin", math.Sin), one("cos", math.Cos), one("tan", math.Tan),
		two("min", math.Min), two("max", math.Max), two("pow", math.Pow), two("mod", math.Mod),
	}
}

// arithmeticOnly refuses everything of the expression language that is no
// arithmetic, and makes every number a floating point one.
type arithmeticOnly struct{ found string }

// Visit implements ast.Visitor.
func (v *arithmeticOnly) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IntegerNode:
		ast.Patch(node, &ast.FloatNode{Value: float64(n.Value)})
	case *ast.BinaryNode:
		if n.Operator == "%" {
			ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: "mod"}, Arguments: []ast.Node{n.Left, n.Right}})
		} else if !slices.Contains([]string{"+", "-", "*", "/", "^", "**"}, n.Operator) {
			v.found = fmt.Sprintf("%q is no arithmetic", n.Operator)
		}
	case *ast.UnaryNode:
		if n.Operator != "-" && n.Operator != "+" {
			v.found = fmt.Sprintf("%q is no arithmetic", n.Operator)
		}
	case *ast.FloatNode, *ast.IdentifierNode, *ast.CallNode:
	default:
		v.found = "only numbers, + - * / % ^, parentheses and functions are understood"
	}
}
