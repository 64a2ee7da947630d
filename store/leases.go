package store

import (
	"context"
	"time"

	"fusebox/agent"
)

// ready is the condition under which a run can be claimed at $n. The first
// term says the same as the others together; it names the index of the few
// runs that are neither waiting for people nor over.
func ready(n string) string {
	return `status IN ('queued', 'running') AND ((status = 'queued' AND wake_at <= ` + n + `) OR (status = 'running' AND lease_until < ` + n + `))`
}

// Claim takes over the oldest run that is ready: queued, or running with a
// lease that ran out. NotFound when there is none.
func (s *Journal) Claim(ctx context.Context, owner string, lease time.Duration) (*agent.Run, error) {
	now := s.clock.Now()
	var found bool // asking costs no write
	err := s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE `+ready("$1")+`)`, ms(now)).Scan(&found)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, agent.Errorf(agent.NotFound, "No run is ready.")
	}
	var run agent.Run
	err = s.write.do(ctx, true, func(t *tx) error {
		var err error
		run, err = scanRun(t.row(`UPDATE runs SET status = 'running', owner = $1, epoch = epoch + 1, lease_until = $2
			WHERE id = (SELECT id FROM runs WHERE `+ready("$3")+` ORDER BY id LIMIT 1)
			RETURNING `+returned, owner, ms(now.Add(lease)), ms(now)))
		if err != nil {
			return notFound(err, "No run is ready.")
		}
		return releaseRun(t, run.ID) // of a process that died in the middle of a call
	})
	if err != nil {
		return nil, err
	}
	return &run, nil
}

// Renew extends a lease; ErrStale once another process owns the run, or it has ended.
func (s *Journal) Renew(ctx context.Context, runID string, epoch int64, lease time.Duration) error {
	until := ms(s.clock.Now().Add(lease))
	return s.write.do(ctx, false, func(t *tx) error {
		n, err := t.exec(`UPDATE runs SET lease_until = $1 WHERE id = $2 AND epoch = $3 AND status = 'running'`, until, runID, epoch)
		if err == nil && n == 0 {
			err = agent.ErrStale
		}
		return err
	})
}

// RecoverLeases voids the leases of running runs and releases their reservations. It is for the start of a
// process that has proved that no other one serves this database.
func (s *Journal) RecoverLeases(ctx context.Context) (int64, error) {
	var n int64
	err := s.write.do(ctx, true, func(t *tx) error {
		var err error
		if n, err = t.exec(`UPDATE runs SET lease_until = 0 WHERE status IN ('queued', 'running') AND status = 'running'`); err != nil {
			return err
		}
		_, err = releaseAll(t)
		return err
	})
	return n, err
}
