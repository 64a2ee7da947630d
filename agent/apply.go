package agent

import (
	"fmt"
	"strings"
)

// applyDecisions does what people have decided since the run last looked. Each
// decision and its effects are one entry, so a decision is applied once.
func (f *flight) applyDecisions() error {
	ctx, cancel := commitContext()
	defer cancel()
	decided, err := f.Journal.Decisions(ctx, f.run.ID)
	if err != nil {
		return err
	}
	for _, a := range decided {
		if err := f.apply(a); err != nil || f.run.Status != StatusRunning {
			return err
		}
	}
	return nil
}

// apply does what one decision says.
func (f *flight) apply(a Approval) error {
	e := Entry{Run: f.with(StatusRunning)}
	if how := f.endingOf(a); how != nil {
		f.adoptApproval(a)
		return f.end(*how)
	}
	switch a.Kind {
	case KindBudget:
		f.raise(&e, a)
	case KindLoop:
		f.goOn(&e, a)
	}
	if a.Comment != "" && a.Decision != DecideReject {
		remind(e.Run, "[System reminder] A person who looked at this run says: "+a.Comment)
	}
	if i := f.callIndex(a.ToolCallID); a.ToolCallID != "" && i >= 0 && !f.calls[i].State.Ended() {
		f.applyToCall(&e, f.calls[i], a)
	}
	a.Applied = true
	e.Approvals = append(e.Approvals, ApprovalChange{From: ApprovalDecided, Approval: a})
	if g, ok := grantOf(a); ok {
		f.grants = append(f.grants, g)
	}
	return f.commit(e)
}

// endingOf returns the end that a decision makes of its run, nil for none.
func (f *flight) endingOf(a Approval) *ending {
	var how ending
	switch {
	case a.Decision == DecideAbort && a.DecidedBy == System:
		how = ending{status: StatusStopped, reason: StopApprovalExpired}
	case a.Decision == DecideAbort:
		how = abortedBy(a.DecidedBy)
	case a.Decision == DecideTakeover:
		how = ending{status: StatusFinished, reason: StopGoal, answer: a.Answer, because: "Answered by " + a.DecidedBy + "."}
	case a.Decision != DecideReject:
		return nil
	case a.Kind == KindBudget:
		how = ending{status: StatusStopped, reason: rejectedBudget(a), because: rejectedBy(a)}
	case a.Kind == KindLoop && a.ToolCallID == "":
		how = ending{status: StatusStopped, reason: rejectedRun(a), because: rejectedBy(a)}
	default:
		return nil
	}
	return &how
}

// rejectedRun is why a run ends that a person does not let go on.
func rejectedRun(a Approval) StopReason {
	var ev LoopEvidence
	if decodeEvidence(a, &ev) == nil && ev.Detector == string(StopConsecutiveErrors) {
		return StopConsecutiveErrors
	}
	return StopRejected
}

func rejectedBudget(a Approval) StopReason {
	var ev BudgetEvidence
	if decodeEvidence(a, &ev) == nil && (ev.Money || ev.Scope == scopeMoney) {
		return StopCostBudget
	}
	return StopTokenBudget
}

// goOn does what the answer to a loop card asks for, beside the blocked call.
func (f *flight) goOn(e *Entry, a Approval) {
	switch a.Answer {
	case ResumeFinishNow:
		e.Run.State.FinishNow, e.Run.State.Unfinished = true, true
	case "", ResumePlain:
		f.letGoOn(e.Run, a)
	case ResumeAllowMore:
		f.allowMore(e.Run, a)
	case ResumeAsPolling:
		if i := f.callIndex(a.ToolCallID); i >= 0 && !f.calls[i].State.Ended() {
			f.asPolling(e.Run, f.calls[i])
			e.Events = append(e.Events, events(Notice{Message: f.pollingText(f.calls[i])})...)
		}
	}
}

func rejectedBy(a Approval) string {
	if a.Comment == "" {
		return "Rejected by " + a.DecidedBy + "."
	}
	return fmt.Sprintf("Rejected by %s: %s", a.DecidedBy, a.Comment)
}

// applyToCall moves the call that a card was about.
func (f *flight) applyToCall(e *Entry, c ToolCall, a Approval) {
	c.Rule = "approval:" + a.ID
	switch {
	case a.Decision == DecideReject:
		refuse(e, f.settle(c, CallRejected, CallError, rejection(a), rejectionText(a)))
	case a.Decision == DecideAnswer:
		c.Source = SourceHuman
		refuse(e, f.settle(c, CallAnswered, CallSuccess, "", a.Answer))
	case a.Kind == KindLoop && a.Answer == ResumeFinishNow:
		refuse(e, f.settle(c, CallRejected, CallError, ErrRejected, "Not executed: a person asked to finish with what is there."))
	default:
		f.takeArgs(e, &c, a)
		c.Blocked = false
		changeState(e, c, CallReleased, CallScheduled)
	}
}

// takeArgs gives a call the arguments that were approved, and tells the model
// where they are not the ones it asked for.
func (f *flight) takeArgs(e *Entry, c *ToolCall, a Approval) {
	approved := a.Args
	if a.Decision == DecideEdit {
		approved = a.EditedArgs
	}
	hash := FingerprintArgs(string(approved), nil)
	if len(approved) == 0 || hash == c.ArgsHash {
		return
	}
	c.Args, c.ArgsHash = string(approved), hash
	remind(e.Run, "[System reminder] A person changed the arguments of "+c.Name+" before it ran. It was executed with "+string(approved))
}

func rejection(a Approval) ErrorType {
	if a.Kind == KindOutcome {
		return ErrInterrupted
	}
	return ErrRejected
}

// rejectionText is what the model reads of a refusal.
func rejectionText(a Approval) string {
	text, then := "A person refused this call.", " Do not try it again unless asked to."
	switch {
	case a.Kind == KindOutcome:
		text, then = a.Message+" Its outcome is unknown.", " Do not assume that it happened."
	case a.DecidedBy == System:
		text = "This call was not executed."
	case a.Kind == KindQuestion:
		text = "The person does not want to answer this question."
	}
	if a.Comment != "" {
		text += " Reason: " + strings.TrimRight(a.Comment, ". ") + "."
	}
	return text + then
}
