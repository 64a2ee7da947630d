package agent

// newApproval makes a pending approval of this run.
func (f *flight) newApproval(kind ApprovalKind, risk Risk, message string, evidence any) Approval {
	now := f.now()
	return Approval{
		ID: f.NewID(), Kind: kind, Risk: risk, RunID: f.run.ID, ConversationID: f.conv.ID,
		Message: message, Evidence: mustJSON(evidence), Status: ApprovalPending, Generation: 1,
		RequestedAt: now, ExpiresAt: now.Add(f.Settings.ApprovalTimeout),
		OwnerID: f.conv.OwnerID, OwnerEmail: f.ownerEmail, ConversationTitle: f.conv.Title,
	}
}

// bindApproval ties an approval to one call and to the exact arguments shown.
func bindApproval(a *Approval, c ToolCall) {
	a.ToolCallID, a.ToolName, a.ArgsHash = c.ID, c.Name, c.ArgsHash
	a.Args = rawArgs(c.Args)
}

// addApproval puts an approval and the event that shows it into e.
func addApproval(e *Entry, a Approval) {
	e.Approvals = append(e.Approvals, ApprovalChange{Approval: a})
	e.Events = append(e.Events, events(ApprovalRequestedEvent{
		ApprovalID: a.ID, Kind: a.Kind, ToolCallID: a.ToolCallID, Risk: a.Risk, Message: a.Message,
		Options: a.Options, ArgsHash: a.ArgsHash, Generation: a.Generation, Evidence: a.Evidence,
	})...)
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
		if r := f.Policy.Rule(spec, rawArgs(next.Args), f.conv.ApprovalMode); r.Action != ActionAllow && !r.Risk.AtMost(a.Risk) {
			a.Risk = r.Risk
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
