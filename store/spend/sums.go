package spend

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Starts says whether a line is the first of its run, and of its model in the run:
// runs are counted there, so that their number adds up over any span of time.
type Starts struct{ Run, Model bool }

// MarkFirsts looks for earlier lines of the run, and marks the tools that it calls for
// the first time. Each search ends at the first line that it finds, newest first: what
// is searched is mostly in the line before.
func MarkFirsts(t *sqlite.Tx, s *agent.Step) (Starts, error) {
	var first Starts
	if !s.Kind.OfRun() {
		return first, nil
	}
	err := t.Row(`SELECT NOT EXISTS (SELECT 1 FROM usage WHERE run_id = $1),
		NOT EXISTS (SELECT 1 FROM usage WHERE run_id = $1 AND model = $2 ORDER BY step DESC LIMIT 1)`,
		s.RunID, s.Model).Scan(&first.Run, &first.Model)
	for i := range s.Tools {
		if err != nil {
			return first, err
		}
		err = t.Row(`SELECT NOT EXISTS (SELECT 1 FROM usage, json_each(tools) u WHERE run_id = $1 AND tools <> ''
			AND u.value ->> 'name' = $2 ORDER BY step DESC LIMIT 1)`, s.RunID, s.Tools[i].Name).Scan(&s.Tools[i].First)
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
func sumsOf(s agent.Step, first Starts) []sum {
	whole := s.Sum()
	at := sqlite.MS(s.EndedAt)
	sums := []sum{
		{"all", at / hourMS, "", first.Run, whole},
		{"hour", at / hourMS, s.Model, first.Model, whole},
		{"model", at / dayMS, s.Model, first.Model, whole},
		{"user", at / dayMS, s.UserID, first.Run, whole},
		{"conversation", at / dayMS, s.ConversationID, first.Run, whole},
		{"user28", at / fourWeeksMS, s.UserID, first.Run, whole},
		{"conversation28", at / fourWeeksMS, s.ConversationID, first.Run, whole},
		{"total", 0, s.Model, first.Model, whole},
	}
	if s.Kind == agent.StepEmbedding {
		sums = append(sums, sum{"embedding", at / dayMS, s.UserID, false, whole}, sum{"embedding_all", 0, s.UserID, false, whole})
	}
	return append(sums, toolSums(s)...)
}

// toolSums are those by tool.
func toolSums(s agent.Step) []sum {
	var sums []sum
	firstCall := s.FirstCalls()
	for tool, share := range s.Shares() {
		sums = append(sums, sum{"tool", sqlite.MS(s.EndedAt) / dayMS, tool, firstCall[tool], share})
	}
	return sums
}

// Add adds a line to all sums that it is part of.
func Add(t *sqlite.Tx, s agent.Step, first Starts) error {
	sums := sumsOf(s, first)
	rows := make([][]any, len(sums))
	for i, row := range sums {
		rows[i] = []any{
			row.dim, row.slot, row.key, 1, one(row.runs), row.InputTokens, row.CachedTokens, row.OutputTokens,
			row.ReasoningTokens, row.CostMicros, one(s.Unpriced), one(s.Usage.Estimated),
		}
	}
	return t.InsertRows(`INSERT INTO spend_sums (dim, slot, key, lines, runs, input_tokens, cached_tokens, output_tokens,
			reasoning_tokens, cost_micros, unpriced, estimated) VALUES`, `
		ON CONFLICT (dim, slot, key) DO UPDATE SET lines = lines + 1, runs = runs + excluded.runs,
			input_tokens = input_tokens + excluded.input_tokens, cached_tokens = cached_tokens + excluded.cached_tokens,
			output_tokens = output_tokens + excluded.output_tokens, reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
			cost_micros = cost_micros + excluded.cost_micros, unpriced = unpriced + excluded.unpriced, estimated = estimated + excluded.estimated`,
		rows)
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
func (s *Sums) CheckSums(ctx context.Context) error {
	// A line of this moment is in both or in none.
	return s.db.View(ctx, func(from sqlite.Reader) error { return Check(ctx, from) })
}

// Check is CheckSums within a transaction.
func Check(ctx context.Context, from sqlite.Reader) error {
	recomputed, err := recomputeSums(ctx, from)
	if err != nil {
		return err
	}
	if err := compareSums(ctx, from, recomputed); err != nil {
		return err
	}
	for k := range recomputed {
		return k.fault("is missing")
	}
	return nil
}

func (k sumKey) fault(what string) error {
	return &agent.LedgerFault{What: fmt.Sprintf("the sum %s %d of %q %s", k.dim, k.slot, k.key, what)}
}

// compareSums takes every stored sum off those that were added up again.
func compareSums(ctx context.Context, from sqlite.Reader, recomputed map[sumKey]*agent.SpendRow) error {
	return sqlite.Each(ctx, from, func(r sqlite.Scanner) error {
		var k sumKey
		stored, err := scanRow(r, &k.dim, &k.slot)
		if err != nil {
			return err
		}
		k.key, stored.Key = stored.Key, ""
		if want, ok := recomputed[k]; !ok || stored != *want {
			return k.fault("is not what its lines add up to")
		}
		delete(recomputed, k)
		return nil
	}, `SELECT key, '', `+sumColumns+`, dim, slot FROM spend_sums`)
}

// recomputeSums adds up all lines of the bill.
func recomputeSums(ctx context.Context, from sqlite.Reader) (map[sumKey]*agent.SpendRow, error) {
	sums := map[sumKey]*agent.SpendRow{}
	err := sqlite.Each(ctx, from, func(r sqlite.Scanner) error {
		var first Starts
		var ended int64
		var kind agent.StepKind
		var model, user, conversation string
		line, err := scanToolLine(r, &ended, &kind, &model, &user, &conversation, &first.Run, &first.Model)
		if err != nil {
			return err
		}
		line.EndedAt, line.Kind, line.Model, line.UserID, line.ConversationID = sqlite.FromMS(ended), kind, model, user, conversation
		for _, part := range sumsOf(line, first) {
			k := sumKey{part.dim, part.slot, part.key}
			if sums[k] == nil {
				sums[k] = &agent.SpendRow{}
			}
			sums[k].Add(part.row(line))
		}
		return nil
	}, `SELECT `+toolLine+`, ended_at, kind, model, user_id, conversation_id, starts_run, starts_model FROM usage`)
	return sums, err
}

// Embedded is what embedding has taken of a person since the beginning of a day of UTC, and ever.
func Embedded(ctx context.Context, from sqlite.Reader, userID string, since time.Time) (inTime, ever agent.SpendSum, err error) {
	err = from.QueryRowContext(ctx, embeddedSince, "embedding", sqlite.MS(since)/dayMS, userID).Scan(&inTime.InputTokens, &inTime.CostMicros)
	if err == nil {
		err = from.QueryRowContext(ctx, embeddedSince, "embedding_all", 0, userID).Scan(&ever.InputTokens, &ever.CostMicros)
	}
	return inTime, ever, err
}

const embeddedSince = `SELECT COALESCE(SUM(input_tokens), 0), COALESCE(SUM(cost_micros), 0) FROM spend_sums WHERE dim = $1 AND slot >= $2 AND key = $3`

// sumColumns are the amounts of spend_sums, in the order of scanRow.
const sumColumns = `runs, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros, lines, unpriced, estimated`

// summed are the columns of spend_sums added up, in the order of scanRow.
const summed = `SUM(runs) AS runs, SUM(input_tokens) AS input_tokens, SUM(cached_tokens) AS cached_tokens, SUM(output_tokens) AS output_tokens,
	SUM(reasoning_tokens) AS reasoning_tokens, SUM(cost_micros) AS cost_micros, SUM(lines) AS lines, SUM(unpriced) AS unpriced, SUM(estimated) AS estimated`

// partColumns opens a query over the rows of parts, and names their columns.
const partColumns = `WITH p (key, ` + sumColumns + `) AS NOT MATERIALIZED (`

// scanRow reads a sum, and the columns after it.
func scanRow(r sqlite.Scanner, more ...any) (agent.SpendRow, error) {
	var row agent.SpendRow
	err := r.Scan(append([]any{
		&row.Key, &row.Label, &row.Runs, &row.InputTokens, &row.CachedTokens, &row.OutputTokens,
		&row.ReasoningTokens, &row.CostMicros, &row.Lines, &row.Unpriced, &row.Estimated,
	}, more...)...)
	return row, err
}

const toolLine = `tools, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros, estimated, priced`

// scanToolLine reads what a line's sums are made of, and the columns after it.
func scanToolLine(r sqlite.Scanner, more ...any) (agent.Step, error) {
	var line agent.Step
	var tools string
	var priced bool
	u := &line.Usage
	err := r.Scan(append([]any{&tools, &u.InputTokens, &u.CachedTokens, &u.OutputTokens, &u.ReasoningTokens, &line.CostMicros, &u.Estimated, &priced}, more...)...)
	if err != nil {
		return line, err
	}
	line.Unpriced = !priced
	if tools != "" {
		err = json.Unmarshal([]byte(tools), &line.Tools)
	}
	return line, err
}
