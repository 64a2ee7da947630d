package loop

import (
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// approvals are all approvals of the run, oldest first.
type approvals struct{ list []agent.Approval }

// adopt takes over what the journal has committed.
func (as *approvals) adopt(changes []agent.ApprovalChange) {
	for _, c := range changes {
		if c.From != "" {
			c.Approval.Version++
		}
		as.set(c.Approval)
	}
}

func (as *approvals) set(a agent.Approval) {
	if i := slices.IndexFunc(as.list, func(b agent.Approval) bool { return b.ID == a.ID }); i >= 0 {
		as.list[i] = a
	} else {
		as.list = append(as.list, a)
	}
}

// open reports whether a person is to decide something of this run.
func (as *approvals) open() bool {
	return slices.ContainsFunc(as.list, func(a agent.Approval) bool { return a.Status.Open() })
}

// asksAboutRun reports whether a person is asked about the run itself: until that is
// decided nothing of it continues.
func (as *approvals) asksAboutRun() bool {
	return slices.ContainsFunc(as.list, func(a agent.Approval) bool {
		return a.Status.Open() && a.Kind == agent.KindLoop && a.ToolCallID == ""
	})
}

// undoable reports whether one of the run's decisions can still be undone.
func (as *approvals) undoable(now time.Time) bool {
	return slices.ContainsFunc(as.list, func(a agent.Approval) bool { return a.Undoable(now) })
}

// refused reports whether a person refused the same call in this run. Who
// refuses arguments that another one has edited refuses the model's as well; a
// approval that expired is not a refusal.
func (as *approvals) refused(c agent.ToolCall) bool {
	return slices.ContainsFunc(as.list, func(a agent.Approval) bool {
		return a.Kind == agent.KindTool && a.Decision == agent.DecideReject && a.DecidedBy != agent.System && a.ToolName == c.Name &&
			(a.ArgsHash == c.ArgsHash || a.OriginalArgs != nil && fingerprint.Args(string(a.OriginalArgs), nil) == c.ArgsHash)
	})
}

func (as *approvals) byID(id string) (agent.Approval, bool) {
	i := slices.IndexFunc(as.list, func(a agent.Approval) bool { return a.ID == id })
	if i < 0 {
		return agent.Approval{}, false
	}
	return as.list[i], true
}

// decided is the decided approval of exactly this call.
func (as *approvals) decided(c agent.ToolCall) (agent.Approval, bool) {
	a, ok := as.byID(c.Authority.ApprovalID())
	return a, ok && a.ToolCallID == c.ID && a.Kind == agent.KindTool && a.Status == agent.ApprovalDecided
}

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
		c.State = agent.CallValidating // so that it is authorized like a new call
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
