package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"fusebox/agent"
)

const stepColumns = `run_id, step, kind, conversation_id, user_id, model, input_tokens, cached_tokens, output_tokens,
	reasoning_tokens, estimated, cost_micros, finish_reason, started_at, ended_at, group_name, provider, request_id, tools, priced`

// insertStep adds a line to the bill and to its sums.
func insertStep(t *tx, s agent.Step, reservationID string) error {
	s.Tools = slices.Clone(s.Tools)
	starts, err := markFirsts(t, &s)
	if err != nil {
		return err
	}
	tools := ""
	if len(s.Tools) > 0 {
		if tools, err = toJSON(s.Tools); err != nil {
			return err
		}
	}
	_, err = t.exec(`INSERT INTO usage (`+stepColumns+`, reservation_id, starts_run, starts_model)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
			$16, $17, $18, $19, $20, $21, $22, $23)`,
		s.RunID, s.N, s.Kind, s.ConversationID, s.UserID, s.Model, s.Usage.InputTokens, s.Usage.CachedTokens, s.Usage.OutputTokens,
		s.Usage.ReasoningTokens, s.Usage.Estimated, s.CostMicros, s.FinishReason, ms(s.StartedAt), ms(s.EndedAt),
		s.GroupName, s.Provider, s.RequestID, tools, !s.Unpriced, reservationID, starts.run, starts.model)
	if err != nil {
		return err
	}
	return addToSums(t, s, starts)
}

// Steps lists a run's lines in the ledger.
func (s *Store) Steps(ctx context.Context, runID string) ([]agent.Step, error) {
	return list(ctx, s, func(r scanner) (agent.Step, error) {
		var st agent.Step
		var started, ended int64
		var tools string
		var priced bool
		err := r.Scan(&st.RunID, &st.N, &st.Kind, &st.ConversationID, &st.UserID, &st.Model, &st.Usage.InputTokens,
			&st.Usage.CachedTokens, &st.Usage.OutputTokens, &st.Usage.ReasoningTokens, &st.Usage.Estimated,
			&st.CostMicros, &st.FinishReason, &started, &ended, &st.GroupName, &st.Provider, &st.RequestID, &tools, &priced)
		if err != nil {
			return st, err
		}
		st.StartedAt, st.EndedAt, st.Unpriced = fromMS(started), fromMS(ended), !priced
		return st, fromJSON(tools, &st.Tools)
	}, `SELECT `+stepColumns+` FROM usage WHERE run_id = $1 ORDER BY step, kind`, runID)
}

const spendSums = `COUNT(DISTINCT l.run_id), SUM(l.input_tokens), SUM(l.cached_tokens), SUM(l.output_tokens), SUM(l.cost_micros)`

const spendWhere = ` WHERE l.ended_at >= $1 AND l.ended_at < $2 AND ($3 = '' OR l.user_id = $3) `

func scanSpend(r scanner) (agent.SpendRow, error) {
	var row agent.SpendRow
	err := r.Scan(&row.Key, &row.Label, &row.Runs, &row.InputTokens, &row.CachedTokens, &row.OutputTokens, &row.CostMicros)
	return row, err
}

// spendGroups is the key, the label and the joins of each group but the day.
var spendGroups = map[agent.SpendGroup]struct{ key, label, join string }{
	agent.SpendByUser:         {`COALESCE(u.email, l.user_id)`, `COALESCE(u.email, l.user_id)`, ` LEFT JOIN users u ON u.id = l.user_id`},
	agent.SpendByModel:        {`l.model`, `l.model`, ``},
	agent.SpendByConversation: {`l.conversation_id`, `COALESCE(c.title, 'deleted conversation')`, ` LEFT JOIN conversations c ON c.id = l.conversation_id`},
}

// Spend sums the ledger: days in order, all others by cost and tokens, the most first.
func (s *Store) Spend(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error) {
	if q.Group == agent.SpendByDay {
		return s.spendDays(ctx, q, `''`, func(r agent.SpendRow) string { return r.Key })
	}
	g, ok := spendGroups[q.Group]
	if !ok {
		return nil, agent.InvalidField("group", "%q is not known; allowed: day, user, model, conversation", q.Group)
	}
	return list(ctx, s, scanSpend, `SELECT `+g.key+` AS key, `+g.label+`, `+spendSums+` FROM usage l`+g.join+spendWhere+
		`GROUP BY 1, 2 ORDER BY 7 DESC, 4 DESC, 1`, ms(q.From), ms(q.To), q.UserID)
}

// SpendByDayAndModel returns one row per day and model; Label is the model.
func (s *Store) SpendByDayAndModel(ctx context.Context, q agent.SpendQuery) ([]agent.SpendRow, error) {
	return s.spendDays(ctx, q, `l.model`, func(r agent.SpendRow) string { return r.Key + "\x00" + r.Label })
}

// maxSpendDays bounds a range; each day is one query.
const maxSpendDays = 3700

// spendDays sums day by day: where a day begins is a matter of the time zone
// and its clock changes, which Go knows and SQL does not.
func (s *Store) spendDays(ctx context.Context, q agent.SpendQuery, label string, order func(agent.SpendRow) string) ([]agent.SpendRow, error) {
	rows := []agent.SpendRow{}
	zone := q.Zone
	if zone == nil {
		zone = time.UTC
	}
	first, last, err := s.ledgerSpan(ctx, q)
	if err != nil || last.IsZero() {
		return rows, err
	}
	n := 0
	y, m, d := first.In(zone).Date()
	for start := agent.StartOfDay(y, m, d, zone); !start.After(last); d++ {
		if n++; n > maxSpendDays {
			return nil, agent.InvalidField("to", "is more than %d days after from", maxSpendDays)
		}
		next := agent.StartOfDay(y, m, d+1, zone)
		from, to := maxTime(start, q.From), minTime(next, q.To)
		found, err := list(ctx, s, scanSpend, fmt.Sprintf(`SELECT '', %s, %s FROM usage l%sGROUP BY 2 HAVING COUNT(*) > 0`, label, spendSums, spendWhere),
			ms(from), ms(to), q.UserID)
		if err != nil {
			return nil, err
		}
		for i := range found {
			found[i].Key = time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		}
		rows = append(rows, found...)
		start = next
	}
	slices.SortStableFunc(rows, func(a, b agent.SpendRow) int { return cmp.Compare(order(a), order(b)) })
	return rows, nil
}

// ledgerSpan is the first and last line of the ledger within the query, so
// that empty years cost nothing.
func (s *Store) ledgerSpan(ctx context.Context, q agent.SpendQuery) (first, last time.Time, err error) {
	var lo, hi int64
	err = s.read.QueryRowContext(ctx, `SELECT COALESCE(MIN(l.ended_at), 0), COALESCE(MAX(l.ended_at), 0) FROM usage l`+spendWhere,
		ms(q.From), ms(q.To), q.UserID).Scan(&lo, &hi)
	return fromMS(lo), fromMS(hi), err
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
