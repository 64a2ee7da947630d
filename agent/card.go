package agent

// newApproval makes a pending approval of this run.
func (f *flight) newApproval(kind ApprovalKind, risk Risk, message string, evidence any) Approval {
	now := f.now()
	a := Approval{
		ID: f.NewID(), Kind: kind, Risk: risk, RunID: f.run.ID, ConversationID: f.conv.ID,
		Message: message, Evidence: mustJSON(evidence), Status: ApprovalPending, Generation: 1,
		RequestedAt: now, ExpiresAt: now.Add(f.Settings.ApprovalTimeout), Needs: NeededVotes(risk, f.deciders),
		OwnerID: f.conv.OwnerID, OwnerEmail: f.owner.Email, ConversationTitle: f.conv.Title,
	}
	a.DueAt = a.nextDue()
	return a
}

// bindApproval ties an approval to one call and to the exact arguments shown.
func bindApproval(a *Approval, c ToolCall) {
	a.ToolCallID, a.ToolName, a.ArgsHash = c.ID, c.Name, c.ArgsHash
	a.Args = rawArgs(c.Args)
}

// addApproval puts a new approval into e, with all that tells of it.
func (f *flight) addApproval(e *Entry, a Approval) {
	f.putApproval(e, "", a)
}

// putApproval puts an approval that is asked, or asked anew, into e.
func (f *flight) putApproval(e *Entry, from ApprovalStatus, a Approval) {
	e.Approvals = append(e.Approvals, ApprovalChange{From: from, Approval: a})
	e.Events = append(e.Events, events(a.Requested())...)
	e.Audit = append(e.Audit, f.auditRow("approval.request", a.ID, a.shownHash(), a.auditDetail()))
	e.Notify = append(e.Notify, notifyAsked(NotifyRequested, a, f.now())...)
}

// auditRow is a line of the audit log about what the loop does by itself.
func (f *flight) auditRow(action, target, shown string, detail any) AuditRow {
	return AuditRow{
		ID: f.NewID(), At: f.now(), Actor: System, Action: action, Target: target, Shown: shown, Detail: string(mustJSON(detail)),
	}
}

// loopApproval asks a person about a streak. next is the blocked call, nil
// where the run itself was judged.
func (f *flight) loopApproval(v Verdict, e LoopEvidence, next *ToolCall) Approval {
	a := f.newApproval(KindLoop, RiskMedium, v.Message, e)
	a.Options = optionsOf(next)
	if next == nil {
		return a
	}
	bindApproval(&a, *next)
	if spec, ok := f.Tools.Lookup(next.Name); ok {
		// Resuming executes the blocked call: who decides needs the right to approve it.
		if r := f.ruling(spec, *next); r.Action != ActionAllow && !r.Risk.AtMost(a.Risk) {
			a.Risk, a.Needs = r.Risk, NeededVotes(r.Risk, f.deciders)
		}
	}
	return a
}

// optionsOf are the ways to go on: what is about exactly one call is offered
// only where one is held back.
func optionsOf(next *ToolCall) []Option {
	finish := Option{ID: ResumeFinishNow, Label: "Finish now, with what is there"}
	if next == nil {
		return []Option{{ID: ResumePlain, Label: "Go on"}, finish}
	}
	return []Option{
		{ID: ResumePlain, Label: "Go on"},
		{ID: ResumeAllowMore, Label: "Allow more of exactly this call"},
		{ID: ResumeAsPolling, Label: "Treat it as polling: wait until the result changes"},
		finish,
	}
}
