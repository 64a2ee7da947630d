package loop

import "fusebox/agent"

// begin opens a run's stay in this process: its first one, one after a
// decision, or one after a process that died in the middle.
func (x *execution) begin() error {
	if r := &x.run; r.Epoch == 1 && !r.StartedAt.IsZero() && r.Steps == 0 && r.State.DraftID == "" {
		return nil // the commit that stored the person's message has begun it, and nothing happened since
	}
	e := agent.Change{Run: x.with(agent.StatusRunning)}
	e.Run.Active = x.run.Active
	if x.run.StartedAt.IsZero() {
		e.Run.StartedAt = x.now()
		if !x.run.Lineage.IsChild() { // a child's was told when it was made
			e.Events = events(x.run.Start(""))
		}
		if steps := x.run.State.Plan.Steps; len(steps) > 0 { // that of a failed run, which this one continues
			e.Events = append(e.Events, events(agent.PlanEvent{Steps: steps})...)
		}
		x.stage(e)
		return nil
	}
	rebuilt, err := x.rebuild()
	if err != nil {
		return err
	}
	return x.commit(e.Then(rebuilt))
}

// rebuild is what must be said and repaired before a run continues. A model
// call that was cut is voided and made again; a tool call that was cut is
// judged by its effect.
func (x *execution) rebuild() (e agent.Change, err error) {
	ctx, cancel := commitContext()
	defer cancel()
	decided, err := x.journal.Decisions(ctx, x.run.ID)
	if err != nil {
		return e, err
	}
	if n := len(decided); n > 0 && decided[n-1].DecidedBy != "" { // the person whose decision woke the run
		e.Events = append(e.Events, events(agent.RunResumed{By: decided[n-1].DecidedBy})...)
	}
	lost := x.executor.lost()
	if len(lost) > 0 || x.run.State.DraftID != "" {
		e.Events = append(e.Events, events(agent.Notice{Message: "Recovered after a restart of the server."})...)
	}
	if id := x.run.State.DraftID; id != "" {
		e.Events = append(e.Events, events(agent.MessageReset{ID: id})...)
	}
	for _, c := range lost {
		e = e.Then(x.executor.recoverCall(c))
	}
	return e, nil
}

// pause lets go of the run: from here on it is only rows.
func (x *execution) pause() error {
	if err := x.flush(); err != nil { // a pause looks for results that are not taken in
		return err
	}
	paused := agent.RunPaused{ApprovalIDs: []string{}, Children: x.family.open()}
	for _, a := range x.approvals.list {
		if a.Status.Open() {
			paused.ApprovalIDs = append(paused.ApprovalIDs, a.ID)
		}
	}
	return x.commit(agent.Change{Run: x.with(agent.StatusPaused), Events: events(paused)})
}
