package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// Journal is what a process works with that executes runs: it claims a run, loads
// it, renews its lease and commits what the run does. The run's epoch fences off
// a process that has lost it.
type Journal struct {
	*core
	lane *eventlog.Lane
}

// Append commits a change; see agent.Journal.
func (s *Journal) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	if eventlog.OnlyTells(e) {
		events, err := s.lane.Append(e)
		return agent.Committed{Events: events}, err
	}
	var done agent.Committed
	err := s.db.Write(ctx, e.Durable(), func(t *sqlite.Tx) (err error) {
		done, err = s.writeChange(t, e)
		return err
	})
	if err != nil {
		return agent.Committed{}, err
	}
	return done, nil
}

// writeChange writes all of a change, in the order in which its parts build on each other.
func (c *core) writeChange(t *sqlite.Tx, e agent.Change) (done agent.Committed, err error) {
	was, err := fence(t, e)
	if err != nil {
		return done, err
	}
	if err := c.writeRows(t, was, e); err != nil {
		return done, err
	}
	if err := followTree(t, e); err != nil {
		return done, err
	}
	queue, waits, err := followQueue(t, e)
	if err != nil {
		return done, err
	}
	done.Waits = waits
	warnings, err := c.bill(t, e)
	if err != nil {
		return done, err
	}
	if e.Reserve != nil {
		room, short, err := c.reserveCall(t, *e.Reserve)
		if err != nil {
			return done, err
		}
		if short != nil {
			return done, short
		}
		done.Reservation = room
	}
	done.Events, err = eventlog.Append(t, e.ConversationID, slices.Concat(e.Events, warnings, begun(e.Spawn), queue))
	return done, err
}

// fence refuses changes of a process that does not own the run any more, and
// changes of status that are not legal. It returns the run's status, "" where the
// change is not fenced.
func fence(t *sqlite.Tx, e agent.Change) (status agent.Status, err error) {
	if e.Epoch == 0 && e.Run == nil {
		return "", nil
	}
	var epoch int64
	var aborted, decided, steered bool
	wake := int64(math.MaxInt64)
	if e.Run != nil && e.Run.Status == agent.StatusQueued { // it sleeps, and may leave decisions that take effect later
		wake = sqlite.MS(e.Run.WakeAt)
	}
	err = t.Row(`SELECT epoch, status, abort_by <> '',
		EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = r.id AND a.status = 'decided' AND NOT a.applied AND a.effective_at < $1), $2 AND `+isSteered+`
		FROM runs r WHERE id = $3 AND conversation_id = $4`, wake, e.Hears, e.RunID, e.ConversationID).Scan(&epoch, &status, &aborted, &decided, &steered)
	switch {
	case err != nil:
		return "", sqlite.NotFound(err, agent.NoRun)
	case e.Epoch != 0 && epoch != e.Epoch:
		return "", agent.ErrStale
	case steered:
		return "", agent.ErrSteered
	case e.Run == nil:
		return status, nil
	case e.Run.Status != status && !status.CanBecome(e.Run.Status):
		return "", agent.Errorf(agent.Conflict, "A run cannot go from %s to %s.", status, e.Run.Status)
	case (e.Run.Status == agent.StatusPaused || e.Run.Status == agent.StatusQueued) && (aborted || decided) && !e.Run.State.Stopping:
		return "", agent.ErrDecided
	}
	if e.Run.Status == agent.StatusPaused || e.Run.Status == agent.StatusQueued {
		if must, err := mustGoOn(t, e); must || err != nil {
			return "", cmp.Or(err, error(agent.ErrDecided))
		}
	}
	return status, nil
}

// writeRows writes the change's rows; was is the status of its run.
func (c *core) writeRows(t *sqlite.Tx, was agent.Status, e agent.Change) error {
	if e.Run != nil {
		if err := updateRun(t, was, *e.Run); err != nil {
			return fmt.Errorf("write run: %w", err)
		}
	}
	for _, m := range e.Messages {
		if err := insertMessage(t, m); err != nil {
			return fmt.Errorf("write message: %w", err)
		}
		if e.ParentRunID != "" {
			continue // a child run has a branch of its own
		}
		if err := follow(t, m); err != nil {
			return fmt.Errorf("move the branch on: %w", err)
		}
	}
	if err := changeCalls(t, e.Calls); err != nil {
		return fmt.Errorf("write tool call: %w", err)
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
	return c.record(t, e.Audit, e.Notify)
}

// bill settles the change's steps and raises limits. Alerts about budgets come
// last. A released run has no reservation.
func (c *core) bill(t *sqlite.Tx, e agent.Change) ([]agent.Event, error) {
	told, err := c.settleSteps(t, e)
	if err != nil {
		return nil, fmt.Errorf("settle a step: %w", err)
	}
	if err := raiseLimits(t, e.LimitIncreases); err != nil {
		return nil, fmt.Errorf("raise limits: %w", err)
	}
	if e.Run != nil && e.Run.Status != agent.StatusRunning {
		err = releaseRun(t, e.RunID)
	}
	for i := range told {
		if told[i].RunID == "" || told[i].RunID == e.RunID {
			told[i].RunID, told[i].ParentRunID, told[i].Step = e.RunID, e.ParentRunID, e.Steps[0].N
		}
	}
	return told, err
}

// settleSteps settles the lines of one call.
func (c *core) settleSteps(t *sqlite.Tx, e agent.Change) (told []agent.Event, err error) {
	if len(e.Steps) == 0 {
		return nil, nil
	}
	who, err := spenderOf(t, e.RunID)
	if err != nil {
		return nil, err
	}
	var tokens, micros int64
	for i, step := range e.Steps {
		tokens, micros = tokens+step.Usage.Total(), micros+step.CostMicros
		warnings, err := c.settleStep(t, step, who, i+1 < len(e.Steps))
		if err != nil {
			return nil, err
		}
		told = append(told, warnings...)
	}
	own, err := c.warnOwn(t, who, tokens, micros)
	return append(own, told...), err
}
