package store

import (
	"context"
	"fmt"

	"fusebox/agent"
)

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
