package loop

import (
	"slices"

	"fusebox/agent"
)

// releaseCovered lets go on what already waits for a person and is covered by a decision
// that reaches beyond its own call.
func (x *execution) releaseCovered(by agent.Approval) (e agent.Change, err error) {
	if by.CoverScope() == "" {
		return e, nil
	}
	if err := x.auth.refresh(); err != nil {
		return e, err
	}
	for _, a := range x.approvals.list {
		i := x.calls.index(a.ToolCallID)
		if a.ID == by.ID || i < 0 || !coverable(a, x.calls.list[i], by) {
			continue
		}
		c := x.calls.list[i]
		c.State = agent.CallValidating // it is judged as if it was asked for now
		d := x.auth.authorize(c)
		if d.outcome != allowed || !x.restsOn(d.by, by) {
			continue
		}
		c.State, c.Authority = agent.CallAwaiting, d.by
		e = e.Then(x.covered(a, by)).Then(changeState(c, agent.CallReleased, agent.CallScheduled))
	}
	return e, nil
}

// coverable reports whether nobody has begun to decide about a waiting call in another
// way, and what was decided was of no lower risk.
func coverable(a agent.Approval, c agent.ToolCall, by agent.Approval) bool {
	return a.Kind == agent.KindTool && a.Status == agent.ApprovalPending && c.State == agent.CallAwaiting &&
		a.Author == "" && len(a.Votes) == 0 && a.ArgsHash == c.ArgsHash && a.Risk.AtMost(by.Risk)
}

// restsOn reports whether it is this decision that lets a call run, or the rule that it made.
func (x *execution) restsOn(what agent.Authority, by agent.Approval) bool {
	return what.ApprovalID() == by.ID || slices.ContainsFunc(x.auth.rules, func(r agent.PolicyRule) bool {
		return r.ApprovalID == by.ID && r.Authority() == what
	})
}

// covered closes a waiting approval with the decision on another one.
func (x *execution) covered(a, by agent.Approval) agent.Change {
	from := a.Status
	a.Status, a.Decision, a.Applied = agent.ApprovalDecided, agent.DecideApprove, true
	a.DecidedBy, a.DecidedAt = by.DecidedBy, x.now()
	detail := a.AuditDetail()
	detail["by"], detail["scope"] = by.ID, by.Scope
	row := x.auditRow("approval.cover", a.ID, a.ShownHash(), detail)
	row.Actor = by.DecidedBy
	return agent.Change{
		Approvals: []agent.ApprovalChange{{From: from, Approval: a}},
		Audit:     []agent.AuditRow{row},
		Events: events(agent.ApprovalDecidedEvent{
			ApprovalID: a.ID, Kind: string(a.Kind), ToolCallID: a.ToolCallID, Decision: string(a.Decision), DecidedBy: a.DecidedBy,
		}),
		Notify: []agent.Notification{agent.NewNotification(agent.NotifyDecided, a, agent.ToNobody, a.DecidedAt)},
	}
}
