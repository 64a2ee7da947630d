package store

import (
	"context"
	"fmt"

	"fusebox/agent"
)

// chainBatch bounds how many older rows one transaction puts into the chain.
const chainBatch = 500

// chainOldRows puts the rows from before the chain into it, in the order of
// their ids, and returns how many there were. Two processes may do so at once:
// each batch reads and writes within one transaction.
func (s *AuditLog) chainOldRows(ctx context.Context) (int, error) {
	total := 0
	for {
		n := 0
		err := s.write.do(ctx, true, func(t *tx) error {
			var err error
			n, err = chainSome(t)
			return err
		})
		total += n
		if err != nil {
			return total, fmt.Errorf("put older audit rows into the chain: %w", err)
		}
		if n < chainBatch {
			return total, nil
		}
	}
}

func chainSome(t *tx) (int, error) {
	rows, err := unchained(t)
	if err != nil {
		return 0, err
	}
	last, err := auditHead(t)
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		row = row.After(last)
		if _, err := t.exec(`UPDATE audit SET seq = $1, before_hash = $2, hash = $3 WHERE id = $4 AND hash = ''`,
			row.Seq, row.Before, row.Hash, row.ID); err != nil {
			return 0, err
		}
		last = row
	}
	return len(rows), nil
}

// unchained reads a batch of rows that are not in the chain yet.
func unchained(t *tx) ([]agent.AuditRow, error) {
	return list(t.ctx, t.conn, scanAudit, `SELECT `+auditColumns+` FROM audit WHERE hash = '' ORDER BY id LIMIT $1`, chainBatch)
}
