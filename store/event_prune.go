package store

import (
	"context"
	"time"
)

// pruneRuns bounds how many runs one call of PruneDeltas looks at.
const pruneRuns = 200

// PruneDeltas removes deltas of what is final, of runs that ended before the
// given time, at most limit of them; it returns how many. A replay from
// further back gets the whole message. It goes run by run, each in a short
// write of its own, so that streaming runs do not wait for it.
func (s *EventLog) PruneDeltas(ctx context.Context, before time.Time, limit int) (int64, error) {
	ids, err := list(ctx, s.read, scanString, `SELECT id FROM runs
		WHERE NOT pruned AND ended_at > 0 AND ended_at < $1 ORDER BY ended_at, id LIMIT $2`, ms(before), pruneRuns)
	var total int64
	for _, id := range ids {
		left := int64(limit) - total
		if err != nil || left <= 0 {
			break
		}
		var n int64
		n, err = s.pruneRun(ctx, id, left)
		total += n
	}
	return total, err
}

// pruneRun removes at most limit deltas of a run; the run is done with once
// there were fewer.
func (s *EventLog) pruneRun(ctx context.Context, runID string, limit int64) (int64, error) {
	var n int64
	err := s.write.do(ctx, false, func(t *tx) error {
		var err error
		n, err = t.exec(`DELETE FROM events WHERE (conversation_id, seq) IN (
			SELECT e.conversation_id, e.seq FROM events e WHERE e.run_id = $1
			AND e.type IN ('text-delta', 'reasoning-delta', 'tool-call-delta', 'tool-result-delta')
			AND `+superseded+` LIMIT $2)`, runID, limit)
		if err != nil || n == limit {
			return err
		}
		_, err = t.exec(`UPDATE runs SET pruned = TRUE WHERE id = $1`, runID)
		return err
	})
	return n, err
}
