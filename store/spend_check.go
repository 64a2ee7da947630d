package store

import (
	"context"
	"database/sql"
	"fmt"

	"fusebox/agent"
)

// sumKey names a sum.
type sumKey struct {
	dim  string
	slot int64
	key  string
}

// CheckSums adds the bill up anew and holds all of spend_sums against it. What
// does not agree is an *agent.LedgerFault.
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
	anew, err := sumsAnew(ctx, t)
	if err != nil {
		return err
	}
	if err := compareSums(ctx, t, anew); err != nil {
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

// compareSums takes every stored sum off those that were added up anew.
func compareSums(ctx context.Context, t *sql.Tx, anew map[sumKey]*agent.SpendRow) error {
	rows, err := t.QueryContext(ctx, `SELECT key, '', `+sumColumns+`, dim, slot FROM spend_sums`)
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

// sumsAnew adds up all lines of the bill.
func sumsAnew(ctx context.Context, t *sql.Tx) (map[sumKey]*agent.SpendRow, error) {
	sums := map[sumKey]*agent.SpendRow{}
	rows, err := t.QueryContext(ctx, `SELECT `+toolLine+`, ended_at, model, user_id, conversation_id, starts_run, starts_model FROM usage`)
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
