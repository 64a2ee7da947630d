package present

import (
	"math/big"
	"regexp"
	"strings"

	"fusebox/agent"
)

var (
	dollarText = regexp.MustCompile(`^\$?\s*([0-9]{1,12}(?:\.[0-9]{1,6})?)$`)
	// A comma, a space or a line is between thousands only: elsewhere "1,5M" is one and a half.
	tokenText = regexp.MustCompile(`^([0-9]{1,15}|[0-9]{1,3}(?:[ \x{a0}\x{202f},_][0-9]{3}){1,4})(\.[0-9]{1,6})?\s*([kKmMbB万亿]?)$`)
	separator = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", ",", "", "_", "")
)

// TypedDollars reads an amount of money as people type it, "" as 0.
func TypedDollars(field, text string) (micros int64, err error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	found := dollarText.FindStringSubmatch(text)
	if found == nil {
		return 0, agent.InvalidField(field, "is not an amount of dollars; write one such as 5 or 0.50")
	}
	return scaled(found[1], 1_000_000), nil
}

// TypedTokens reads a number of tokens, also one in a unit that pages count in, "" as 0.
// Tokens have no fractions: someone who types 200.000 means thousands, or something else.
func TypedTokens(field, text string) (int64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	found := tokenText.FindStringSubmatch(text)
	if found == nil || found[2] != "" && found[3] == "" {
		return 0, agent.InvalidField(field, "is not a number of tokens; write one such as 200000, 200k or 1.5M")
	}
	unit := map[string]int64{"": 1, "k": 1_000, "m": 1_000_000, "b": 1_000_000_000, "万": 10_000, "亿": 100_000_000}[strings.ToLower(found[3])]
	return scaled(separator.Replace(found[1])+found[2], unit), nil
}

// scaled is a decimal number times a unit, what is smaller than one dropped.
// Its digits are bounded, so that it fits.
func scaled(decimal string, unit int64) int64 {
	r, _ := new(big.Rat).SetString(decimal)
	r.Mul(r, new(big.Rat).SetInt64(unit))
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if !n.IsInt64() {
		return 1<<63 - 1
	}
	return n.Int64()
}

// DollarsTyped writes an amount as one would type it: two to six decimals.
func DollarsTyped(micros int64) string {
	text := new(big.Rat).SetFrac64(micros, 1_000_000).FloatString(6)
	for strings.HasSuffix(text, "0") && len(text)-strings.Index(text, ".") > 3 {
		text = text[:len(text)-1]
	}
	return text
}
