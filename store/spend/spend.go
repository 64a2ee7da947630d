package spend

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Sums are what was spent, by time, user, conversation, model and tool.
type Sums struct{ db *sqlite.DB }

// New reads the sums of a database.
func New(db *sqlite.DB) *Sums { return &Sums{db} }

// UserName is, in SQL, the address of an account, or agent.RemovedUser of its id where
// there is none any more.
func UserName(email, id string) string {
	return `COALESCE(` + email + `, 'removed user ' || SUBSTR(` + id + `, -6))`
}

// labels are the key and the label of each group, and where they come from.
var labels = map[agent.SpendGroup]struct{ key, label, join string }{
	agent.SpendByModel:        {`s.key`, `s.key`, ``},
	agent.SpendByUser:         {UserName(`u.email`, `s.key`), UserName(`u.email`, `s.key`), ` LEFT JOIN users u ON u.id = s.key`},
	agent.SpendByConversation: {`s.key`, `COALESCE(c.title, 'deleted conversation')`, ` LEFT JOIN conversations c ON c.id = s.key`},
}

// Spend sums the ledger: days in order, all others by cost and tokens, the most first.
func (s *Sums) Spend(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error) {
	switch q.Group {
	case agent.SpendByDay:
		q.Span = agent.SpanDay
		return s.byColumn(ctx, q)
	case agent.SpendByTool:
		return sumTools(ctx, s.db, q)
	case agent.SpendByModel, agent.SpendByUser, agent.SpendByConversation:
		return s.byKey(ctx, q)
	default:
		return nil, agent.InvalidField("group", "%q is not known; allowed: day, user, model, conversation, tool", q.Group)
	}
}

// SpendTotal sums the whole range.
func (s *Sums) SpendTotal(ctx context.Context, q agent.SpendQuery) (agent.SpendRow, error) {
	q.Group = agent.SpendByDay
	rows, err := s.inSpan(ctx, q)
	if err != nil || len(rows) == 0 {
		return agent.SpendRow{}, err
	}
	return rows[0], nil
}

// byKey sums by what spend_sums has as its key, and puts names to it.
func (s *Sums) byKey(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error) {
	src, label, w := sources[q.Group], labels[q.Group], &sqlite.Where{}
	parts := src.parts(q)
	if len(parts) == 0 {
		return []agent.SpendRow{}, nil
	}
	text := partColumns + src.rows(w, parts, q.UserID) + `)`
	only := ``
	if q.Limit > 0 {
		// The first are found by what they are ordered by alone, which is half the work.
		text += `, top (key) AS MATERIALIZED (SELECT key FROM p GROUP BY key ORDER BY ` + orderOf(q, `SUM(cost_micros)`, `SUM(input_tokens + output_tokens)`) +
			w.Param(` LIMIT `, q.Limit) + `)`
		only = ` WHERE key IN (SELECT key FROM top)`
	}
	text += ` SELECT ` + label.key + ` AS key, ` + label.label + `, s.runs, s.input_tokens, s.cached_tokens, s.output_tokens, s.reasoning_tokens,
		s.cost_micros, s.lines, s.unpriced, s.estimated FROM (SELECT key, ` + summed + ` FROM p` + only + ` GROUP BY key) AS s` + label.join +
		` ORDER BY ` + orderOf(q, `s.cost_micros`, `s.input_tokens + s.output_tokens`)
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.SpendRow, error) { return scanRow(r) }, text, w.Args...)
}

// orderOf puts what costs most, or took most tokens, first.
func orderOf(q agent.SpendQuery, cost, tokens string) string {
	if q.ByTokens {
		return tokens + ` DESC, key`
	}
	return cost + ` DESC, ` + tokens + ` DESC, key`
}

// inSpan sums the range of a query by key, in the order of the keys.
func (s *Sums) inSpan(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error) {
	src, w := sources[q.Group], &sqlite.Where{}
	parts := src.parts(q)
	if len(parts) == 0 {
		return nil, nil
	}
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.SpendRow, error) { return scanRow(r) },
		partColumns+src.rows(w, parts, q.UserID)+`) SELECT key, key, `+summed+` FROM p GROUP BY key ORDER BY key`, w.Args...)
}

// SpendByDayAndModel returns one row per day (or week, or month, as the query's
// Span says) and model: Key is the first day of the span, Label the model.
func (s *Sums) SpendByDayAndModel(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error) {
	q.Group = agent.SpendByModel
	return s.byColumn(ctx, q)
}

// maxDays bounds a range; each column is one query.
const maxDays = 3700

// byColumn sums column by column: where a day begins is a matter of the time
// zone and its clock changes, which Go knows and SQL does not.
func (s *Sums) byColumn(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error) {
	rows := []agent.SpendRow{}
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	if q.Span == "" {
		q.Span = agent.SpanDay
	}
	first, last, err := s.reach(ctx, q)
	if err != nil || last.IsZero() {
		return rows, err
	}
	n := 0
	for start, end := q.Span.Window(first, q.Zone); !start.After(last); start, end = q.Span.Window(end, q.Zone) {
		if n++; n > maxDays {
			return nil, agent.InvalidField("to", "is more than %d days after from", maxDays)
		}
		column := q
		if start.After(q.From) {
			column.From = start
		}
		if end.Before(q.To) {
			column.To = end
		}
		found, err := s.inSpan(ctx, column)
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

// reach is about where the ledger begins and ends within the query, so that
// empty years cost nothing.
func (s *Sums) reach(ctx context.Context, q agent.SpendQuery) (first, last time.Time, err error) {
	w, within := &sqlite.Where{}, part{first: sqlite.MS(q.From), last: sqlite.MS(q.To)}
	// Two questions that an index answers at once; MIN and MAX together read it all.
	text := `SELECT (SELECT ended_at FROM usage` + lineRange(w, within, q.UserID) + ` ORDER BY ended_at LIMIT 1),
		(SELECT ended_at FROM usage` + lineRange(w, within, q.UserID) + ` ORDER BY ended_at DESC LIMIT 1)`
	var lo, hi *int64
	if err = s.db.QueryRowContext(ctx, text, w.Args...).Scan(&lo, &hi); err != nil || lo == nil {
		return first, last, err
	}
	return time.UnixMilli(*lo).UTC(), time.UnixMilli(*hi).UTC(), nil
}

// SpendTotals is the whole bill for ever, by model.
func (s *Sums) SpendTotals(ctx context.Context) ([]agent.SpendRow, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.SpendRow, error) { return scanRow(r) },
		`SELECT key, key, `+sumColumns+` FROM spend_sums WHERE dim = 'total' ORDER BY key`)
}

// HourlySpend sums what was spent in each hour from an instant up to another.
func (s *Sums) HourlySpend(ctx context.Context, from, to time.Time) ([]agent.HourSpend, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (h agent.HourSpend, err error) {
		var slot int64
		err = r.Scan(&slot, &h.Micros)
		h.Hour = sqlite.FromMS(slot * hourMS)
		return h, err
	}, `SELECT slot, SUM(cost_micros) FROM spend_sums WHERE dim = 'hour' AND slot >= $1 AND slot < $2 GROUP BY slot ORDER BY slot`,
		sqlite.MS(from)/hourMS, sqlite.MS(to)/hourMS)
}

// NamedCosts are what endpoints have said of calls between two instants, by model, the
// most first. Calls of which they said nothing, and those without a price, are left out.
func (s *Sums) NamedCosts(ctx context.Context, from, to time.Time) ([]agent.NamedCost, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (c agent.NamedCost, err error) {
		err = r.Scan(&c.Model, &c.Calls, &c.NamedMicros, &c.CostMicros)
		return c, err
	}, `SELECT model, COUNT(*), SUM(named_micros) AS named, SUM(cost_micros) FROM usage
		WHERE named_micros > 0 AND priced AND ended_at >= $1 AND ended_at < $2 GROUP BY model ORDER BY named DESC, model`, sqlite.MS(from), sqlite.MS(to))
}
