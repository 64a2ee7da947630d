package tools

import (
	"errors"
	"fmt"
	"math"
	"math/big"
)

// maxBits bounds exact whole numbers; beyond it a number is a floating point one.
const maxBits = 4096

var (
	errDivision = errors.New("division by zero")
	errNoNumber = errors.New("only numbers are supported")
)

// whole returns v as an exact whole number, if it is one.
func whole(v any) (*big.Int, bool) {
	n, ok := v.(*big.Int)
	return n, ok
}

func floating(v any) (float64, error) {
	if n, ok := whole(v); ok {
		f, _ := new(big.Float).SetInt(n).Float64()
		return f, nil
	}
	if f, ok := v.(float64); ok {
		return f, nil
	}
	return 0, errNoNumber
}

func floats(a, b any) (x, y float64, err error) {
	if x, err = floating(a); err != nil {
		return 0, 0, err
	}
	y, err = floating(b)
	return x, y, err
}

// bounded gives up exactness where a whole number grows too long.
func bounded(n *big.Int) any {
	if n.BitLen() <= maxBits {
		return n
	}
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}

// operator is one operator of arithmetic: exact for whole numbers, where exact
// returns nil the floating point one is in.
type operator struct {
	exact func(a, b *big.Int) any
	float func(a, b float64) float64
}

var operators = map[string]operator{
	"+": {func(a, b *big.Int) any { return bounded(new(big.Int).Add(a, b)) }, func(a, b float64) float64 { return a + b }},
	"-": {func(a, b *big.Int) any { return bounded(new(big.Int).Sub(a, b)) }, func(a, b float64) float64 { return a - b }},
	"*": {func(a, b *big.Int) any { return bounded(new(big.Int).Mul(a, b)) }, func(a, b float64) float64 { return a * b }},
	"/": {quotient, func(a, b float64) float64 { return a / b }},
	"%": {func(a, b *big.Int) any { return new(big.Int).Rem(a, b) }, math.Mod},
	"^": {power, math.Pow},
}

func (o operator) apply(a, b any, divides bool) (any, error) {
	x, y, err := floats(a, b)
	if err != nil {
		return nil, err
	}
	if divides && y == 0 {
		return nil, errDivision
	}
	m, ok1 := whole(a)
	n, ok2 := whole(b)
	if ok1 && ok2 {
		if v := o.exact(m, n); v != nil {
			return v, nil
		}
	}
	return o.float(x, y), nil
}

func quotient(a, b *big.Int) any {
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	if r.Sign() != 0 {
		return nil
	}
	return q
}

// power is exact while its result is sure to stay within the bound.
func power(a, b *big.Int) any {
	if b.Sign() < 0 || !b.IsInt64() || b.Int64() > maxBits || int64(a.BitLen())*b.Int64() > maxBits {
		return nil
	}
	return new(big.Int).Exp(a, b, nil)
}

// number is a result as it is written: a whole number with all its digits.
func number(v any) (any, error) {
	if n, ok := whole(v); ok {
		return n, nil
	}
	f, ok := v.(float64)
	switch {
	case !ok:
		return nil, errors.New("the result is not a number")
	case math.IsNaN(f):
		return nil, errors.New("the result is not defined")
	case math.IsInf(f, 0):
		return nil, fmt.Errorf("the result is too large (beyond %.2g) or infinite", math.MaxFloat64)
	case f == math.Trunc(f) && math.Abs(f) <= 1<<53:
		return big.NewInt(int64(f)), nil
	}
	return f, nil
}
