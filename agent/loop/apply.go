package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// applyDecisions does what people have decided since the run last looked. Each
// decision and its effects are one entry, so a decision is applied once.
func (x *execution) applyDecisions() error {
	if !slices.ContainsFunc(x.approvals.list, func(a agent.Approval) bool { return !a.Applied }) {
		return nil // no decision, made by now or later, is one that the run has not seen
	}
	ctx, cancel := commitContext()
	defer cancel()
	decided, err := x.journal.Decisions(ctx, x.run.ID)
	if err != nil {
		return err
	}
	x.gate.current = x.gate.current && len(decided) == 0
	for _, a := range decided {
		how := endingOf(a)
		switch {
		case how == nil:
			err = x.apply(a)
		case len(x.family.open()) > 0: // it is applied once they have ended
			err = x.endAfterChildren(*how, a.DecidedBy)
		default:
			x.approvals.set(a)
			err = x.end(*how)
		}
		if err != nil || x.run.Status != agent.StatusRunning {
			return err
		}
	}
	return nil
}

// apply does what a decision says about a run that goes on.
func (x *execution) apply(a agent.Approval) error {
	e := agent.Change{Run: x.with(agent.StatusRunning)}
	switch a.Kind {
	case agent.KindBudget:
		e.LimitIncreases = x.increaseLimit(e.Run, a)
		e.FreesTree = len(x.family.open()) > 0
	case agent.KindLoop:
		e.Events = x.applyLoopAnswer(e.Run, a)
	case agent.KindTool, agent.KindQuestion, agent.KindOutcome:
	}
	i := x.calls.index(a.ToolCallID)
	open := a.ToolCallID != "" && i >= 0 && !x.calls.list[i].State.Ended()
	if open && a.AskingServer() == "" {
		e = e.Then(x.applyToCall(e.Run, x.calls.list[i], a))
	} else {
		hear(e.Run, a)
	}
	if !x.transcript.awaitsResults() {
		e = e.Then(x.guidance(e.Run, nil))
	}
	a.Applied = true
	e.Approvals = append(e.Approvals, agent.ApprovalChange{From: agent.ApprovalDecided, Approval: a})
	if g, ok := agent.GrantOf(a); ok {
		x.auth.grants = append(x.auth.grants, g)
	}
	released, err := x.releaseCovered(a)
	if err != nil {
		return err
	}
	e = e.Then(released)
	if err := x.commit(e); err != nil || !open || a.AskingServer() == "" {
		return err
	}
	return x.tellServer(x.calls.list[i], a)
}

// tellServer passes a decision to the call whose server asked. A call that was cut off
// since cannot hear it.
func (x *execution) tellServer(c agent.ToolCall, a agent.Approval) error {
	if l := x.flight.liveCall(c); l != nil {
		l.deliver(a.ServerAnswer())
		return nil
	}
	return x.commit(agent.Change{Events: events(agent.Notice{Message: "The answer did not reach " + a.AskingServer() + ": its call was cut off before."})})
}

// endingOf returns how a decision ends its run, or nil if the run continues.
func endingOf(a agent.Approval) *ending {
	var how ending
	switch {
	case a.Decision == agent.DecideAbort && a.DecidedBy == agent.System:
		how = ending{status: agent.StatusStopped, reason: agent.StopApprovalExpired}
	case a.Decision == agent.DecideAbort:
		how = abortedBy(a.DecidedBy)
	case a.Decision == agent.DecideTakeover:
		how = takenOver(a.DecidedBy, a.Answer)
	case a.Decision != agent.DecideReject:
		return nil
	case a.Kind == agent.KindBudget, a.Kind == agent.KindLoop && a.ToolCallID == "":
		how = rejected(a)
	default:
		return nil
	}
	return &how
}

// rejected ends a run that a person does not let continue.
func rejected(a agent.Approval) ending {
	how := ending{status: agent.StatusStopped, reason: agent.StopRejected, because: "Rejected by " + a.DecidedBy + "."}
	if a.Comment != "" {
		how.because = fmt.Sprintf("Rejected by %s: %s", a.DecidedBy, a.Comment)
	}
	if a.Kind == agent.KindBudget {
		how.reason = agent.StopTokenBudget
		if ev, err := a.BudgetEvidence(); err == nil && (ev.Money || ev.Scope == scopeMoney) {
			how.reason = agent.StopCostBudget
		}
	} else if ev, err := a.LoopEvidence(); err == nil && ev.Detector == string(agent.StopConsecutiveErrors) {
		how.reason = agent.StopConsecutiveErrors
	}
	return how
}

// applyLoopAnswer does to the run what the answer to a loop approval asks for, and tells of it.
func (x *execution) applyLoopAnswer(r *agent.Run, a agent.Approval) []agent.Event {
	switch a.Answer {
	case agent.ResumeFinishNow:
		r.State.FinishNow, r.State.Unfinished = true, true
	case "", agent.ResumePlain:
		x.breakers.allowStreak(r, a)
		x.reminders.resumed(r, a)
	case agent.ResumeAllowMore:
		x.breakers.allowMore(r, a)
	case agent.ResumeAsPolling:
		if i := x.calls.index(a.ToolCallID); i >= 0 && !x.calls.list[i].State.Ended() {
			x.polling.begin(r, x.calls.list[i])
			return events(agent.Notice{Message: x.polling.text(x.calls.list[i])})
		}
	}
	return nil
}

// applyToCall moves the call that an approval was about.
func (x *execution) applyToCall(r *agent.Run, c agent.ToolCall, a agent.Approval) agent.Change {
	c.Authority = agent.Authority{Kind: agent.AuthorityApproval, ID: a.ID}
	switch {
	case a.Decision == agent.DecideReject:
		hearOthers(r, a)
		why, text := rejection(a)
		return x.tools.finish(c, agent.CallRejected, agent.CallError, why, text)
	case a.Decision == agent.DecideAnswer:
		hear(r, a)
		c.Source = agent.SourceHuman
		return x.tools.finish(c, agent.CallAnswered, agent.CallSuccess, "", a.Answer)
	case a.Kind == agent.KindLoop && a.Answer == agent.ResumeFinishNow:
		hear(r, a)
		return x.tools.finish(c, agent.CallRejected, agent.CallError, agent.ErrRejected, "Not executed: a person asked to finish with what is there.")
	default:
		takeArgs(r, &c, a)
		hear(r, a)
		c.Blocked = false
		if twin := x.calls.twin(c, agent.Change{}, x.tools.readOnly); twin != nil && a.Kind == agent.KindLoop && a.Answer != agent.ResumeAsPolling {
			c.Authority = agent.Authority{Kind: agent.AuthorityTwin, ID: twin.ID}
		}
		return changeState(c, agent.CallReleased, agent.CallScheduled)
	}
}

// takeArgs gives a call the arguments that were approved, and has the model hear of them
// where they are not the ones it asked for.
func takeArgs(r *agent.Run, c *agent.ToolCall, a agent.Approval) {
	approved, by := a.Args, cmp.Or(a.Author, a.DecidedBy)
	if a.Decision == agent.DecideEdit {
		approved, by = a.EditedArgs, a.DecidedBy
	}
	hash := fingerprint.Args(string(approved), nil)
	if len(approved) == 0 || hash == c.ArgsHash {
		return
	}
	c.Args, c.ArgsHash = string(approved), hash
	r.State.Guidance = append(r.State.Guidance, agent.Guidance{By: by, Text: string(approved), ToolCallID: c.ID})
}

// rejection is what the model reads of a refusal.
func rejection(a agent.Approval) (why agent.ErrorType, text string) {
	why = agent.ErrRejected
	text, then := "A person refused this call.", " Do not try it again unless asked to."
	switch {
	case a.Kind == agent.KindOutcome:
		why = agent.ErrInterrupted
		text, then = a.Message+" Its outcome is unknown.", " Do not assume that it happened."
	case a.DecidedBy == agent.System:
		text = "This call was not executed."
	case a.ToolName == agent.HandOverTool:
		text, then = "The person does not take over.", " Go on yourself, or end with what you have."
	case a.Kind == agent.KindQuestion:
		text = "The person does not want to answer this question."
	}
	if a.Comment != "" {
		text += " Reason: " + strings.TrimRight(a.Comment, ". ") + "."
	}
	return why, text + then
}
