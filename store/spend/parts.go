package spend

import (
	"cmp"
	"context"
	"slices"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// level is a dim of spend_sums that covers a span of time in slots of a width.
type level struct {
	dim   string
	width int64
}

// source is how a group is read: from sums, the widest first, and from the
// lines where a range cuts through the narrowest. key and runs are the columns
// of a line that its sums are made of.
type source struct {
	levels    []level
	key, runs string
}

var sources = map[agent.SpendGroup]source{
	agent.SpendByDay:          {[]level{{"all", hourMS}}, `''`, `starts_run`},
	agent.SpendByModel:        {[]level{{"model", dayMS}, {"hour", hourMS}}, `model`, `starts_model`},
	agent.SpendByUser:         {[]level{{"user28", fourWeeksMS}, {"user", dayMS}}, `user_id`, `starts_run`},
	agent.SpendByConversation: {[]level{{"conversation28", fourWeeksMS}, {"conversation", dayMS}}, `conversation_id`, `starts_run`},
	agent.SpendByTool:         {[]level{{"tool", dayMS}}, ``, ``},
}

// part is a stretch of a range: slots of a dim, or milliseconds of lines where
// the dim is "". The first is included, the last is not.
type part struct {
	dim         string
	first, last int64
}

// cut covers a range with the sums of the widest level that fit into it, its rims
// with those of narrower ones, and what is left with lines.
func cut(from, to int64, levels []level) []part {
	from = max(from, 0)
	if from >= to {
		return nil
	}
	if len(levels) == 0 {
		return []part{{first: from, last: to}}
	}
	width, narrower := levels[0].width, levels[1:]
	first, last := (from+width-1)/width, to/width
	if first >= last {
		return cut(from, to, narrower)
	}
	parts := append(cut(from, first*width, narrower), part{levels[0].dim, first, last})
	return append(parts, cut(last*width, to, narrower)...)
}

// parts covers the range of a query. What one user spent is not summed up
// beforehand; an index leads to their lines.
func (src source) parts(q agent.SpendQuery) []part {
	if q.UserID != "" {
		return cut(sqlite.MS(q.From), sqlite.MS(q.To), nil)
	}
	return cut(sqlite.MS(q.From), sqlite.MS(q.To), src.levels)
}

// rows is the SQL of all parts: rows with a key and the columns of spend_sums.
func (src source) rows(w *sqlite.Where, parts []part, userID string) string {
	text := ""
	for i, p := range parts {
		if i > 0 {
			text += " UNION ALL "
		}
		if p.dim != "" {
			text += `SELECT key, ` + sumColumns + ` FROM spend_sums` +
				w.Param(` WHERE dim = `, p.dim) + w.Param(` AND slot >= `, p.first) + w.Param(` AND slot < `, p.last)
			continue
		}
		text += `SELECT ` + src.key + `, ` + src.runs + `, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros,
			1, CASE WHEN priced THEN 0 ELSE 1 END, estimated FROM usage` + lineRange(w, p, userID)
	}
	return text
}

// lineRange is the condition of lines within a part, of one user or of all.
func lineRange(w *sqlite.Where, p part, userID string) string {
	text := w.Param(` WHERE ended_at >= `, p.first) + w.Param(` AND ended_at < `, p.last)
	if userID != "" {
		text += w.Param(` AND user_id = `, userID)
	}
	return text
}

// sumTools sums by tool. A line's cost is split among the calls of its answer,
// so that lines which the sums do not cover are split here.
func sumTools(ctx context.Context, from sqlite.Reader, q agent.SpendQuery) ([]agent.SpendRow, error) {
	sums := map[string]*agent.SpendRow{}
	add := func(row agent.SpendRow) {
		if sums[row.Key] == nil {
			sums[row.Key] = &agent.SpendRow{Key: row.Key, Label: cmp.Or(row.Key, "No tool")}
		}
		sums[row.Key].Add(row)
	}
	for _, p := range sources[agent.SpendByTool].parts(q) {
		if err := eachToolSum(ctx, from, p, q.UserID, add); err != nil {
			return nil, err
		}
	}
	rows := make([]agent.SpendRow, 0, len(sums))
	for _, row := range sums {
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
func eachToolSum(ctx context.Context, from sqlite.Reader, p part, userID string, add func(agent.SpendRow)) error {
	w := &sqlite.Where{}
	take := func(r sqlite.Scanner) error {
		row, err := scanRow(r)
		add(row)
		return err
	}
	if p.dim != "" {
		return sqlite.Each(ctx, from, take, `SELECT key, key, `+summed+` FROM spend_sums`+w.Param(` WHERE dim = `, p.dim)+w.Param(` AND slot >= `, p.first)+
			w.Param(` AND slot < `, p.last)+` GROUP BY key`, w.Args...)
	}
	src := source{key: `''`, runs: `0`}
	err := sqlite.Each(ctx, from, take, partColumns+src.rows(w, []part{p}, userID)+` AND tools = '') SELECT key, key, `+summed+` FROM p GROUP BY key`, w.Args...)
	if err != nil {
		return err
	}
	w = &sqlite.Where{}
	return sqlite.Each(ctx, from, func(r sqlite.Scanner) error {
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
	}, `SELECT `+toolLine+` FROM usage`+lineRange(w, p, userID)+` AND tools <> ''`, w.Args...)
}
