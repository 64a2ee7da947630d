package service

import (
	"context"

	"fusebox/agent"
)

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
