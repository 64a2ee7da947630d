package store

import (
	"cmp"
	"context"
	"slices"

	"fusebox/agent"
)

// spendTools sums by tool. A line's cost is split among the calls of its answer,
// so that lines which the sums do not cover are split here.
func spendTools(ctx context.Context, from reader, q agent.SpendQuery) ([]agent.SpendRow, error) {
	byTool := map[string]*agent.SpendRow{}
	add := func(row agent.SpendRow) {
		if byTool[row.Key] == nil {
			byTool[row.Key] = &agent.SpendRow{Key: row.Key, Label: cmp.Or(row.Key, "No tool")}
		}
		byTool[row.Key].Add(row)
	}
	for _, p := range spendSources[agent.SpendByTool].parts(q) {
		if err := eachToolSum(ctx, from, p, q.UserID, add); err != nil {
			return nil, err
		}
	}
	rows := make([]agent.SpendRow, 0, len(byTool))
	for _, row := range byTool {
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b agent.SpendRow) int {
		byCost := cmp.Compare(b.CostMicros, a.CostMicros)
		if q.ByTokens {
			byCost = 0
		}
		return cmp.Or(byCost, cmp.Compare(b.Total(), a.Total()), cmp.Compare(a.Key, b.Key))
	})
	if q.Limit > 0 {
		rows = rows[:min(len(rows), q.Limit)]
	}
	return rows, nil
}

// eachToolSum hands over the sums of one part of a range, in no order.
func eachToolSum(ctx context.Context, from reader, p part, userID string, add func(agent.SpendRow)) error {
	w := &where{}
	if p.dim != "" {
		return each(ctx, from, func(r scanner) error {
			row, err := scanSpend(r)
			add(row)
			return err
		}, `SELECT key, key, `+summed+` FROM spend_sums`+w.param(` WHERE dim = `, p.dim)+w.param(` AND slot >= `, p.first)+
			w.param(` AND slot < `, p.last)+` GROUP BY key`, w.args...)
	}
	src := spendSource{key: `''`, runs: `0`}
	err := each(ctx, from, func(r scanner) error {
		row, err := scanSpend(r)
		add(row)
		return err
	}, partColumns+src.rows(w, []part{p}, userID)+` AND tools = '') SELECT key, key, `+summed+` FROM p GROUP BY key`, w.args...)
	if err != nil {
		return err
	}
	w = &where{}
	return each(ctx, from, func(r scanner) error {
		line, err := scanToolLine(r)
		if err != nil {
			return err
		}
		for _, part := range toolSums(line) {
			row := part.row(line)
			row.Key = part.key
			add(row)
		}
		return nil
	}, `SELECT `+toolLine+` FROM usage`+lineRange(w, p, userID)+` AND tools <> ''`, w.args...)
}
