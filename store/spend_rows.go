package store

import "fusebox/agent"

// sumColumns are the amounts of spend_sums, in the order of scanSpend.
const sumColumns = `runs, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros, lines, unpriced, estimated`

// summed are the columns of spend_sums added up, in the order of scanSpend.
const summed = `SUM(runs) AS runs, SUM(input_tokens) AS input_tokens, SUM(cached_tokens) AS cached_tokens, SUM(output_tokens) AS output_tokens,
	SUM(reasoning_tokens) AS reasoning_tokens, SUM(cost_micros) AS cost_micros, SUM(lines) AS lines, SUM(unpriced) AS unpriced, SUM(estimated) AS estimated`

// partColumns opens a query over the rows of parts, and names their columns.
const partColumns = `WITH p (key, ` + sumColumns + `) AS NOT MATERIALIZED (`

// scanSpend reads a sum, and the columns after it.
func scanSpend(r scanner, more ...any) (agent.SpendRow, error) {
	var row agent.SpendRow
	err := r.Scan(append([]any{
		&row.Key, &row.Label, &row.Runs, &row.InputTokens, &row.CachedTokens, &row.OutputTokens,
		&row.ReasoningTokens, &row.CostMicros, &row.Lines, &row.Unpriced, &row.Estimated,
	}, more...)...)
	return row, err
}

const toolLine = `tools, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros, estimated, priced`

// scanToolLine reads what a line's sums are made of, and the columns after it.
func scanToolLine(r scanner, more ...any) (agent.Step, error) {
	var line agent.Step
	var tools string
	var priced bool
	u := &line.Usage
	err := r.Scan(append([]any{&tools, &u.InputTokens, &u.CachedTokens, &u.OutputTokens, &u.ReasoningTokens, &line.CostMicros, &u.Estimated, &priced}, more...)...)
	if err != nil {
		return line, err
	}
	line.Unpriced = !priced
	return line, fromJSON(tools, &line.Tools)
}
