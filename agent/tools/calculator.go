package tools

import (
	"cmp"
	"context"
	_ "embed" // the description is a file
	"errors"
	"fmt"
	"math"
	"math/big"
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

// calculator evaluates arithmetic: exactly for whole numbers (arithmetic.go),
// in floating point for all others.
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

func evaluate(text string) (any, error) {
	if len(text) > maxExpression {
		return nil, fmt.Errorf("it has more than %d characters", maxExpression)
	}
	env := map[string]any{"pi": math.Pi, "e": math.E}
	only := &arithmeticOnly{}
	options := append(functions(), expr.Env(env), expr.DisableAllBuiltins(),
		expr.MaxNodes(maxNodes), expr.Patch(only), expr.Optimize(false))
	program, err := expr.Compile(plain.Replace(text), options...)
	if only.found != "" {
		return nil, errors.New(only.found)
	}
	if err != nil {
		return nil, firstLine(err)
	}
	out, err := expr.Run(program, env)
	if err != nil {
		return nil, firstLine(err)
	}
	return number(out)
}

// firstLine is an error as one sentence, without the drawing that follows it.
func firstLine(err error) error {
	for _, ours := range []error{errDivision, errNoNumber} {
		if errors.Is(err, ours) {
			return ours
		}
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	if strings.Contains(line, "integer literal") {
		return errors.New("a number in it has too many digits; write it like 2.5e20")
	}
	return errors.New(line)
}

// functions are what may be called, each over numbers. The operators are among
// them, under names that nobody can write.
func functions() []expr.Option {
	var all []expr.Option
	for sign, o := range operators {
		all = append(all, expr.Function(operatorName(sign), func(p ...any) (any, error) {
			return o.apply(p[0], p[1], sign == "/" || sign == "%")
		}, new(func(a, b any) any)))
	}
	for name, f := range map[string]func(float64) float64{
		"sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log, "ln": math.Log, "log10": math.Log10, "log2": math.Log2,
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
	} {
		all = append(all, ofOne(name, f))
	}
	for name, f := range map[string]func(float64) float64{
		"round": math.Round, "floor": math.Floor, "ceil": math.Ceil, "abs": math.Abs,
	} {
		all = append(all, ofOneWhole(name, f))
	}
	for name, sign := range map[string]string{"pow": "^", "mod": "%"} {
		all = append(all, expr.Function(name, func(p ...any) (any, error) {
			return operators[sign].apply(p[0], p[1], sign == "%")
		}, new(func(a, b any) any)))
	}
	return append(all, extreme("min", -1), extreme("max", 1))
}

func operatorName(sign string) string { return "operator " + sign }

func ofOne(name string, f func(float64) float64) expr.Option {
	return expr.Function(name, func(p ...any) (any, error) {
		x, err := floating(p[0])
		return f(x), err
	}, new(func(any) any))
}

// ofOneWhole leaves whole numbers exact: they are round already.
func ofOneWhole(name string, f func(float64) float64) expr.Option {
	return expr.Function(name, func(p ...any) (any, error) {
		if n, ok := whole(p[0]); ok && name == "abs" {
			return new(big.Int).Abs(n), nil
		} else if ok {
			return n, nil
		}
		x, err := floating(p[0])
		return f(x), err
	}, new(func(any) any))
}

// extreme picks the number that compares with all others as sign says.
func extreme(name string, sign int) expr.Option {
	return expr.Function(name, func(p ...any) (any, error) {
		best := p[0]
		for _, v := range p {
			x, y, err := floats(v, best)
			if err != nil {
				return nil, err
			}
			order := cmp.Compare(x, y)
			m, ok1 := whole(v)
			if n, ok2 := whole(best); ok1 && ok2 {
				order = m.Cmp(n)
			}
			if order == sign {
				best = v
			}
		}
		return best, nil
	}, new(func(first any, more ...any) any))
}

// arithmeticOnly refuses everything of the expression language that is no
// arithmetic, and turns its operators into ours, which are exact.
type arithmeticOnly struct{ found string }

// Visit implements ast.Visitor.
func (v *arithmeticOnly) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		sign := strings.Replace(n.Operator, "**", "^", 1)
		if _, ok := operators[sign]; !ok {
			v.found = fmt.Sprintf("%q is no arithmetic", n.Operator)
			return
		}
		call(node, sign, n.Left, n.Right)
	case *ast.UnaryNode:
		if n.Operator != "-" && n.Operator != "+" {
			v.found = fmt.Sprintf("%q is no arithmetic", n.Operator)
			return
		}
		call(node, n.Operator, &ast.IntegerNode{}, n.Node)
	case *ast.IntegerNode, *ast.FloatNode, *ast.IdentifierNode, *ast.CallNode:
	default:
		v.found = "only numbers, + - * / % ^, parentheses and functions are understood"
	}
}

func call(node *ast.Node, sign string, left, right ast.Node) {
	ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: operatorName(sign)}, Arguments: []ast.Node{left, right}})
}
