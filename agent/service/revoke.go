package service

import (
	"context"

	"fusebox/agent"
)

// Revoke takes back what a decision covers beyond its call: later calls of its
// run or conversation need approval. The conversation's owner may, and reviewers.
// Conflict where it covers nothing, or was revoked before.
func (d *Runs) Revoke(ctx context.Context, v agent.Viewer, approvalID string) (*agent.Approval, error) {
	a, err := d.Store.Approval(ctx, v, approvalID)
	if err != nil {
		return nil, err
	}
	if a.OwnerID != v.UserID && !v.Role.Reviews() {
		return nil, agent.Errorf(agent.Forbidden, "Only the conversation's owner, reviewers and admins can revoke this.")
	}
	if a.Status != agent.ApprovalDecided || a.Scope == "" || a.Scope == agent.ScopeOnce || !a.RevokedAt.IsZero() {
		e := agent.Errorf(agent.Conflict, "There is nothing to revoke: this decision covers only its own call, or was already revoked.")
		e.Current = a
		return nil, e
	}
	next := *a
	next.RevokedAt, next.RevokedBy = agent.Stamp(d.Clock), v.Email
	return d.Store.ChangeApproval(ctx, agent.ApprovalUpdate{
		To: next,
		Events: []agent.EventData{agent.Notice{
			Message:   v.Email + " revoked what an approval of " + a.ToolName + " covered: later calls need approval.",
			RevokedID: a.ID, RevokedBy: v.Email,
		}},
		Audit: []agent.AuditRow{d.auditRow(v, "approval.revoke", *a, map[string]any{"scope": a.Scope})},
	})
}
