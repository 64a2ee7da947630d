package sums

import (
	"math"
	"strconv"
)

// Decimal writes a number as people do: 26 instead of 26.0.
func Decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Rounded drops what calculating adds behind the first decimal.
func Rounded(f float64) float64 { return math.Round(f*10) / 10 }
