package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"
)

// triage decides of every call of the newest answer whether it may run, must
// ask, or is refused. All of it is one entry.
func (f *flight) triage() error {
	if err := f.refreshRules(); err != nil {
		return err
	}
	e := Entry{Run: f.with(StatusRunning)}
	for i := range f.calls {
		if f.calls[i].State != CallValidating {
			continue
		}
		stop, err := f.triageCall(f.calls[i], &e)
		if err != nil {
			return err
		}
		if stop != nil {
			return f.end(*stop)
		}
	}
	return f.commit(e)
}

// triageCall adds to e what becomes of one call. A breaker's verdict ends the
// run instead. Guards judge also calls that cannot run: a wrong call made again
// and again is a loop too.
func (f *flight) triageCall(c ToolCall, e *Entry) (*ending, error) {
	args, invalid := f.Tools.Validate(c.Name, c.Args)
	if spec, known := f.Tools.Lookup(c.Name); known {
		c.SchemaHash = schemaHash(spec)
	}
	if invalid == nil && string(args) != c.Args {
		c.Args = string(args)
		c.ArgsHash = FingerprintArgs(c.Args, nil)
		f.calls[f.callIndex(c.ID)] = c // the guards judge what would run
	}
	if twin, blocked := f.twin(c, e); twin {
		if blocked {
			refuse(e, f.settle(c, CallRefused, CallError, ErrRejected, "The same call stands in this answer already and is held back."))
			return nil, nil
		}
		f.dispatch(c, invalid, e)
		return nil, nil
	}
	a := f.assess(&c, e.Run)
	if a.Worst.Level == Stop {
		return f.tripped(a, &c), nil
	}
	f.verdicts(e, a, &c)
	switch a.Worst.Level {
	case Pause:
		f.block(c, a, e)
		return nil, nil
	case Warn:
		remind(e.Run, f.Reminder(a.Worst, c.Name))
		e.Events = append(e.Events, events(guardEvent(a.Worst, f.evidence(a.Worst, a.Others)))...)
	}
	f.dispatch(c, invalid, e)
	return nil, nil
}

// dispatch refuses a call that cannot run, and asks policy about all others.
func (f *flight) dispatch(c ToolCall, invalid error, e *Entry) {
	if invalid != nil {
		refuse(e, f.settle(c, CallRefused, CallError, invalidType(invalid), validationText(invalid)))
		return
	}
	f.consult(c, e)
}

// twin reports whether the same call stands earlier in the same answer, where
// the guards have judged it already, and whether they held it back.
func (f *flight) twin(c ToolCall, e *Entry) (exists, blocked bool) {
	for _, d := range f.calls {
		if d.Step != c.Step || d.Index >= c.Index || d.Name != c.Name || d.ArgsHash != c.ArgsHash {
			continue
		}
		held := slices.ContainsFunc(e.Calls, func(ch CallChange) bool { return ch.Call.ID == d.ID && ch.Call.Blocked })
		return true, held || d.Blocked
	}
	return false, false
}

// tripped is the end that a breaker makes of the run.
func (f *flight) tripped(a Assessment, c *ToolCall) *ending {
	v := a.Worst
	reason := v.Reason
	if reason == "" {
		reason = StopLoop
	}
	var e Entry
	f.verdicts(&e, a, c)
	return &ending{
		status: StatusStopped, reason: reason, because: v.Message, verdicts: e.Verdicts,
		events: []EventData{guardEvent(v, f.evidence(v, a.Others))},
	}
}

// block stops a call before it is executed and puts the streak before a person.
func (f *flight) block(c ToolCall, verdicts Assessment, e *Entry) {
	v := verdicts.Worst
	ev := f.evidence(v, verdicts.Others)
	a := f.loopApproval(v, ev, &c)
	c.Blocked, c.Rule = true, "guard:"+v.Detector
	e.Events = append(e.Events, events(guardEvent(v, ev))...)
	changeState(e, c, CallHeld, CallAwaiting)
	f.addApproval(e, a)
}

// consult asks earlier decisions and policy about a call that no guard holds back.
func (f *flight) consult(c ToolCall, e *Entry) {
	spec, _ := f.Tools.Lookup(c.Name)
	if spec.AsksPerson {
		f.askQuestion(c, e)
		return
	}
	r := f.ruling(spec, c)
	c.Rule = r.Rule
	switch {
	case f.refusedBefore(c):
		refuse(e, f.settle(c, CallRefused, CallError, ErrRejected,
			"A person has already refused this call with these arguments in this run. Do not try it again; find another way or ask."))
	case r.Action == ActionDeny:
		refuse(e, f.settle(c, CallRefused, CallError, ErrRejected, "Not allowed here: "+r.Reason))
	case r.Action == ActionAllow:
		f.allow(c, e)
	default:
		if g, ok := f.granted(c, r); ok {
			c.Rule = "scope:" + string(g.Scope) + ":" + g.ApprovalID
			f.allow(c, e)
			return
		}
		f.ask(spec, c, r, e)
	}
}

func (f *flight) allow(c ToolCall, e *Entry) {
	f.waitAgain(e.Run, c)
	changeState(e, c, CallAllowed, CallScheduled)
}

// ruling asks policy about a call.
func (f *flight) ruling(spec ToolSpec, c ToolCall) Ruling {
	return f.Policy.Rule(Question{
		Spec: spec, Args: rawArgs(c.Args), Mode: f.conv.ApprovalMode, Owner: f.owner, Rules: f.rules, Judged: f.judgedOf(c),
	})
}

// refreshRules reads which rules are in force now, and what asks at all: a run
// may last longer than one of them.
func (f *flight) refreshRules() error {
	ctx, cancel := commitContext()
	defer cancel()
	rules, err := f.Journal.PolicyRules(ctx)
	if err != nil {
		return err
	}
	f.rules = rules
	f.conv.ApprovalMode, err = f.Journal.ApprovalMode(ctx, f.conv.ID)
	return err
}

// ask puts a call before people.
func (f *flight) ask(spec ToolSpec, c ToolCall, r Ruling, e *Entry) {
	ev := f.Tools.Evidence(c.Name, f.input(c, nil))
	ev.Rule = r.Rule
	a := f.newApproval(KindTool, r.Risk, r.Reason, ev)
	bindApproval(&a, c)
	a.Pattern = f.Policy.Pattern(spec, a.Args)
	changeState(e, c, CallHeld, CallAwaiting)
	f.addApproval(e, a)
}

// granted finds an earlier decision that covers a call. It does not outrank a
// rule that asks and is newer than the decision.
func (f *flight) granted(c ToolCall, r Ruling) (Grant, bool) {
	since := f.askedSince(r)
	for _, g := range f.grants {
		if g.Fits(c, r.Risk) && !g.DecidedAt.Before(since) {
			return g, true
		}
	}
	return Grant{}, false
}

// askedSince is when the rule was made that asks, zero where policy asks by itself.
func (f *flight) askedSince(r Ruling) time.Time {
	for _, rule := range f.rules {
		if r.Rule == "rule:"+rule.ID {
			return rule.CreatedAt
		}
	}
	return time.Time{}
}

// refusedBefore reports whether a person refused the same call in this run. Who
// refuses arguments that another one has edited refuses the model's as well; a
// card that ran out of time is nobody's refusal.
func (f *flight) refusedBefore(c ToolCall) bool {
	for _, a := range f.approvals {
		if a.Kind != KindTool || a.Decision != DecideReject || a.DecidedBy == System || a.ToolName != c.Name {
			continue
		}
		if a.ArgsHash == c.ArgsHash || (a.OriginalArgs != nil && FingerprintArgs(string(a.OriginalArgs), nil) == c.ArgsHash) {
			return true
		}
	}
	return false
}

// schemaHash is the fingerprint of the arguments that a tool takes.
func schemaHash(spec ToolSpec) string {
	sum := sha256.Sum256(spec.Parameters)
	return hex.EncodeToString(sum[:8])
}

// changeState moves a call that has no result yet.
func changeState(e *Entry, c ToolCall, event CallEvent, to CallState) {
	from := c.State
	c.State = to
	e.Calls = append(e.Calls, CallChange{From: from, Event: event, Call: c})
	told := ToolCallStateEvent{ToolCallID: c.ID, State: to}
	if event == CallAllowed {
		told.Rule = c.Rule
	}
	e.Events = append(e.Events, events(told)...)
}

// refuse puts a call that ended without being executed into e.
func refuse(e *Entry, s settled) {
	e.Calls = append(e.Calls, s.change)
	e.Events = append(e.Events, s.events...)
}

func invalidType(err error) ErrorType {
	if CodeOf(err) == NotFound {
		return ErrNotRegistered
	}
	return ErrInvalidParams
}

// settled is a call's end and the events that tell of it.
type settled struct {
	change CallChange
	events []Event
}

// settle ends a call with its one result.
func (f *flight) settle(c ToolCall, event CallEvent, to CallState, kind ErrorType, result string) settled {
	from := c.State
	c.State, c.ErrorType, c.Result, c.EndedAt = to, kind, result, f.now()
	spec, _ := f.spec(c.Name)
	c.ResultHash = FingerprintResult(result, spec.Volatile)
	return settled{
		change: CallChange{From: from, Event: event, Call: c},
		events: events(
			ToolCallResult{ToolCallID: c.ID, Result: result, ErrorType: kind, Truncated: c.Truncated},
			ToolCallStateEvent{ToolCallID: c.ID, State: to},
		),
	}
}

// validationText joins the problems of arguments into one text for the model.
func validationText(err error) string {
	var e *Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		return MessageOf(err)
	}
	text := "The arguments do not fit the tool's schema:"
	for _, f := range e.Fields {
		text += fmt.Sprintf("\n- %s: %s", f.Field, f.Detail)
	}
	return text
}
