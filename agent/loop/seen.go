package loop

import (
	"fusebox/agent"
)

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

// compare says what has changed since the call was allowed the last time. Where that
// cannot be read, the card does without it.
func (q *requests) compare(c agent.ToolCall, ev *agent.ToolEvidence) {
	if !ev.FilesDecide {
		return
	}
	if err := q.sinceAllowed(c, ev); err != nil {
		q.log.Warn("what has changed since a call was allowed is not known", "run_id", c.RunID, "error", err)
	}
}

// sinceAllowed says what has changed since the call was allowed the last time, in its
// conversation or by a rule that no longer fits for that.
func (q *requests) sinceAllowed(c agent.ToolCall, ev *agent.ToolEvidence) error {
	ctx, cancel := commitContext()
	defer cancel()
	last, err := q.journal.LastAllowed(ctx, c.ConversationID, c.Name, c.ArgsHash)
	if err != nil {
		return err
	}
	if last != nil {
		ev.Since(last.SeenFiles(), last.DecidedBy, last.DecidedAt)
		return nil
	}
	for _, r := range q.auth.rules {
		if r.FilesDecide && r.Tool == c.Name && r.ArgsHash == c.ArgsHash && r.IsFor(q.auth.owner) {
			ev.Since(r.Files, r.CreatedBy, r.CreatedAt)
		}
	}
	return nil
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
	return agent.ChangesText(agent.ChangedFiles(a.SeenFiles(), au.files(c)), "this call was approved")
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
