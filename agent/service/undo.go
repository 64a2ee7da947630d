package service

import (
	"context"

	"fusebox/agent"
)

// Undo undoes a decision that is not in effect yet: the approval is pending again, as
// its next generation. The person who decided may, anyone who may decide, and the owner of a run that is to be aborted. Conflict once the
// undo window is over, or where nothing is decided.
func (s *Approvals) Undo(ctx context.Context, v agent.Viewer, approvalID string) (*agent.Approval, error) {
	a, err := s.Store.Approval(ctx, v, approvalID)
	if err != nil {
		return nil, err
	}
	ownAbort := a.Decision == agent.DecideAbort && a.OwnerID == v.UserID
	if a.DecidedBy != v.Email && !ownAbort && !s.MayDecide(v, *a) {
		return nil, agent.Errorf(agent.Forbidden, "Only the person who decided, or someone who may decide, can undo a decision.")
	}
	now := agent.Stamp(s.Clock)
	if !a.Undoable(now) {
		return nil, showing(a, agent.Errorf(agent.Conflict, "There is nothing to undo: %s", standingText(*a)))
	}
	next := a.Reopened(now, s.Timeout)
	return s.Store.ChangeApproval(ctx, agent.ApprovalUpdate{
		To: next, Events: []agent.EventData{next.Requested()},
		Audit: []agent.AuditRow{s.auditRow(v, "approval.undo", *a, nil)},
	})
}

// Reopen makes an expired approval pending again, with the evidence as it is
// now. The conversation's owner may, and anyone who may decide. Conflict if it is
// not expired.
func (s *Approvals) Reopen(ctx context.Context, v agent.Viewer, approvalID string) (*agent.Approval, error) {
	a, err := s.Store.Approval(ctx, v, approvalID)
	if err != nil {
		return nil, err
	}
	if a.OwnerID != v.UserID && !s.MayDecide(v, *a) {
		return nil, agent.Errorf(agent.Forbidden, "Only the conversation's owner, or someone who may decide, can ask again.")
	}
	if a.Status != agent.ApprovalExpired {
		return nil, showing(a, agent.Errorf(agent.Conflict, "This approval has not expired: %s", standingText(*a)))
	}
	now := agent.Stamp(s.Clock)
	next := a.Reopened(now, s.Timeout)
	s.renewEvidence(&next)
	return s.Store.ChangeApproval(ctx, agent.ApprovalUpdate{
		To: next, Events: []agent.EventData{next.Requested()},
		Audit:  []agent.AuditRow{s.auditRow(v, "approval.again", next, nil)},
		Notify: agent.ApprovalNotifications(agent.NotifyRequested, next, now),
	})
}

// renewEvidence shows a call against the world as it is now.
func (s *Approvals) renewEvidence(a *agent.Approval) {
	if a.Kind != agent.KindTool {
		return
	}
	old, _ := a.ToolEvidence() // what is taken over is its rule, and what runs before it
	ev := s.Tools.Evidence(a.ToolName, agent.ToolInput{
		RunID: a.RunID, ConversationID: a.ConversationID, CallID: a.ToolCallID, Args: a.Args, Before: old.Before,
	})
	ev.Rule = old.Rule
	a.Evidence = agent.MustJSON(ev)
}

// Withdraw closes a question that nobody waits for any more, and its run goes on. One that
// is decided stays as it is.
func (s *Approvals) Withdraw(ctx context.Context, approvalID, why string) error {
	system := agent.Viewer{Email: agent.System, Role: agent.RoleAdmin}
	a, err := s.Store.Approval(ctx, system, approvalID)
	if err != nil || a.Status != agent.ApprovalPending {
		return err
	}
	to := *a
	to.Status, to.Decision, to.Comment, to.Scope = agent.ApprovalDecided, agent.DecideReject, why, agent.ScopeOnce
	to.DecidedBy, to.DecidedAt = agent.System, agent.Stamp(s.Clock)
	if _, err := s.Store.ChangeApproval(ctx, s.closingUpdate(system, to)); err != nil && agent.CodeOf(err) != agent.Conflict {
		return err
	}
	s.Runner.Wake()
	return nil
}
