package tools

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// computation is a parsed expression. It returns a *big.Int or a float64.
type computation func() (any, error)

// The kinds of a token are the groups of tokenPattern; atEnd follows the last token.
type tokenKind int

const (
	atEnd tokenKind = iota
	aNumber
	aName
	aSign
	aStranger // something that has no place in arithmetic
)

type token struct {
	kind tokenKind
	text string
}

// tokenPattern takes the letters that follow a number as part of it: the
// number is then refused as a whole. Spaces match nothing.
var tokenPattern = regexp.MustCompile(`((?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-])?\w*)` +
	`|([\pL_][\pL\d_]*)` +
	`|(\*\*|[-+*/%^(),])` +
	`|([^\s\v\x{85}\pZ\pL\d_+*/%^(),-]+)`)

// levels says how tightly an operator binds. A sign before a number binds
// tighter than a product and looser than a power: -2^2 is -4.
var levels = map[string]int{"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "^": levelPower}

const (
	levelUnary = 3
	levelPower = 4
)

// parser reads an expression by precedence climbing. The length of the
// expression bounds its depth.
type parser struct{ rest []token }

// parse reads an expression; nothing is computed yet.
func parse(text string) (computation, error) {
	var p parser
	for _, groups := range tokenPattern.FindAllStringSubmatch(text, -1) {
		kind := 1 + slices.IndexFunc(groups[1:], func(g string) bool { return g != "" })
		p.rest = append(p.rest, token{tokenKind(kind), strings.Replace(groups[0], "**", "^", 1)})
	}
	all, err := p.expression(0)
	if err == nil && p.peek().kind != atEnd {
		err = unexpected(p.peek())
	}
	return all, err
}

func (p *parser) peek() token {
	if len(p.rest) == 0 {
		return token{}
	}
	return p.rest[0]
}

func (p *parser) next() token {
	t := p.peek()
	p.rest = p.rest[min(1, len(p.rest)):]
	return t
}

// accept takes the next token if it is this sign.
func (p *parser) accept(sign string) bool {
	if p.peek() != (token{aSign, sign}) {
		return false
	}
	p.next()
	return true
}

// expression reads operands and the operators of this level and above.
func (p *parser) expression(lowest int) (computation, error) {
	left, err := p.operand()
	for err == nil {
		sign := p.peek().text
		level, known := levels[sign]
		if !known || level < lowest {
			return left, nil
		}
		p.next()
		above := level + 1
		if level == levelPower {
			above = level // 2^3^2 is 2^(3^2)
		}
		var right computation
		right, err = p.expression(above)
		left = operation(sign, left, right)
	}
	return nil, err
}

func (p *parser) operand() (computation, error) {
	t := p.next()
	switch {
	case t.kind == aNumber:
		return literal(t.text)
	case t.kind == aName:
		return p.named(t.text)
	case t.kind == aStranger:
		return nil, errors.New("only numbers, + - * / % ^, parentheses and functions are understood")
	case t.text == "(":
		inner, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		if !p.accept(")") {
			return nil, unexpected(p.peek())
		}
		return inner, nil
	case t.text == "-", t.text == "+":
		right, err := p.expression(levelUnary)
		return operation(t.text, constant(new(big.Int)), right), err
	}
	return nil, unexpected(t)
}

// named is a constant or a call. The bare name of a function is not a number.
func (p *parser) named(name string) (computation, error) {
	if f, known := functions[name]; known {
		if p.accept("(") {
			return p.call(name, f)
		}
		return func() (any, error) { return nil, errNoNumber }, nil
	}
	if value, known := constants[name]; known {
		return constant(value), nil
	}
	return nil, fmt.Errorf("unknown name %s", name)
}

func (p *parser) call(name string, f function) (computation, error) {
	var arguments []computation
	for !p.accept(")") {
		a, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, a)
		if !p.accept(",") && p.peek() != (token{aSign, ")"}) {
			return nil, unexpected(p.peek())
		}
	}
	switch n := len(arguments); {
	case n < f.least:
		return nil, fmt.Errorf("not enough arguments to call %s", name)
	case n > f.most:
		return nil, fmt.Errorf("too many arguments to call %s", name)
	}
	return func() (any, error) {
		values := make([]any, len(arguments))
		for i, a := range arguments {
			v, err := a()
			if err != nil {
				return nil, err
			}
			values[i] = v
		}
		return f.of(values)
	}, nil
}

func operation(sign string, left, right computation) computation {
	return func() (any, error) {
		a, err := left()
		if err != nil {
			return nil, err
		}
		b, err := right()
		if err != nil {
			return nil, err
		}
		return operators[sign].apply(a, b, sign == "/" || sign == "%")
	}
}

func constant(v any) computation { return func() (any, error) { return v, nil } }

// literal reads a number as Go writes it. What has a fraction or an exponent is
// a floating point number.
func literal(text string) (computation, error) {
	digits := strings.ReplaceAll(text, "_", "")
	base := 10
	if len(digits) > 1 && strings.ContainsRune("xXoObB", rune(digits[1])) {
		base = 0
	} else if strings.ContainsAny(digits, ".eE") {
		f, err := strconv.ParseFloat(digits, 64)
		return constant(f), numberError(text, err)
	}
	n, err := strconv.ParseInt(digits, base, 64)
	return constant(big.NewInt(n)), numberError(text, err)
}

func numberError(text string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrSyntax):
		return fmt.Errorf("%s is not a number", text)
	case strings.ContainsAny(text, ".eE"):
		return fmt.Errorf("%s is too large", text)
	default:
		return errors.New("a number in it has too many digits; write it like 2.5e20")
	}
}

func unexpected(t token) error {
	switch t.kind {
	case atEnd:
		return errors.New("it ends too early")
	case aStranger:
		return fmt.Errorf("%q is not arithmetic", t.text)
	default:
		return fmt.Errorf("unexpected %q", t.text)
	}
}
