package chart

import (
	"strconv"

	"fusebox/views/text"
)

// axisSteps is how many spaces lie between the lines of a chart.
const axisSteps = 4

// moneyTicks labels an axis of micro-dollars with as many digits as its steps need, so
// that no two lines say the same.
func moneyTicks(_ *text.Printer, top int64) []string {
	digits, unit := 2, int64(10_000)
	for unit > 1 && top/axisSteps%unit != 0 {
		digits, unit = digits+1, unit/10
	}
	return ticksOf(top, func(micros int64) string {
		return "$" + strconv.FormatFloat(float64(micros)/1e6, 'f', digits, 64)
	})
}

// tokenTicks labels an axis of tokens.
func tokenTicks(tr *text.Printer, top int64) []string { return ticksOf(top, tr.Amount) }

func ticksOf(top int64, show func(int64) string) []string {
	ticks := make([]string, 0, axisSteps+1)
	for i := range int64(axisSteps + 1) {
		ticks = append(ticks, show(top*(axisSteps-i)/axisSteps))
	}
	return ticks
}
