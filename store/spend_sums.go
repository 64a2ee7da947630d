package store

import (
	"context"
	"fmt"
	"time"

	"fusebox/agent"
)

// starts says whether a line is the first of its run, and of its model in the run:
// runs are counted there, so that their number adds up over any span of time.
type starts struct{ run, model bool }

// markFirsts looks for earlier lines of the run, and marks the tools that it
// calls for the first time.
func markFirsts(t *tx, s *agent.Step) (starts, error) {
	first := starts{run: true, model: true}
	seen := map[string]bool{}
	err := t.each(func(r scanner) error {
		var model, text string
		if err := r.Scan(&model, &text); err != nil {
			return err
		}
		first.run, first.model = false, first.model && model != s.Model
		var tools []agent.ToolUse
		if err := fromJSON(text, &tools); err != nil {
			return err
		}
		for _, u := range tools {
			seen[u.Name] = true
		}
		return nil
	}, `SELECT model, tools FROM usage WHERE run_id = $1`, s.RunID)
	for i := range s.Tools {
		s.Tools[i].First = !seen[s.Tools[i].Name]
	}
	return first, err
}

// The widths of slots in milliseconds.
const (
	hourMS      = int64(time.Hour / time.Millisecond)
	dayMS       = 24 * hourMS
	fourWeeksMS = 28 * dayMS
)

// sum is a row of spend_sums.
type sum struct {
	dim  string
	slot int64
	key  string
	runs bool
	agent.SpendSum
}

// sumsOf are the sums that a line is part of, with what it adds to each.
func sumsOf(s agent.Step, first starts) []sum {
	whole := s.Sum()
	at := ms(s.EndedAt)
	sums := []sum{
		{"all", at / hourMS, "", first.run, whole},
		{"hour", at / hourMS, s.Model, first.model, whole},
		{"model", at / dayMS, s.Model, first.model, whole},
		{"user", at / dayMS, s.UserID, first.run, whole},
		{"conversation", at / dayMS, s.ConversationID, first.run, whole},
		{"user28", at / fourWeeksMS, s.UserID, first.run, whole},
		{"conversation28", at / fourWeeksMS, s.ConversationID, first.run, whole},
		{"total", 0, s.Model, first.model, whole},
	}
	return append(sums, toolSums(s)...)
}

// toolSums are those by tool.
func toolSums(s agent.Step) []sum {
	var sums []sum
	firstCall := s.FirstCalls()
	for tool, share := range s.Shares() {
		sums = append(sums, sum{"tool", ms(s.EndedAt) / dayMS, tool, firstCall[tool], share})
	}
	return sums
}

// addToSums adds a line to all sums that it is part of.
func addToSums(t *tx, s agent.Step, first starts) error {
	for _, row := range sumsOf(s, first) {
		if err := addSum(t, row, s); err != nil {
			return err
		}
	}
	return nil
}

func addSum(t *tx, row sum, s agent.Step) error {
	_, err := t.exec(`INSERT INTO spend_sums (dim, slot, key, lines, runs, input_tokens, cached_tokens, output_tokens,
			reasoning_tokens, cost_micros, unpriced, estimated)
		VALUES ($1, $2, $3, 1, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (dim, slot, key) DO UPDATE SET lines = lines + 1, runs = runs + excluded.runs,
			input_tokens = input_tokens + excluded.input_tokens, cached_tokens = cached_tokens + excluded.cached_tokens,
			output_tokens = output_tokens + excluded.output_tokens, reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
			cost_micros = cost_micros + excluded.cost_micros, unpriced = unpriced + excluded.unpriced, estimated = estimated + excluded.estimated`,
		row.dim, row.slot, row.key, one(row.runs), row.InputTokens, row.CachedTokens, row.OutputTokens,
		row.ReasoningTokens, row.CostMicros, one(s.Unpriced), one(s.Usage.Estimated))
	return err
}

func one(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// row is what a line adds to a sum.
func (s sum) row(line agent.Step) agent.SpendRow {
	return agent.SpendRow{
		Runs: one(s.runs), Tokens: s.Tokens, CostMicros: s.CostMicros,
		Lines: 1, Unpriced: one(line.Unpriced), Estimated: one(line.Usage.Estimated),
	}
}

// sumKey names a sum.
type sumKey struct {
	dim  string
	slot int64
	key  string
}

// CheckSums adds the bill up again and checks all of spend_sums against it. What
// does not agree is an *agent.LedgerFault.
func (s *Ledger) CheckSums(ctx context.Context) error {
	// A line of this moment is in both or in none.
	return s.view(ctx, func(from reader) error { return checkSums(ctx, from) })
}

func checkSums(ctx context.Context, from reader) error {
	anew, err := recomputeSums(ctx, from)
	if err != nil {
		return err
	}
	if err := compareSums(ctx, from, anew); err != nil {
		return err
	}
	for k := range anew {
		return k.fault("is missing")
	}
	return nil
}

func (k sumKey) fault(what string) error {
	return &agent.LedgerFault{What: fmt.Sprintf("the sum %s %d of %q %s", k.dim, k.slot, k.key, what)}
}

// compareSums takes every stored sum off those that were added up again.
func compareSums(ctx context.Context, from reader, anew map[sumKey]*agent.SpendRow) error {
	rows, err := from.QueryContext(ctx, `SELECT key, '', `+sumColumns+`, dim, slot FROM spend_sums`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var k sumKey
		stored, err := scanSpend(rows, &k.dim, &k.slot)
		if err != nil {
			return err
		}
		k.key, stored.Key = stored.Key, ""
		if want, ok := anew[k]; !ok || stored != *want {
			return k.fault("is not what its lines add up to")
		}
		delete(anew, k)
	}
	return rows.Err()
}

// recomputeSums adds up all lines of the bill.
func recomputeSums(ctx context.Context, from reader) (map[sumKey]*agent.SpendRow, error) {
	sums := map[sumKey]*agent.SpendRow{}
	rows, err := from.QueryContext(ctx, `SELECT `+toolLine+`, ended_at, model, user_id, conversation_id, starts_run, starts_model FROM usage`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var first starts
		var ended int64
		var model, user, conversation string
		line, err := scanToolLine(rows, &ended, &model, &user, &conversation, &first.run, &first.model)
		if err != nil {
			return nil, err
		}
		line.EndedAt, line.Model, line.UserID, line.ConversationID = fromMS(ended), model, user, conversation
		for _, part := range sumsOf(line, first) {
			k := sumKey{part.dim, part.slot, part.key}
			if sums[k] == nil {
				sums[k] = &agent.SpendRow{}
			}
			sums[k].Add(part.row(line))
		}
	}
	return sums, rows.Err()
}
