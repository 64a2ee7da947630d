package agent

import (
	"math/big"
	"regexp"
)

// decimal is an amount as JSON and people write it, with an exponent that is no
// trap: 2.5e-06.
var decimal = regexp.MustCompile(`^[0-9]{1,20}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?$`)

// ParsePrice reads USD for a number of tokens as micro-USD per million tokens,
// exactly, and rounds half up once. It is false for what is not a price from 0 to
// MaxPrice.
func ParsePrice(text string, tokens int64) (int64, bool) {
	if !decimal.MatchString(text) {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false
	}
	r.Mul(r, big.NewRat(perPrice*microsPerDollar, tokens))
	r.Add(r, big.NewRat(1, 2))
	n := new(big.Int).Div(r.Num(), r.Denom())
	if !n.IsInt64() || n.Int64() > MaxPrice {
		return 0, false
	}
	return n.Int64(), true
}

// microsPerDollar is how many micro-USD a dollar has.
const microsPerDollar = 1_000_000
