package store

import (
	"context"
	"database/sql"
	"fmt"

	"fusebox/agent"
)

// sumsAnew recomputes all sums but those of tools from the lines.
const sumsAnew = `
	SELECT 'all' AS dim, ended_at / 3600000 AS slot, '' AS key, SUM(starts_run) AS runs, ` + linesSummed + ` FROM usage GROUP BY 2
	UNION ALL SELECT 'hour', ended_at / 3600000, model, SUM(starts_model), ` + linesSummed + ` FROM usage GROUP BY 2, 3
	UNION ALL SELECT 'model', ended_at / 86400000, model, SUM(starts_model), ` + linesSummed + ` FROM usage GROUP BY 2, 3
	UNION ALL SELECT 'user', ended_at / 86400000, user_id, SUM(starts_run), ` + linesSummed + ` FROM usage GROUP BY 2, 3
	UNION ALL SELECT 'conversation', ended_at / 86400000, conversation_id, SUM(starts_run), ` + linesSummed + ` FROM usage GROUP BY 2, 3
	UNION ALL SELECT 'total', 0, model, SUM(starts_model), ` + linesSummed + ` FROM usage GROUP BY 3`

const linesSummed = `SUM(input_tokens), SUM(cached_tokens), SUM(output_tokens), SUM(reasoning_tokens), SUM(cost_micros),
	COUNT(*), SUM(CASE WHEN priced THEN 0 ELSE 1 END), SUM(estimated)`

// CheckSums holds all sums against the lines of the bill. What does not agree is
// an *agent.LedgerFault.
func (s *Store) CheckSums(ctx context.Context) error {
	// One transaction reads both, so that a line of this moment is in both or in none.
	t, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = t.Rollback() }()
	return checkSums(ctx, t)
}

func checkSums(ctx context.Context, t *sql.Tx) error {
	const stored = `SELECT dim, slot, key, ` + sumColumns + ` FROM spend_sums WHERE dim <> 'tool'`
	for _, differ := range []struct{ text, what string }{
		{stored + ` EXCEPT SELECT * FROM (` + sumsAnew + `)`, "is not what its lines add up to"},
		{`SELECT * FROM (` + sumsAnew + `) EXCEPT ` + stored, "is missing or is not what its lines add up to"},
	} {
		if err := noSum(ctx, t, differ.text, differ.what); err != nil {
			return err
		}
	}
	return checkToolSums(ctx, t)
}

// noSum returns the first sum that a query finds as a fault.
func noSum(ctx context.Context, t *sql.Tx, query, what string) error {
	var dim, key string
	var slot int64
	err := t.QueryRowContext(ctx, `SELECT dim, slot, key FROM (`+query+`) AS d ORDER BY dim, slot, key LIMIT 1`).Scan(&dim, &slot, &key)
	if err == sql.ErrNoRows {
		return nil
	}
	if err != nil {
		return err
	}
	return sumFault(dim, slot, key, what)
}

func sumFault(dim string, slot int64, key, what string) error {
	return &agent.LedgerFault{What: fmt.Sprintf("the sum %s %d of %q %s", dim, slot, key, what)}
}

// toolSlot is a tool on a day.
type toolSlot struct {
	slot int64
	tool string
}

// checkToolSums parts each line among its tools once more.
func checkToolSums(ctx context.Context, t *sql.Tx) error {
	anew, err := toolSumsAnew(ctx, t)
	if err != nil {
		return err
	}
	rows, err := t.QueryContext(ctx, `SELECT slot, key, key, `+sumColumns+` FROM spend_sums WHERE dim = 'tool' ORDER BY slot, key`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var at toolSlot
		row, err := scanSpend(behind{rows, &at.slot})
		if err != nil {
			return err
		}
		at.tool = row.Key
		row.Label = ""
		if want, ok := anew[at]; !ok || row != *want {
			return sumFault("tool", at.slot, at.tool, "is not what its lines add up to")
		}
		delete(anew, at)
	}
	for at := range anew {
		return sumFault("tool", at.slot, at.tool, "is missing")
	}
	return rows.Err()
}

func toolSumsAnew(ctx context.Context, t *sql.Tx) (map[toolSlot]*agent.SpendRow, error) {
	sums := map[toolSlot]*agent.SpendRow{}
	rows, err := t.QueryContext(ctx, `SELECT ended_at / 86400000, `+toolLine+` FROM usage`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var slot int64
		err := scanToolLine(behind{rows, &slot}, func(share agent.SpendRow) {
			at := toolSlot{slot, share.Key}
			if sums[at] == nil {
				sums[at] = &agent.SpendRow{Key: share.Key}
			}
			sums[at].Add(share)
		})
		if err != nil {
			return nil, err
		}
	}
	return sums, rows.Err()
}

// behind scans a first column before those that another function scans.
type behind struct {
	row   scanner
	first any
}

func (b behind) Scan(rest ...any) error { return b.row.Scan(append([]any{b.first}, rest...)...) }
