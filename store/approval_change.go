package store

import (
	"context"
	"fmt"
	"time"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// ChangeApproval commits what a person, or time, does to an approval: first come,
// first served. The run it sets free is queued in the same transaction.
func (s *Approvals) ChangeApproval(ctx context.Context, e agent.ApprovalUpdate) (*agent.Approval, error) {
	var stands agent.Approval
	err := s.db.Write(ctx, true, func(t *sqlite.Tx) (err error) {
		if stands, err = change(t, e.To); err != nil {
			return err
		}
		if err := setRun(t, e, stands); err != nil {
			return err
		}
		if err := followRules(t, e, stands); err != nil {
			return err
		}
		events := make([]agent.Event, len(e.Events))
		for i, data := range e.Events {
			events[i] = agent.Event{RunID: stands.RunID, ParentRunID: stands.ParentRunID(), Data: data}
		}
		if _, err := eventlog.Append(t, stands.ConversationID, events); err != nil {
			return err
		}
		return s.record(t, e.Audit, e.Notify)
	})
	if err != nil {
		return nil, err
	}
	return &stands, nil
}

// change writes an approval and returns it. One that has moved on
// since it was read is a Conflict with the current one.
func change(t *sqlite.Tx, to agent.Approval) (agent.Approval, error) {
	var from agent.ApprovalStatus
	if err := t.Row(`SELECT status FROM approvals WHERE id = $1`, to.ID).Scan(&from); err != nil {
		return to, sqlite.NotFound(err, noApproval)
	}
	n, err := updateApproval(t, to, from)
	if err != nil {
		return to, err
	}
	// Read here and not after the commit: no one else has changed it in
	// between, and a caller who has gone away by then still has decided.
	stands, err := scanApproval(t.Row(`SELECT `+approvalColumns+approvalFrom+`WHERE a.id = $1`, to.ID))
	if err != nil {
		return to, sqlite.NotFound(err, noApproval)
	}
	if n == 0 {
		return to, standingConflict(stands)
	}
	return stands, nil
}

func standingConflict(a agent.Approval) error {
	e := agent.Errorf(agent.Conflict, "This approval is %s; its run has continued without it.", a.Status)
	switch a.Status {
	case agent.ApprovalDecided:
		e.Message = fmt.Sprintf("Already decided: %s by %s at %s.", a.Decision, a.DecidedBy, a.DecidedAt.Format(time.RFC3339))
	case agent.ApprovalPending:
		e.Message = "Someone else was faster. Review it and decide again."
	case agent.ApprovalExpired:
		e.Message = "This approval expired before anyone decided. Ask again first."
	case agent.ApprovalCancelled:
	}
	e.Current = &a
	return e
}

// setRun lets the run of an approval continue, or wait again where nothing it would
// wake for is left.
func setRun(t *sqlite.Tx, e agent.ApprovalUpdate, stands agent.Approval) error {
	if e.Frees {
		return free(t, stands.RunID, e.WakeAt)
	}
	if stands.Status != agent.ApprovalPending {
		return nil
	}
	_, err := t.Exec(`UPDATE runs SET status = 'paused', wake_at = 0
		WHERE id = $1 AND status = 'queued' AND wake_at > 0 AND abort_by = ''
		AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = runs.id AND a.status = 'decided' AND NOT a.applied)`, stands.RunID)
	return err
}

// free queues a run that is paused, to be claimed from a time on, and lets one
// that is queued not wait longer than that.
func free(t *sqlite.Tx, runID string, wake time.Time) error {
	_, err := t.Exec(`UPDATE runs SET wake_at = CASE WHEN status = 'paused' OR wake_at > $1 THEN $1 ELSE wake_at END, status = 'queued'
		WHERE id = $2 AND status IN ('paused', 'queued')`, sqlite.MS(wake), runID)
	return err
}

// followRules adds the rule that a decision makes, and takes back the one of a
// decision that was revoked, or no longer stands.
func followRules(t *sqlite.Tx, e agent.ApprovalUpdate, stands agent.Approval) error {
	if e.Rule != nil {
		if err := roomForPolicyRule(t); agent.CodeOf(err) == agent.Conflict {
			return agent.InvalidField("scope", "no standing rule can be added: %s", agent.MessageOf(err))
		} else if err != nil {
			return err
		}
		rule := *e.Rule
		if stands.EffectiveAt.After(rule.CreatedAt) { // until then it can be undone
			rule.CreatedAt = stands.EffectiveAt
		}
		return insertPolicyRule(t, rule)
	}
	by := stands.RevokedBy
	if stands.Status == agent.ApprovalPending {
		by = agent.System
	}
	if by == "" {
		return nil
	}
	_, err := t.Exec(`UPDATE policy_rules SET revoked_at = $1, revoked_by = $2 WHERE approval_id = $3 AND revoked_at = 0`,
		sqlite.MS(t.Clock.Now()), by, stands.ID)
	return err
}

// Refilled returns approvals that wait, or have expired waiting, whose budget is whole
// again or was changed, oldest first.
func (s *Approvals) Refilled(ctx context.Context, now time.Time, limit int) ([]agent.Approval, error) {
	return sqlite.List(ctx, s.db, scanApproval, `SELECT `+approvalColumns+approvalFrom+`
		WHERE a.status IN ('pending', 'expired') AND a.refill_at > 0 AND a.refill_at <= $1 ORDER BY a.refill_at, a.id LIMIT $2`, sqlite.MS(now), limit)
}

// recheckBudget lets approvals that wait for a budget be checked again, as if its window had ended.
func recheckBudget(t *sqlite.Tx, budgetID string) error {
	_, err := t.Exec(`UPDATE approvals SET refill_at = $1 WHERE status IN ('pending', 'expired') AND budget_id = $2`, sqlite.MS(t.Clock.Now()), budgetID)
	return err
}

// recheckAccount does so with the approvals of one account: what was added to one user's
// budget is not news to the others.
func recheckAccount(t *sqlite.Tx, a agent.BudgetAccount) error {
	subject, err := toJSON(a.Subject)
	if err != nil {
		return err
	}
	_, err = t.Exec(`UPDATE approvals SET refill_at = $1 WHERE status IN ('pending', 'expired') AND budget_id = $2
		AND ($3 = '""' OR evidence LIKE '%"subject":' || $3 || '%')`, sqlite.MS(t.Clock.Now()), a.BudgetID, subject)
	return err
}

// recheckUser does the same for the runs of a user who came into another group.
func recheckUser(t *sqlite.Tx, userID string) error {
	_, err := t.Exec(`UPDATE approvals SET refill_at = $1 WHERE status IN ('pending', 'expired') AND budget_id <> ''
		AND conversation_id IN (SELECT id FROM conversations WHERE owner_id = $2)`, sqlite.MS(t.Clock.Now()), userID)
	return err
}

// recheckPrices lets runs that were blocked by a missing price check whether
// there is one now; a moment later, so that the process has read it by then.
func recheckPrices(t *sqlite.Tx) error {
	_, err := t.Exec(`UPDATE approvals SET refill_at = $1 WHERE kind = 'budget' AND status IN ('pending', 'expired')
		AND evidence LIKE '%"unpriced":true%'`, sqlite.MS(t.Clock.Now().Add(priceDelay)))
	return err
}

const priceDelay = 2 * time.Second
