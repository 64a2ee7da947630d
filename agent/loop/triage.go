package loop

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// triage decides of every call of the newest answer whether it may run, must
// ask, or is refused. All of it is one entry.
func (f *execution) triage() error {
	if err := f.refreshRules(); err != nil {
		return err
	}
	e := agent.Entry{Run: f.with(agent.StatusRunning)}
	for i := range f.calls {
		if f.calls[i].State != agent.CallValidating {
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
func (f *execution) triageCall(c agent.ToolCall, e *agent.Entry) (*ending, error) {
	args, invalid := f.Tools.Validate(c.Name, c.Args)
	if spec, known := f.Tools.Lookup(c.Name); known {
		c.SchemaHash = schemaHash(spec)
	}
	if invalid == nil && string(args) != c.Args {
		c.Args = string(args)
		c.ArgsHash = fingerprint.Args(c.Args, nil)
		f.calls[f.callIndex(c.ID)] = c // the guards judge what would run
	}
	if twin, blocked := f.twin(c, e); twin {
		if blocked {
			refuse(e, f.settle(c, agent.CallRefused, agent.CallError, agent.ErrRejected, "The same call stands in this answer already and is held back."))
			return nil, nil
		}
		f.dispatch(c, invalid, e)
		return nil, nil
	}
	a := f.assess(&c, e.Run)
	if a.Worst.Level == agent.Stop {
		return f.tripped(a, &c), nil
	}
	f.verdicts(e, a, &c)
	switch a.Worst.Level {
	case agent.Pause:
		f.block(c, a, e)
		return nil, nil
	case agent.Warn:
		remind(e.Run, f.Reminder(a.Worst, c.Name))
		e.Events = append(e.Events, events(guardEvent(a.Worst, f.evidence(a.Worst, a.Others)))...)
	}
	f.dispatch(c, invalid, e)
	return nil, nil
}

// dispatch refuses a call that cannot run, and asks policy about all others.
func (f *execution) dispatch(c agent.ToolCall, invalid error, e *agent.Entry) {
	if invalid != nil {
		refuse(e, f.settle(c, agent.CallRefused, agent.CallError, invalidType(invalid), validationText(invalid)))
		return
	}
	f.consult(c, e)
}

// twin reports whether the same call stands earlier in the same answer, where
// the guards have judged it already, and whether they held it back.
func (f *execution) twin(c agent.ToolCall, e *agent.Entry) (exists, blocked bool) {
	for _, d := range f.calls {
		if d.Step != c.Step || d.Index >= c.Index || d.Name != c.Name || d.ArgsHash != c.ArgsHash {
			continue
		}
		held := slices.ContainsFunc(e.Calls, func(ch agent.CallChange) bool { return ch.Call.ID == d.ID && ch.Call.Blocked })
		return true, held || d.Blocked
	}
	return false, false
}

// tripped is the end that a breaker makes of the run.
func (f *execution) tripped(a agent.Assessment, c *agent.ToolCall) *ending {
	v := a.Worst
	reason := v.Reason
	if reason == "" {
		reason = agent.StopLoop
	}
	var e agent.Entry
	f.verdicts(&e, a, c)
	return &ending{
		status: agent.StatusStopped, reason: reason, because: v.Message, verdicts: e.Verdicts,
		events: []agent.EventData{guardEvent(v, f.evidence(v, a.Others))},
	}
}

// block stops a call before it is executed and puts the streak before a person.
func (f *execution) block(c agent.ToolCall, verdicts agent.Assessment, e *agent.Entry) {
	v := verdicts.Worst
	ev := f.evidence(v, verdicts.Others)
	a := f.loopApproval(v, ev, &c)
	c.Blocked, c.Rule = true, "guard:"+v.Detector
	e.Events = append(e.Events, events(guardEvent(v, ev))...)
	changeState(e, c, agent.CallHeld, agent.CallAwaiting)
	f.addApproval(e, a)
}

// consult asks earlier decisions and policy about a call that no guard holds back.
func (f *execution) consult(c agent.ToolCall, e *agent.Entry) {
	spec, _ := f.Tools.Lookup(c.Name)
	if spec.AsksPerson {
		f.askQuestion(c, e)
		return
	}
	r := f.ruling(spec, c)
	c.Rule = r.Rule
	switch {
	case f.refusedBefore(c):
		refuse(e, f.settle(c, agent.CallRefused, agent.CallError, agent.ErrRejected,
			"A person has already refused this call with these arguments in this run. Do not try it again; find another way or ask."))
	case r.Action == agent.ActionDeny:
		refuse(e, f.settle(c, agent.CallRefused, agent.CallError, agent.ErrRejected, "Not allowed here: "+r.Reason))
	case r.Action == agent.ActionAllow:
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

func (f *execution) allow(c agent.ToolCall, e *agent.Entry) {
	f.waitAgain(e.Run, c)
	changeState(e, c, agent.CallAllowed, agent.CallScheduled)
}

// ruling asks policy about a call.
func (f *execution) ruling(spec agent.ToolSpec, c agent.ToolCall) agent.Ruling {
	return f.Policy.Rule(agent.Question{
		Spec: spec, Args: agent.RawArgs(c.Args), Mode: f.conv.ApprovalMode, Owner: f.owner, Rules: f.rules, Judged: f.judgedOf(c),
	})
}

// refreshRules reads which rules are in force now, and what asks at all: a run
// may last longer than one of them.
func (f *execution) refreshRules() error {
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
func (f *execution) ask(spec agent.ToolSpec, c agent.ToolCall, r agent.Ruling, e *agent.Entry) {
	ev := f.Tools.Evidence(c.Name, f.input(c, nil))
	ev.Rule = r.Rule
	a := f.newApproval(agent.KindTool, r.Risk, r.Reason, ev)
	bindApproval(&a, c)
	a.Pattern = f.Policy.Pattern(spec, a.Args)
	changeState(e, c, agent.CallHeld, agent.CallAwaiting)
	f.addApproval(e, a)
}

// granted finds an earlier decision that covers a call. It does not outrank a
// rule that asks and is newer than the decision.
func (f *execution) granted(c agent.ToolCall, r agent.Ruling) (agent.Grant, bool) {
	since := f.askedSince(r)
	for _, g := range f.grants {
		if g.Fits(c, r.Risk) && !g.DecidedAt.Before(since) {
			return g, true
		}
	}
	return agent.Grant{}, false
}

// askedSince is when the rule was made that asks, zero where policy asks by itself.
func (f *execution) askedSince(r agent.Ruling) time.Time {
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
func (f *execution) refusedBefore(c agent.ToolCall) bool {
	for _, a := range f.approvals {
		if a.Kind != agent.KindTool || a.Decision != agent.DecideReject || a.DecidedBy == agent.System || a.ToolName != c.Name {
			continue
		}
		if a.ArgsHash == c.ArgsHash || (a.OriginalArgs != nil && fingerprint.Args(string(a.OriginalArgs), nil) == c.ArgsHash) {
			return true
		}
	}
	return false
}

// schemaHash is the fingerprint of the arguments that a tool takes.
func schemaHash(spec agent.ToolSpec) string {
	sum := sha256.Sum256(spec.Parameters)
	return hex.EncodeToString(sum[:8])
}

// changeState moves a call that has no result yet.
func changeState(e *agent.Entry, c agent.ToolCall, event agent.CallEvent, to agent.CallState) {
	from := c.State
	c.State = to
	e.Calls = append(e.Calls, agent.CallChange{From: from, Event: event, Call: c})
	told := agent.ToolCallStateEvent{ToolCallID: c.ID, State: to}
	if event == agent.CallAllowed {
		told.Rule = c.Rule
	}
	e.Events = append(e.Events, events(told)...)
}

// refuse puts a call that ended without being executed into e.
func refuse(e *agent.Entry, s settled) {
	e.Calls = append(e.Calls, s.change)
	e.Events = append(e.Events, s.events...)
}

func invalidType(err error) agent.ErrorType {
	if agent.CodeOf(err) == agent.NotFound {
		return agent.ErrNotRegistered
	}
	return agent.ErrInvalidParams
}

// settled is a call's end and the events that tell of it.
type settled struct {
	change agent.CallChange
	events []agent.Event
}

// settle ends a call with its one result.
func (f *execution) settle(c agent.ToolCall, event agent.CallEvent, to agent.CallState, kind agent.ErrorType, result string) settled {
	from := c.State
	c.State, c.ErrorType, c.Result, c.EndedAt = to, kind, result, f.now()
	spec, _ := f.spec(c.Name)
	c.ResultHash = fingerprint.Result(result, spec.Volatile)
	return settled{
		change: agent.CallChange{From: from, Event: event, Call: c},
		events: events(
			agent.ToolCallResult{ToolCallID: c.ID, Result: result, ErrorType: kind, Truncated: c.Truncated},
			agent.ToolCallStateEvent{ToolCallID: c.ID, State: to},
		),
	}
}

// validationText joins the problems of arguments into one text for the model.
func validationText(err error) string {
	var e *agent.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		return agent.MessageOf(err)
	}
	text := "The arguments do not fit the tool's schema:"
	for _, f := range e.Fields {
		text += fmt.Sprintf("\n- %s: %s", f.Field, f.Detail)
	}
	return text
}
