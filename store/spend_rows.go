package store

import (
	"context"

	"fusebox/agent"
)

// sumColumns are the amounts of spend_sums, in the order of scanSpend.
const sumColumns = `runs, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros, lines, unpriced, estimated`

// SpendTotals is the whole bill for ever, by model.
func (s *Store) SpendTotals(ctx context.Context) ([]agent.SpendRow, error) {
	return list(ctx, s, func(r scanner) (agent.SpendRow, error) {
		var row agent.SpendRow
		err := r.Scan(&row.Key, &row.Runs, &row.InputTokens, &row.CachedTokens, &row.OutputTokens,
			&row.ReasoningTokens, &row.CostMicros, &row.Lines, &row.Unpriced, &row.Estimated)
		row.Label = row.Key
		return row, err
	}, `SELECT key, `+sumColumns+` FROM spend_sums WHERE dim = 'total' ORDER BY key`)
}
