package service

import (
	"context"

	"fusebox/agent"
)

// Undo undoes a decision that is not in effect yet: the approval is pending again, as
// its next generation. The person who decided may, anyone who may decide, and the owner of a run that is to be aborted. Conflict once the
// undo window is over, or where nothing is decided.
func (d *Runs) Undo(ctx context.Context, v agent.Viewer, approvalID string) (*agent.Approval, error) {
	a, err := d.Store.Approval(ctx, v, approvalID)
	if err != nil {
		return nil, err
	}
	ownAbort := a.Decision == agent.DecideAbort && a.OwnerID == v.UserID
	if a.DecidedBy != v.Email && !ownAbort && !d.MayDecide(v, *a) {
		return nil, agent.Errorf(agent.Forbidden, "Only the person who decided, or someone who may decide, can undo a decision.")
	}
	now := agent.Stamp(d.Clock)
	if !a.Undoable(now) {
		e := agent.Errorf(agent.Conflict, "There is nothing to undo: %s", standingText(*a))
		e.Current = a
		return nil, e
	}
	next := a.Reopened(now, d.Timeout)
	return d.Store.ChangeApproval(ctx, agent.ApprovalUpdate{
		To: next, Events: []agent.EventData{next.Requested()},
		Audit: []agent.AuditRow{d.auditRow(v, "approval.undo", *a, nil)},
	})
}

// Reopen makes an expired approval pending again, with the evidence as it is
// now. The conversation's owner may, and anyone who may decide. Conflict if it is
// not expired.
func (d *Runs) Reopen(ctx context.Context, v agent.Viewer, approvalID string) (*agent.Approval, error) {
	a, err := d.Store.Approval(ctx, v, approvalID)
	if err != nil {
		return nil, err
	}
	if a.OwnerID != v.UserID && !d.MayDecide(v, *a) {
		return nil, agent.Errorf(agent.Forbidden, "Only the conversation's owner, or someone who may decide, can ask again.")
	}
	if a.Status != agent.ApprovalExpired {
		e := agent.Errorf(agent.Conflict, "This approval has not expired: %s", standingText(*a))
		e.Current = a
		return nil, e
	}
	now := agent.Stamp(d.Clock)
	next := a.Reopened(now, d.Timeout)
	d.renewEvidence(&next)
	return d.Store.ChangeApproval(ctx, agent.ApprovalUpdate{
		To: next, Events: []agent.EventData{next.Requested()},
		Audit:  []agent.AuditRow{d.auditRow(v, "approval.again", next, nil)},
		Notify: agent.ApprovalNotifications(agent.NotifyRequested, next, now),
	})
}

// renewEvidence shows a call against the world as it is now.
func (d *Runs) renewEvidence(a *agent.Approval) {
	if a.Kind != agent.KindTool {
		return
	}
	old, _ := a.ToolEvidence() // what is taken over is its rule, and what runs before it
	ev := d.Tools.Evidence(a.ToolName, agent.ToolInput{
		RunID: a.RunID, ConversationID: a.ConversationID, CallID: a.ToolCallID, Args: a.Args, Before: old.Before,
	})
	ev.Rule = old.Rule
	a.Evidence = agent.MustJSON(ev)
}

// Withdraw closes a question that nobody waits for any more, and its run goes on. One that
// is decided stays as it is.
func (d *Runs) Withdraw(ctx context.Context, approvalID, why string) error {
	system := agent.Viewer{Email: agent.System, Role: agent.RoleAdmin}
	a, err := d.Store.Approval(ctx, system, approvalID)
	if err != nil || a.Status != agent.ApprovalPending {
		return err
	}
	to := *a
	to.Status, to.Decision, to.Comment, to.Scope = agent.ApprovalDecided, agent.DecideReject, why, agent.ScopeOnce
	to.DecidedBy, to.DecidedAt = agent.System, agent.Stamp(d.Clock)
	if _, err := d.Store.ChangeApproval(ctx, d.closingUpdate(system, to)); err != nil && agent.CodeOf(err) != agent.Conflict {
		return err
	}
	d.Runner.Wake()
	return nil
}
