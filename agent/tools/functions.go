package tools

import (
	"cmp"
	"math"
	"math/big"
)

var constants = map[string]float64{"pi": math.Pi, "e": math.E}

// function is what an expression may call, over numbers.
type function struct {
	least, most int // how many arguments
	of          func([]any) (any, error)
}

var functions = map[string]function{
	"sqrt": ofOne(math.Sqrt), "exp": ofOne(math.Exp),
	"log": ofOne(math.Log), "ln": ofOne(math.Log), "log10": ofOne(math.Log10), "log2": ofOne(math.Log2),
	"sin": ofOne(math.Sin), "cos": ofOne(math.Cos), "tan": ofOne(math.Tan),
	"round": ofOneWhole(math.Round, same), "floor": ofOneWhole(math.Floor, same), "ceil": ofOneWhole(math.Ceil, same),
	"abs": ofOneWhole(math.Abs, func(n *big.Int) *big.Int { return new(big.Int).Abs(n) }),
	"pow": ofTwo("^"), "mod": ofTwo("%"),
	"min": extreme(-1), "max": extreme(1),
}

// same is the rounding of a whole number.
func same(n *big.Int) *big.Int { return n }

func ofOne(f func(float64) float64) function {
	return function{1, 1, func(v []any) (any, error) {
		x, err := floating(v[0])
		return f(x), err
	}}
}

// ofOneWhole keeps whole numbers exact.
func ofOneWhole(f func(float64) float64, exact func(*big.Int) *big.Int) function {
	inexact := ofOne(f)
	return function{1, 1, func(v []any) (any, error) {
		if n, ok := whole(v[0]); ok {
			return exact(n), nil
		}
		return inexact.of(v)
	}}
}

// ofTwo is an operator under a name.
func ofTwo(sign string) function {
	return function{2, 2, func(v []any) (any, error) {
		return operators[sign].apply(v[0], v[1], sign == "%")
	}}
}

// extreme picks the number that compares with all others as sign says.
func extreme(sign int) function {
	return function{1, math.MaxInt, func(v []any) (any, error) {
		best := v[0]
		for _, other := range v[1:] {
			order, err := compare(other, best)
			if err != nil {
				return nil, err
			}
			if order == sign {
				best = other
			}
		}
		return best, nil
	}}
}

func compare(a, b any) (int, error) {
	m, ok1 := whole(a)
	n, ok2 := whole(b)
	if ok1 && ok2 {
		return m.Cmp(n), nil
	}
	x, y, err := floats(a, b)
	return cmp.Compare(x, y), err
}
