package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"fusebox/agent"
)

// Journal is what a process works with that executes runs: it claims a run, loads
// it, renews its lease and commits what the run does. The run's epoch fences off
// a process that has lost it.
type Journal struct{ *core }

// Append commits an entry; see agent.Journal.
func (s *Journal) Append(ctx context.Context, e agent.Change) ([]agent.Event, error) {
	var events []agent.Event
	err := s.write.do(ctx, e.Durable(), func(t *tx) error {
		if err := fence(t, e); err != nil {
			return err
		}
		if err := writeRows(t, e); err != nil {
			return err
		}
		warnings, err := bill(t, e)
		if err != nil {
			return err
		}
		events, err = appendEvents(t, e.ConversationID, slices.Concat(e.Events, warnings))
		return err
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// fence refuses entries of a process that does not own the run any more, and
// changes of status that are not legal.
func fence(t *tx, e agent.Change) error {
	if e.Epoch == 0 && e.Run == nil {
		return nil
	}
	var epoch int64
	var status agent.Status
	var aborted, decided bool
	var wake int64 // a run that sleeps may leave decisions that take effect later
	if e.Run != nil && e.Run.Status == agent.StatusQueued {
		wake = ms(e.Run.WakeAt)
	} else {
		wake = math.MaxInt64
	}
	err := t.row(`SELECT epoch, status, abort_by <> '',
		EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = r.id AND a.status = 'decided' AND NOT a.applied AND a.effective_at < $1)
		FROM runs r WHERE id = $2 AND conversation_id = $3`, wake, e.RunID, e.ConversationID).Scan(&epoch, &status, &aborted, &decided)
	switch {
	case err != nil:
		return notFound(err, noRun)
	case e.Epoch != 0 && epoch != e.Epoch:
		return agent.ErrStale
	case e.Run == nil:
		return nil
	case e.Run.Status != status && !status.CanBecome(e.Run.Status):
		return agent.Errorf(agent.Conflict, "A run cannot go from %s to %s.", status, e.Run.Status)
	case (e.Run.Status == agent.StatusPaused || e.Run.Status == agent.StatusQueued) && (aborted || decided):
		return agent.ErrDecided
	}
	return nil
}

// writeRows writes the entry's rows.
func writeRows(t *tx, e agent.Change) error {
	if e.Run != nil {
		if err := updateRun(t, *e.Run); err != nil {
			return fmt.Errorf("write run: %w", err)
		}
	}
	for _, m := range e.Messages {
		if err := insertMessage(t, m); err != nil {
			return fmt.Errorf("write message: %w", err)
		}
	}
	for _, c := range e.Calls {
		if err := changeCall(t, c); err != nil {
			return fmt.Errorf("write tool call: %w", err)
		}
	}
	for _, a := range e.Approvals {
		if err := changeApproval(t, a); err != nil {
			return fmt.Errorf("write approval: %w", err)
		}
	}
	for _, c := range e.Compactions {
		if err := insertCompaction(t, c); err != nil {
			return fmt.Errorf("write compaction: %w", err)
		}
	}
	for _, v := range e.Verdicts {
		if err := insertVerdict(t, v); err != nil {
			return fmt.Errorf("write verdict: %w", err)
		}
	}
	return record(t, e.Audit, e.Notify)
}

// bill settles the change's steps and raises limits. Alerts about budgets come
// last. A released run has no reservation.
func bill(t *tx, e agent.Change) ([]agent.Event, error) {
	told, err := settleSteps(t, e)
	if err != nil {
		return nil, fmt.Errorf("settle a step: %w", err)
	}
	if err := raiseLimits(t, e.LimitIncreases); err != nil {
		return nil, fmt.Errorf("raise limits: %w", err)
	}
	if e.Run != nil && e.Run.Status != agent.StatusRunning {
		err = releaseRun(t, e.RunID)
	}
	events := make([]agent.Event, len(told))
	for i, data := range told {
		events[i] = agent.Event{RunID: e.RunID, Step: e.Steps[0].N, Data: data}
	}
	return events, err
}

// settleSteps settles the lines of one call.
func settleSteps(t *tx, e agent.Change) (told []agent.EventData, err error) {
	var tokens, micros int64
	for i, step := range e.Steps {
		tokens, micros = tokens+step.Usage.Total(), micros+step.CostMicros
		warnings, err := settleStep(t, step, i+1 < len(e.Steps))
		if err != nil {
			return nil, err
		}
		told = append(told, warnings...)
	}
	if len(e.Steps) == 0 {
		return nil, nil
	}
	own, err := warnOwn(t, e.RunID, tokens, micros)
	return append(own, told...), err
}

// record writes what an entry adds to the audit log and to the outbox.
func record(t *tx, rows []agent.AuditRow, notes []agent.Notification) error {
	for _, row := range rows {
		if err := insertAudit(t, row); err != nil {
			return fmt.Errorf("write audit: %w", err)
		}
	}
	if err := postNotifications(t, notes); err != nil {
		return fmt.Errorf("write notifications: %w", err)
	}
	return nil
}

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
