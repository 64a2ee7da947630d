package loop

import (
	"fusebox/agent"
)

// newApproval makes a pending approval of this run.
func (f *execution) newApproval(kind agent.ApprovalKind, risk agent.Risk, message string, evidence any) agent.Approval {
	now := f.now()
	a := agent.Approval{
		ID: f.NewID(), Kind: kind, Risk: risk, RunID: f.run.ID, ConversationID: f.conv.ID,
		Message: message, Evidence: agent.MustJSON(evidence), Status: agent.ApprovalPending, Generation: 1,
		RequestedAt: now, ExpiresAt: now.Add(f.Settings.ApprovalTimeout), Needs: agent.NeededVotes(risk, f.deciders),
		OwnerID: f.conv.OwnerID, OwnerEmail: f.owner.Email, ConversationTitle: f.conv.Title,
	}
	a.DueAt = a.NextDue()
	return a
}

// bindApproval ties an approval to one call and to the exact arguments shown.
func bindApproval(a *agent.Approval, c agent.ToolCall) {
	a.ToolCallID, a.ToolName, a.ArgsHash = c.ID, c.Name, c.ArgsHash
	a.Args = agent.RawArgs(c.Args)
}

// addApproval puts a new approval into e, with all that tells of it.
func (f *execution) addApproval(e *agent.Entry, a agent.Approval) {
	f.putApproval(e, "", a)
}

// putApproval puts an approval that is asked, or asked anew, into e.
func (f *execution) putApproval(e *agent.Entry, from agent.ApprovalStatus, a agent.Approval) {
	e.Approvals = append(e.Approvals, agent.ApprovalChange{From: from, Approval: a})
	e.Events = append(e.Events, events(a.Requested())...)
	e.Audit = append(e.Audit, f.auditRow("approval.request", a.ID, a.ShownHash(), a.AuditDetail()))
	e.Notify = append(e.Notify, agent.ApprovalNotifications(agent.NotifyRequested, a, f.now())...)
}

// auditRow is a line of the audit log about what the loop does by itself.
func (f *execution) auditRow(action, target, shown string, detail any) agent.AuditRow {
	return agent.AuditRow{
		ID: f.NewID(), At: f.now(), Actor: agent.System, Action: action, Target: target, Shown: shown, Detail: string(agent.MustJSON(detail)),
	}
}

// loopApproval asks a person about a streak. next is the blocked call, nil
// where the run itself was judged.
func (f *execution) loopApproval(v agent.Verdict, e agent.LoopEvidence, next *agent.ToolCall) agent.Approval {
	a := f.newApproval(agent.KindLoop, agent.RiskMedium, v.Message, e)
	a.Options = optionsOf(next)
	if next == nil {
		return a
	}
	bindApproval(&a, *next)
	if spec, ok := f.Tools.Lookup(next.Name); ok {
		// Resuming executes the blocked call: who decides needs the right to approve it.
		if r := f.ruling(spec, *next); r.Action != agent.ActionAllow && !r.Risk.AtMost(a.Risk) {
			a.Risk, a.Needs = r.Risk, agent.NeededVotes(r.Risk, f.deciders)
		}
	}
	return a
}

// optionsOf are the ways to go on: what is about exactly one call is offered
// only where one is held back.
func optionsOf(next *agent.ToolCall) []agent.Option {
	finish := agent.Option{ID: agent.ResumeFinishNow, Label: "Finish now, with what is there"}
	if next == nil {
		return []agent.Option{{ID: agent.ResumePlain, Label: "Go on"}, finish}
	}
	return []agent.Option{
		{ID: agent.ResumePlain, Label: "Go on"},
		{ID: agent.ResumeAllowMore, Label: "Allow more of exactly this call"},
		{ID: agent.ResumeAsPolling, Label: "Treat it as polling: wait until the result changes"},
		finish,
	}
}
