package store

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Spending sums what was spent, by time, user, conversation, model and tool.
type Spending struct{ *core }

// spendNames are the key and the label of each group, and where they come from.
var spendNames = map[agent.SpendGroup]struct{ key, label, join string }{
	agent.SpendByModel:        {`s.key`, `s.key`, ``},
	agent.SpendByUser:         {userName(`u.email`, `s.key`), userName(`u.email`, `s.key`), ` LEFT JOIN users u ON u.id = s.key`},
	agent.SpendByConversation: {`s.key`, `COALESCE(c.title, 'deleted conversation')`, ` LEFT JOIN conversations c ON c.id = s.key`},
}

// Spend sums the ledger: days in order, all others by cost and tokens, the most first.
func (s *Spending) Spend(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error) {
	switch q.Group {
	case agent.SpendByDay:
		q.Span = agent.SpanDay
		return s.spendColumns(ctx, q)
	case agent.SpendByTool:
		return spendTools(ctx, s.db, q)
	case agent.SpendByModel, agent.SpendByUser, agent.SpendByConversation:
		return s.spendKeys(ctx, q)
	default:
		return nil, agent.InvalidField("group", "%q is not known; allowed: day, user, model, conversation, tool", q.Group)
	}
}

// SpendTotal sums the whole range.
func (s *Spending) SpendTotal(ctx context.Context, q agent.SpendQuery) (agent.SpendRow, error) {
	q.Group = agent.SpendByDay
	rows, err := s.spendSpan(ctx, q)
	if err != nil || len(rows) == 0 {
		return agent.SpendRow{}, err
	}
	return rows[0], nil
}

// spendKeys sums by what spend_sums has as its key, and puts names to it.
func (s *Spending) spendKeys(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error) {
	src, names, w := spendSources[q.Group], spendNames[q.Group], &where{}
	parts := src.parts(q)
	if len(parts) == 0 {
		return []agent.SpendRow{}, nil
	}
	text := partColumns + src.rows(w, parts, q.UserID) + `)`
	only := ``
	if q.Limit > 0 {
		// The first are found by what they are ordered by alone, which is half the work.
		text += `, top (key) AS MATERIALIZED (SELECT key FROM p GROUP BY key ORDER BY ` + spendOrder(q, `SUM(cost_micros)`, `SUM(input_tokens + output_tokens)`) +
			w.param(` LIMIT `, q.Limit) + `)`
		only = ` WHERE key IN (SELECT key FROM top)`
	}
	text += ` SELECT ` + names.key + ` AS key, ` + names.label + `, s.runs, s.input_tokens, s.cached_tokens, s.output_tokens, s.reasoning_tokens,
		s.cost_micros, s.lines, s.unpriced, s.estimated FROM (SELECT key, ` + summed + ` FROM p` + only + ` GROUP BY key) AS s` + names.join +
		` ORDER BY ` + spendOrder(q, `s.cost_micros`, `s.input_tokens + s.output_tokens`)
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.SpendRow, error) { return scanSpend(r) }, text, w.args...)
}

// spendOrder puts what costs most, or took most tokens, first.
func spendOrder(q agent.SpendQuery, cost, tokens string) string {
	if q.ByTokens {
		return tokens + ` DESC, key`
	}
	return cost + ` DESC, ` + tokens + ` DESC, key`
}

// spendSpan sums the range of a query by key, in the order of the keys.
func (s *Spending) spendSpan(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error) {
	src, w := spendSources[q.Group], &where{}
	parts := src.parts(q)
	if len(parts) == 0 {
		return nil, nil
	}
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.SpendRow, error) { return scanSpend(r) },
		partColumns+src.rows(w, parts, q.UserID)+`) SELECT key, key, `+summed+` FROM p GROUP BY key ORDER BY key`, w.args...)
}

// SpendByDayAndModel returns one row per day (or week, or month, as the query's
// Span says) and model: Key is the first day of the span, Label the model.
func (s *Spending) SpendByDayAndModel(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error) {
	q.Group = agent.SpendByModel
	return s.spendColumns(ctx, q)
}

// maxSpendDays bounds a range; each column is one query.
const maxSpendDays = 3700

// spendColumns sums column by column: where a day begins is a matter of the time
// zone and its clock changes, which Go knows and SQL does not.
func (s *Spending) spendColumns(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error) {
	rows := []agent.SpendRow{}
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	if q.Span == "" {
		q.Span = agent.SpanDay
	}
	first, last, err := s.ledgerSpan(ctx, q)
	if err != nil || last.IsZero() {
		return rows, err
	}
	n := 0
	for start, end := q.Span.Window(first, q.Zone); !start.After(last); start, end = q.Span.Window(end, q.Zone) {
		if n++; n > maxSpendDays {
			return nil, agent.InvalidField("to", "is more than %d days after from", maxSpendDays)
		}
		column := q
		column.From, column.To = maxTime(start, q.From), minTime(end, q.To)
		found, err := s.spendSpan(ctx, column)
		if err != nil {
			return nil, err
		}
		for i := range found {
			found[i].Key = start.In(q.Zone).Format(time.DateOnly)
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// ledgerSpan is about where the ledger begins and ends within the query, so that
// empty years cost nothing.
func (s *Spending) ledgerSpan(ctx context.Context, q agent.SpendQuery) (first, last time.Time, err error) {
	w, within := &where{}, part{first: sqlite.MS(q.From), last: sqlite.MS(q.To)}
	// Two questions that an index answers at once; MIN and MAX together read it all.
	text := `SELECT (SELECT ended_at FROM usage` + lineRange(w, within, q.UserID) + ` ORDER BY ended_at LIMIT 1),
		(SELECT ended_at FROM usage` + lineRange(w, within, q.UserID) + ` ORDER BY ended_at DESC LIMIT 1)`
	var lo, hi *int64
	if err = s.db.QueryRowContext(ctx, text, w.args...).Scan(&lo, &hi); err != nil || lo == nil {
		return first, last, err
	}
	return time.UnixMilli(*lo).UTC(), time.UnixMilli(*hi).UTC(), nil
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// SpendTotals is the whole bill for ever, by model.
func (s *Spending) SpendTotals(ctx context.Context) ([]agent.SpendRow, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.SpendRow, error) {
		var row agent.SpendRow
		err := r.Scan(&row.Key, &row.Runs, &row.InputTokens, &row.CachedTokens, &row.OutputTokens,
			&row.ReasoningTokens, &row.CostMicros, &row.Lines, &row.Unpriced, &row.Estimated)
		row.Label = row.Key
		return row, err
	}, `SELECT key, `+sumColumns+` FROM spend_sums WHERE dim = 'total' ORDER BY key`)
}

// HourlySpend sums what was spent in each hour from an instant up to another.
func (s *Spending) HourlySpend(ctx context.Context, from, to time.Time) ([]agent.HourSpend, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.HourSpend, error) {
		var slot int64
		var h agent.HourSpend
		err := r.Scan(&slot, &h.Micros)
		h.Hour = sqlite.FromMS(slot * hourMS)
		return h, err
	}, `SELECT slot, SUM(cost_micros) FROM spend_sums WHERE dim = 'hour' AND slot >= $1 AND slot < $2 GROUP BY slot ORDER BY slot`,
		sqlite.MS(from)/hourMS, sqlite.MS(to)/hourMS)
}

// NamedCosts are what endpoints have said of calls between two instants, by model, the
// most first. Calls of which they said nothing, and those without a price, are left out.
func (s *Spending) NamedCosts(ctx context.Context, from, to time.Time) ([]agent.NamedCost, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.NamedCost, error) {
		var c agent.NamedCost
		err := r.Scan(&c.Model, &c.Calls, &c.NamedMicros, &c.CostMicros)
		return c, err
	}, `SELECT model, COUNT(*), SUM(named_micros) AS named, SUM(cost_micros) FROM usage
		WHERE named_micros > 0 AND priced AND ended_at >= $1 AND ended_at < $2 GROUP BY model ORDER BY named DESC, model`, sqlite.MS(from), sqlite.MS(to))
}
