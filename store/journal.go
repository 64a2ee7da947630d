package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"fusebox/agent"
)

// Append commits an entry; see agent.Journal.
func (s *Store) Append(ctx context.Context, e agent.Entry) ([]agent.Event, error) {
	var events []agent.Event
	err := s.write.do(ctx, e.Durable(), func(t *tx) error {
		if err := s.fence(t, e); err != nil {
			return err
		}
		if err := s.project(t, e); err != nil {
			return err
		}
		warnings, err := s.bill(t, e)
		if err != nil {
			return err
		}
		events, err = s.tell(t, e.ConversationID, slices.Concat(e.Events, warnings))
		return err
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// fence refuses entries of a process that does not own the run any more, and
// changes of status that are not legal.
func (s *Store) fence(t *tx, e agent.Entry) error {
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

// project writes the entry's rows.
func (s *Store) project(t *tx, e agent.Entry) error {
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
		if err := s.changeCall(t, c); err != nil {
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
	return s.record(t, e.Audit, e.Notify)
}

// bill settles the entry's steps and raises limits. What is told of budgets comes
// last. A run that is let go of holds nothing.
func (s *Store) bill(t *tx, e agent.Entry) ([]agent.Event, error) {
	told, err := s.settleAll(t, e)
	if err != nil {
		return nil, fmt.Errorf("settle a step: %w", err)
	}
	if err := s.raiseLimits(t, e.Raises); err != nil {
		return nil, fmt.Errorf("raise limits: %w", err)
	}
	if e.Run != nil && e.Run.Status != agent.StatusRunning {
		err = s.releaseRun(t, e.RunID)
	}
	events := make([]agent.Event, len(told))
	for i, data := range told {
		events[i] = agent.Event{RunID: e.RunID, Step: e.Steps[0].N, Data: data}
	}
	return events, err
}

// settleAll settles the lines of one call.
func (s *Store) settleAll(t *tx, e agent.Entry) (told []agent.EventData, err error) {
	var tokens, micros int64
	for i, step := range e.Steps {
		tokens, micros = tokens+step.Usage.Total(), micros+step.CostMicros
		warnings, err := s.settle(t, step, i+1 < len(e.Steps))
		if err != nil {
			return nil, err
		}
		told = append(told, warnings...)
	}
	if len(e.Steps) == 0 {
		return nil, nil
	}
	own, err := s.warnOwn(t, e.RunID, tokens, micros)
	return append(own, told...), err
}

func updateRun(t *tx, r agent.Run) error {
	usage, err := toJSON(r.Usage)
	if err != nil {
		return err
	}
	limits, err := toJSON(r.Limits)
	if err != nil {
		return err
	}
	state, err := toJSON(r.State)
	if err != nil {
		return err
	}
	_, err = t.exec(`UPDATE runs SET status = $1, stop_reason = $2, steps = $3, usage = $4, cost_micros = $5, limits = $6,
		state = $7, active_ms = $8, started_at = $9, ended_at = $10, wake_at = $11 WHERE id = $12`,
		r.Status, r.StopReason, r.Steps, usage, r.CostMicros, limits, state,
		int64(r.Active/time.Millisecond), ms(r.StartedAt), ms(r.EndedAt), ms(r.WakeAt), r.ID)
	return err
}

// tell numbers events and adds them to the conversation's log. Readers hear of
// them once the transaction is committed.
func (s *Store) tell(t *tx, conversationID string, events []agent.Event) ([]agent.Event, error) {
	if len(events) == 0 {
		return nil, nil
	}
	var last int64
	err := t.row(`UPDATE conversations SET last_seq = last_seq + $1 WHERE id = $2 RETURNING last_seq`,
		len(events), conversationID).Scan(&last)
	if err != nil {
		return nil, notFound(err, noConversation)
	}
	now := agent.Stamp(s.clock)
	told := make([]agent.Event, len(events))
	for i, e := range events {
		e.ConversationID, e.At = conversationID, now
		e.Seq = last - int64(len(events)-1-i)
		if err := insertEvent(t, e); err != nil {
			return nil, fmt.Errorf("write event: %w", err)
		}
		told[i] = e
	}
	t.events = append(t.events, told...)
	return told, nil
}

// Snapshot loads everything the Loop needs to go on with a run.
func (s *Store) Snapshot(ctx context.Context, runID string) (*agent.Snapshot, error) {
	run, err := scanRun(s.read.QueryRowContext(ctx, `SELECT `+runColumns+` FROM runs r WHERE r.id = $1`, runID))
	if err != nil {
		return nil, notFound(err, noRun)
	}
	snap := &agent.Snapshot{Run: run}
	row := s.read.QueryRowContext(ctx, `SELECT `+conversationColumns+`, u.email, u.output_mode, u.role
		FROM conversations c JOIN users u ON u.id = c.owner_id WHERE c.id = $1`, run.ConversationID)
	if snap.Conversation, err = scanConversation(withExtra{withExtra{withExtra{row, &snap.OwnerRole}, &snap.OwnerOutput}, &snap.OwnerEmail}); err != nil {
		return nil, err
	}
	newest, err := s.newestOf(ctx, runID)
	if err != nil {
		return nil, err
	}
	if snap.Branch, err = s.branch(ctx, run.ConversationID, newest); err != nil {
		return nil, err
	}
	if snap.Compactions, err = s.compactions(ctx, run.ConversationID); err != nil {
		return nil, err
	}
	if snap.Calls, err = s.ToolCalls(ctx, runID); err != nil {
		return nil, err
	}
	snap.Approvals, err = list(ctx, s, scanApproval, `SELECT `+approvalColumns+approvalFrom+`WHERE a.run_id = $1 ORDER BY a.id`, runID)
	if err != nil {
		return nil, err
	}
	if snap.Grants, err = s.grants(ctx, run); err != nil {
		return nil, err
	}
	if snap.Rules, err = s.PolicyRules(ctx); err != nil {
		return nil, err
	}
	if snap.Deciders, err = s.CountDeciders(ctx, nil); err != nil {
		return nil, err
	}
	snap.Guards, err = s.GuardConfig(ctx)
	return snap, err
}

// grants are the earlier approvals that cover later calls of this run. An edit
// for the whole conversation is none of them: what was approved are the edited
// arguments, and the stored hash is the one of those that were replaced.
func (s *Store) grants(ctx context.Context, run agent.Run) ([]agent.Grant, error) {
	return list(ctx, s, func(r scanner) (agent.Grant, error) {
		var g agent.Grant
		var covers string
		var decided int64
		if err := r.Scan(&g.ApprovalID, &g.Scope, &g.ToolName, &g.ArgsHash, &covers, &g.Risk, &g.DecidedBy, &decided); err != nil {
			return g, err
		}
		g.DecidedAt = fromMS(decided)
		return g, fromJSON(covers, &g.Covers)
	}, `SELECT id, scope, tool_name, args_hash, covers, risk, decided_by, decided_at FROM approvals
		WHERE kind = 'tool' AND status = 'decided' AND revoked_at = 0 AND conversation_id = $1 AND effective_at <= $2
		AND ((scope = 'conversation' AND decision = 'approve') OR (scope = 'run' AND run_id = $3 AND decision IN ('approve', 'edit')))
		ORDER BY id`, run.ConversationID, ms(s.clock.Now()), run.ID)
}
