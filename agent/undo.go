package agent

import (
	"context"
	"time"
)

// canBeUndone reports whether a decision is made and not yet in effect.
func (f *flight) canBeUndone(a Approval) bool { return a.undoable(f.Clock.Now()) }

// undoable reports whether one of the run's decisions can still be undone.
func (f *flight) undoable() bool {
	for _, a := range f.approvals {
		if f.canBeUndone(a) {
			return true
		}
	}
	return false
}

func (a Approval) undoable(now time.Time) bool {
	return a.Status == ApprovalDecided && !a.Applied && now.Before(a.EffectiveAt)
}

// anew is the approval asked again: its next generation, with nothing decided.
func (a Approval) anew(now time.Time, timeout time.Duration) Approval {
	a.Status, a.Applied, a.Stage = ApprovalPending, false, StageAsked
	a.Generation++
	a.RequestedAt, a.ExpiresAt = now, now.Add(timeout)
	a.Votes, a.EffectiveAt, a.EscalatedTo, a.EditedArgs = nil, time.Time{}, "", nil
	a.Decision, a.DecidedBy, a.DecidedAt, a.Comment, a.Answer = "", "", time.Time{}, "", ""
	a.Scope, a.Covers, a.RaiseTokensBy, a.RaiseMicrosBy, a.N = "", nil, 0, 0, 0
	a.RevokedAt, a.RevokedBy = time.Time{}, "" // what was taken back was the decision before
	a.DueAt = a.nextDue()
	return a
}

// Undo takes a decision back that is not in effect yet: the card waits again, as
// its next generation. Who decided may, and who may decide. Conflict once the
// undo window is over, or where nothing is decided.
func (d *Desk) Undo(ctx context.Context, v Viewer, approvalID string) (*Approval, error) {
	a, err := d.Store.Approval(ctx, v, approvalID)
	if err != nil {
		return nil, err
	}
	if a.DecidedBy != v.Email && !d.MayDecide(v, *a) {
		return nil, Errorf(Forbidden, "Only who decided, or who may decide, can undo a decision.")
	}
	now := Stamp(d.Clock)
	if !a.undoable(now) {
		e := Errorf(Conflict, "There is nothing to undo: %s", standingText(*a))
		e.Standing = a
		return nil, e
	}
	next := a.anew(now, d.Timeout)
	return d.Store.ChangeApproval(ctx, ApprovalEntry{
		To: next, Events: []EventData{next.Requested()},
		Audit: []AuditRow{d.auditRow(v, "approval.undo", *a, nil)},
	})
}

// AskAgain puts an expired card before people again, with the evidence as it is
// now. The conversation's owner may, and who may decide. Conflict where it is
// not expired.
func (d *Desk) AskAgain(ctx context.Context, v Viewer, approvalID string) (*Approval, error) {
	a, err := d.Store.Approval(ctx, v, approvalID)
	if err != nil {
		return nil, err
	}
	if a.OwnerID != v.UserID && !d.MayDecide(v, *a) {
		return nil, Errorf(Forbidden, "Only the conversation's owner, or who may decide, can ask again.")
	}
	if a.Status != ApprovalExpired {
		e := Errorf(Conflict, "This card has not expired: %s", standingText(*a))
		e.Standing = a
		return nil, e
	}
	now := Stamp(d.Clock)
	next := a.anew(now, d.Timeout)
	d.renewEvidence(&next)
	return d.Store.ChangeApproval(ctx, ApprovalEntry{
		To: next, Events: []EventData{next.Requested()},
		Audit:  []AuditRow{d.auditRow(v, "approval.again", next, nil)},
		Notify: notifyAsked(NotifyRequested, next, now),
	})
}

// renewEvidence shows a call against the world as it is now.
func (d *Desk) renewEvidence(a *Approval) {
	if a.Kind != KindTool {
		return
	}
	var old ToolEvidence
	_ = decodeEvidence(*a, &old) // the rule is all that is taken over
	ev := d.Tools.Evidence(a.ToolName, ToolInput{RunID: a.RunID, ConversationID: a.ConversationID, CallID: a.ToolCallID, Args: a.Args})
	ev.Rule = old.Rule
	a.Evidence = mustJSON(ev)
}
