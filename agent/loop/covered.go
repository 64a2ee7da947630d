package loop

import "fusebox/agent"

// releaseCovered lets go on what already waits for a person and is covered by a decision
// that reaches beyond its own call.
func (x *execution) releaseCovered(by agent.Approval) (e agent.Change, err error) {
	if by.CoverScope() == "" && by.Scope != agent.ScopeAlways {
		return e, nil
	}
	if err := x.auth.refresh(); err != nil {
		return e, err
	}
	for _, a := range x.approvals.list {
		i := x.calls.index(a.ToolCallID)
		if a.ID == by.ID || a.Kind != agent.KindTool || a.Status != agent.ApprovalPending || i < 0 || x.calls.list[i].State != agent.CallAwaiting {
			continue
		}
		c := x.calls.list[i]
		c.State = agent.CallValidating // it is judged as if it was asked for now
		d := x.auth.authorize(c)
		if d.outcome != allowed {
			continue
		}
		c.State, c.Authority = agent.CallAwaiting, d.by
		e = e.Then(x.covered(a, by)).Then(changeState(c, agent.CallReleased, agent.CallScheduled))
	}
	return e, nil
}

// covered closes a waiting approval with the decision on another one.
func (x *execution) covered(a, by agent.Approval) agent.Change {
	from := a.Status
	a.Status, a.Decision, a.Scope, a.Applied = agent.ApprovalDecided, agent.DecideApprove, agent.ScopeOnce, true
	a.DecidedBy, a.DecidedAt = by.DecidedBy, x.now()
	row := x.auditRow("approval.cover", a.ID, a.ShownHash(), map[string]any{"by": by.ID, "scope": by.Scope})
	row.Actor = by.DecidedBy
	return agent.Change{
		Approvals: []agent.ApprovalChange{{From: from, Approval: a}},
		Audit:     []agent.AuditRow{row},
		Events: events(agent.ApprovalDecidedEvent{
			ApprovalID: a.ID, Kind: string(a.Kind), ToolCallID: a.ToolCallID, Decision: string(a.Decision), DecidedBy: a.DecidedBy, Scope: a.Scope,
		}),
	}
}
