package store

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// atWork counts the runs of the person in user that take up a place.
func atWork(user string) string {
	return `(SELECT COUNT(*) FROM runs w WHERE w.status = 'running' AND w.user_id = ` + user + `)`
}

// atWorkFor counts those of them that came with a token, ” for a browser.
func atWorkFor(user, token string) string {
	return `(SELECT COUNT(*) FROM runs w WHERE w.status = 'running' AND w.user_id = ` + user + ` AND w.token_id = ` + token + `)`
}

// personHasPlace is the condition that a person's next run may start as far as their
// share of limit places goes; 0 is no limit.
func personHasPlace(user, limit string) string {
	return `(` + limit + ` = 0 OR ` + atWork(user) + ` < ` + limit + `)`
}

// claimable selects the run to claim at the time in now: one whose lease ran out,
// which has its place already; one that is to be aborted, which needs none; else the
// next one of the person with the fewest runs at work, who has less than their share; of several
// such people the one whose run is older. A
// person's tokens have a queue each, and so have their browsers: of these the one with the
// fewest runs at work is next. It reads the heads of the queues only. NULL where there is
// none.
func claimable(now, limit string) string {
	return `(SELECT COALESCE(
		(SELECT id FROM runs WHERE status = 'running' AND lease_until < ` + now + ` ORDER BY id LIMIT 1),
		(SELECT id FROM runs WHERE status = 'queued' AND abort_by <> '' ORDER BY id LIMIT 1),
		(WITH RECURSIVE waiting (user_id, token_id) AS (
			SELECT '', ''
			UNION ALL
			SELECT f.user_id, f.token_id FROM waiting JOIN runs f ON f.id = COALESCE(
				(SELECT q.id FROM runs q WHERE q.status = 'queued' AND q.user_id = waiting.user_id AND q.token_id > waiting.token_id
				ORDER BY q.token_id, q.id LIMIT 1),
				(SELECT q.id FROM runs q WHERE q.status = 'queued' AND q.user_id > waiting.user_id ORDER BY q.user_id, q.token_id, q.id LIMIT 1))
		), heads AS (
			SELECT waiting.user_id, ` + atWork(`waiting.user_id`) + ` AS theirs, ` + atWorkFor(`waiting.user_id`, `waiting.token_id`) + ` AS busy,
				(SELECT q.id FROM runs q WHERE q.status = 'queued' AND q.user_id = waiting.user_id AND q.token_id = waiting.token_id
				AND q.wake_at <= ` + now + ` ORDER BY q.id LIMIT 1) AS head
			FROM waiting WHERE ` + personHasPlace(`waiting.user_id`, limit) + `
		)
		SELECT head FROM heads h WHERE head IS NOT NULL AND NOT EXISTS (SELECT 1 FROM heads o WHERE o.user_id = h.user_id AND o.head IS NOT NULL
			AND (o.busy < h.busy OR o.busy = h.busy AND o.head < h.head))
		ORDER BY theirs, head LIMIT 1)))`
}

// Claim takes over the run that is next; see claimable. NotFound when there is none.
func (s *Journal) Claim(ctx context.Context, owner string, lease time.Duration) (*agent.Run, error) {
	var found bool // asking costs no write
	err := s.db.QueryRowContext(ctx, `SELECT `+claimable("$1", "$2")+` IS NOT NULL`, sqlite.MS(s.clock.Now()), s.runsPerUser).Scan(&found)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, agent.Errorf(agent.NotFound, "No run is ready.")
	}
	var run agent.Run
	err = s.db.Write(ctx, true, func(t *sqlite.Tx) (err error) {
		now := t.Clock.Now() // the lease begins now, however long this has waited for its turn
		run, err = scanRun(t.Row(`UPDATE runs SET status = 'running', owner = $1, epoch = epoch + 1, lease_until = $2
			WHERE id = `+claimable("$3", "$4")+` RETURNING `+returned, owner, sqlite.MS(now.Add(lease)), sqlite.MS(now), s.runsPerUser))
		if err != nil {
			return sqlite.NotFound(err, "No run is ready.")
		}
		return releaseRun(t, run.ID) // of a process that died in the middle of a call
	})
	if err != nil {
		return nil, err
	}
	return &run, nil
}

// startsAtOnce reports whether the process that stores a message also advances its run: it has a
// place, and the person has less than their share at work, and none that waits.
func (c *core) startsAtOnce(t *sqlite.Tx, p agent.NewMessage) (free bool, err error) {
	if p.Claim == nil {
		return false, nil
	}
	err = t.Row(`SELECT `+personHasPlace("$2", "$1")+`
		AND NOT EXISTS (SELECT 1 FROM runs WHERE status = 'queued' AND user_id = $2 AND wake_at <= $3)`,
		c.runsPerUser, p.UserID, sqlite.MS(t.Clock.Now())).Scan(&free)
	return free, err
}

// queuePlace counts the runs that start until run $2 does, itself included: those whose person has
// fewer at work once they have started, and of as many the older ones.
var queuePlace = `WITH waiting AS (
		SELECT q.id, q.user_id, ` + atWork(`q.user_id`) + ` + ROW_NUMBER() OVER (PARTITION BY q.user_id ORDER BY q.id) AS nth
		FROM runs q WHERE q.status = 'queued' AND q.wake_at <= $1
	)
	SELECT COUNT(*) FROM waiting this JOIN waiting w ON (w.nth, w.id) <= (this.nth, this.id)
	WHERE this.id = $2 AND (w.user_id = this.user_id OR $3 = 0 OR this.nth <= $3)`

// QueuePlace is the place of a run among those that wait, from 1; 0 where it does
// not wait for one. Behind their limit, people wait for their own runs only. A token with
// fewer runs at work comes sooner. The caller has checked the viewer.
func (s *Runs) QueuePlace(ctx context.Context, runID string) (place int, err error) {
	err = s.db.QueryRowContext(ctx, queuePlace, sqlite.MS(s.clock.Now()), runID, s.runsPerUser).Scan(&place)
	return place, err
}

// Renew extends a lease; ErrStale once another process owns the run, or it has ended.
func (s *Journal) Renew(ctx context.Context, runID string, epoch int64, lease time.Duration) error {
	return s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		until := sqlite.MS(t.Clock.Now().Add(lease))
		n, err := t.Exec(`UPDATE runs SET lease_until = $1 WHERE id = $2 AND epoch = $3 AND status = 'running'`, until, runID, epoch)
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
	err := s.db.Write(ctx, true, func(t *sqlite.Tx) (err error) {
		if n, err = t.Exec(`UPDATE runs SET lease_until = 0 WHERE status = 'running'`); err != nil {
			return err
		}
		runs, err := sqlite.ListIn(t, sqlite.ScanString, `SELECT run_id FROM reservations ORDER BY run_id`)
		if err != nil {
			return err
		}
		for _, id := range runs {
			if err := releaseRun(t, id); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}
