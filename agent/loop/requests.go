package loop

import (
	"fusebox/agent"
)

// requests puts questions before people, as approvals.
type requests struct {
	*rows
	auth *authorizer
	// deciders is how many people may decide what is critical.
	deciders int
}

func (q *requests) prepare(kind agent.ApprovalKind, risk agent.Risk, message string, evidence any) agent.Approval {
	now := q.now()
	a := agent.Approval{
		ID: q.newID(), Kind: kind, Risk: risk, RunID: q.run.ID, ConversationID: q.conv.ID,
		Message: message, Evidence: agent.MustJSON(evidence), Status: agent.ApprovalPending, Generation: 1,
		RequestedAt: now, ExpiresAt: now.Add(q.loop.Settings.ApprovalTimeout), Needs: agent.NeededVotes(risk, q.deciders),
		Agent: q.run.WorksBy(), Path: q.family.path,
		OwnerID: q.conv.OwnerID, OwnerEmail: q.auth.owner.Email, ConversationTitle: q.conv.Title,
	}
	a.DueAt = a.NextDue()
	return a
}

// bindApproval ties an approval to one call and to the exact arguments shown.
func bindApproval(a *agent.Approval, c agent.ToolCall) {
	a.ToolCallID, a.ToolName, a.ArgsHash = c.ID, c.Name, c.ArgsHash
	a.Args = agent.RawArgs(c.Args)
}

// open is a new or reopened approval, with all that tells of it.
func (q *requests) open(from agent.ApprovalStatus, a agent.Approval) agent.Change {
	return agent.Change{
		Approvals: []agent.ApprovalChange{{From: from, Approval: a}},
		Events:    events(a.Requested()),
		Audit:     []agent.AuditRow{q.auditRow("approval.request", a.ID, a.ShownHash(), a.AuditDetail())},
		Notify:    agent.ApprovalNotifications(agent.NotifyRequested, a, q.now()),
	}
}

// aboutLoop asks a person about a streak. next is the blocked call, nil
// where the run itself was judged.
func (q *requests) aboutLoop(v agent.Verdict, e agent.LoopEvidence, next *agent.ToolCall) agent.Approval {
	a := q.prepare(agent.KindLoop, agent.RiskMedium, v.Message, e)
	plain := agent.Option{ID: agent.ResumePlain, Label: "Continue"}
	finish := agent.Option{ID: agent.ResumeFinishNow, Label: "Wrap up now"}
	if next == nil {
		a.Options = []agent.Option{plain, finish}
		return a
	}
	a.Options = []agent.Option{ // some are about exactly one call
		plain,
		{ID: agent.ResumeAllowMore, Label: "Allow more repeats of this call"},
		{ID: agent.ResumeAsPolling, Label: "Wait until the result changes"},
		finish,
	}
	bindApproval(&a, *next)
	if spec, ok := q.tools.Lookup(next.Name); ok {
		// Resuming executes the blocked call: the deciding person needs the right to approve it.
		if r := q.auth.verdict(spec, *next); r.Action != agent.ActionAllow && !r.Risk.AtMost(a.Risk) {
			a.Risk, a.Needs = r.Risk, agent.NeededVotes(r.Risk, q.deciders)
		}
	}
	return a
}

// askAbout puts a call before people, as it stands after e.
func (q *requests) askAbout(c agent.ToolCall, r agent.PolicyVerdict, e agent.Change) agent.Change {
	spec, _ := q.tools.Lookup(c.Name)
	ev := q.evidence(c, r.Rule, e)
	q.compare(c, &ev)
	a := q.prepare(agent.KindTool, r.Risk, r.Reason, ev)
	bindApproval(&a, c)
	a.Pattern = q.loop.Policy.Pattern(spec, a.Args)
	return changeState(c, agent.CallHeld, agent.CallAwaiting).Then(q.open("", a))
}

// reopen asks people about a scheduled call again: on the approval that it had, as its next
// generation, with the arguments that the call has by now, and with what these are found to
// be; or on a new one.
func (q *requests) reopen(c agent.ToolCall, r agent.PolicyVerdict, e agent.Change) agent.Change {
	spec, _ := q.tools.Lookup(c.Name)
	c.SchemaHash = schemaHash(spec)
	a, had := q.approvals.decided(c)
	if !had {
		return q.askAbout(c, r, e)
	}
	next := a.Reopened(q.now(), q.loop.Settings.ApprovalTimeout)
	if c.ArgsHash != a.ArgsHash { // they were edited in the decision
		if next.OriginalArgs == nil {
			next.OriginalArgs = a.Args
		}
		next.Args, next.ArgsHash, next.Author, next.Pattern = agent.RawArgs(c.Args), c.ArgsHash, a.DecidedBy, nil
	}
	if !r.Risk.AtMost(next.Risk) {
		next.Risk = r.Risk
	}
	next.Message, next.Needs = r.Reason, agent.NeededVotes(next.Risk, q.deciders)
	ev := q.evidence(c, r.Rule, e)
	ev.Since(a.SeenFiles(), a.DecidedBy, a.DecidedAt)
	next.Evidence = agent.MustJSON(ev)
	return changeState(c, agent.CallHeld, agent.CallAwaiting).Then(q.open(a.Status, next))
}

// markUncertain puts the question what became of a call before a person.
func (q *requests) markUncertain(c agent.ToolCall, output, why string) agent.Change {
	again := q.again(c)
	a := q.prepare(agent.KindOutcome, agent.RiskHigh, why, agent.OutcomeEvidence{
		ToolName: c.Name, Args: agent.RawArgs(c.Args), StartedAt: c.StartedAt, IdempotencyKey: c.IdempotencyKey(), Output: output,
		Files: again.Files, FilesDecide: again.FilesDecide, Changed: again.Changed, Allowed: again.Allowed,
	})
	bindApproval(&a, c)
	if spec, known := q.tools.Lookup(c.Name); known {
		if r := q.auth.verdict(spec, c); !r.Risk.AtMost(a.Risk) { // running it again needs the right to approve it
			a.Risk, a.Needs = r.Risk, agent.NeededVotes(r.Risk, q.deciders)
		}
	}
	return changeState(c, agent.CallLost, agent.CallUncertain).Then(q.open("", a))
}

func (q *requests) cancelOpen() (e agent.Change) {
	for _, a := range q.approvals.list {
		if !a.Status.Open() {
			continue
		}
		from := a.Status
		a.Status = agent.ApprovalCancelled
		e.Approvals = append(e.Approvals, agent.ApprovalChange{From: from, Approval: a})
		e.Audit = append(e.Audit, q.auditRow("approval.cancel", a.ID, "", a.AuditDetail()))
		e.Events = append(e.Events, events(agent.ApprovalDecidedEvent{
			ApprovalID: a.ID, Kind: string(a.Kind), ToolCallID: a.ToolCallID, Decision: "cancelled", DecidedBy: agent.System,
		})...)
	}
	return e
}

// evidence is what people are shown of a call: what it would do, what of the same
// answer runs before it, and what has changed since it was allowed the last time.
func (q *requests) evidence(c agent.ToolCall, rule agent.Authority, e agent.Change) agent.ToolEvidence {
	in := toolInput(c)
	in.Before = q.before(c, e)
	ev := q.tools.Evidence(c.Name, in)
	ev.Rule = rule
	return ev
}

// before are the calls of the same answer with effects that run before a call, as
// they are after e.
func (q *requests) before(c agent.ToolCall, e agent.Change) []agent.EarlierCall {
	var earlier []agent.EarlierCall
	for _, d := range q.calls.since(c.Step) {
		if d.Step != c.Step || d.Index >= c.Index {
			continue
		}
		d = after(e, d)
		if !d.State.Ended() && d.Authority.Kind != agent.AuthorityTwin && !q.tools.readOnly(d) {
			earlier = append(earlier, agent.EarlierCall{
				ToolCallID: d.ID, ToolName: d.Name, Asks: d.State == agent.CallAwaiting, Args: agent.RawArgs(d.Args),
			})
		}
	}
	return earlier
}

// again is what a call would do that is run once more, and what has changed since it was
// allowed.
func (q *requests) again(c agent.ToolCall) agent.ToolEvidence {
	ev := q.tools.Evidence(c.Name, toolInput(c))
	if a, ok := q.approvals.byID(c.Authority.ApprovalID()); ok && a.ToolCallID == c.ID && a.ShowsFiles() && ev.FilesDecide {
		ev.Since(a.SeenFiles(), a.DecidedBy, a.DecidedAt)
	} else {
		q.compare(c, &ev)
	}
	return ev
}

// compare says what has changed since the call was allowed the last time, in its conversation
// or by a rule that no longer fits for that. Where that cannot be read, the card does without it.
func (q *requests) compare(c agent.ToolCall, ev *agent.ToolEvidence) {
	if !ev.FilesDecide {
		return
	}
	ctx, cancel := commitContext()
	defer cancel()
	last, err := q.journal.LastAllowed(ctx, c.ConversationID, c.Name, c.ArgsHash)
	switch {
	case err != nil:
		q.log.Warn("what has changed since a call was allowed is not known", "run_id", c.RunID, "error", err)
	case last != nil:
		ev.Since(last.SeenFiles(), last.DecidedBy, last.DecidedAt)
	default:
		for _, r := range q.auth.rules {
			if r.FilesDecide && r.Tool == c.Name && r.ArgsHash == c.ArgsHash && r.IsFor(q.auth.owner) {
				ev.Since(r.Files, r.CreatedBy, r.CreatedAt)
			}
		}
	}
}

// files are those that decide what a call does, now.
func (au *authorizer) files(c agent.ToolCall) []agent.SeenFile {
	return au.tools.Evidence(c.Name, toolInput(c)).Files
}

// stale says what has changed of the files that people saw when they approved a call,
// "" for nothing: what would run is not what was approved.
func (au *authorizer) stale(c agent.ToolCall) string {
	a, ok := au.approvals.byID(c.Authority.ApprovalID())
	if c.State == agent.CallValidating || c.Authority.Kind != agent.AuthorityApproval || !ok || !a.ShowsFiles() {
		return ""
	}
	ev := au.tools.Evidence(c.Name, toolInput(c))
	if c.Attempt > 0 && ev.Diff == "" && au.tools.repeatable(c) {
		return "" // an attempt that was cut off has changed them, as was approved
	}
	return agent.ChangesText(agent.ChangedFiles(a.SeenFiles(), ev.Files), "this call was approved")
}

// sameFiles reports whether what an earlier decision covers still does what it did then. The
// scope run is for whatever a call says; what files say has to be what was shown.
func (au *authorizer) sameFiles(g agent.Grant, c agent.ToolCall) bool {
	if g.Scope == agent.ScopeRun {
		ev := au.tools.Evidence(c.Name, toolInput(c))
		return !ev.FilesDecide || agent.AllSeen(agent.NamedFiles(g.Files), agent.NamedFiles(ev.Files))
	}
	return !g.FilesDecide || len(agent.ChangedFiles(agent.NamedFiles(g.Files), agent.NamedFiles(au.files(c)))) == 0
}
