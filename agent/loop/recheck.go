package loop

import (
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// basisOf reads out of a call's rule what lets it run, beyond policy's own rules.
func basisOf(c agent.ToolCall) agent.Basis {
	kind, id, _ := strings.Cut(c.Rule, ":")
	switch kind {
	case "approval":
		return agent.Basis{ApprovalID: id}
	case "scope":
		_, id, _ = strings.Cut(id, ":")
		return agent.Basis{ApprovalID: id}
	case "rule":
		return agent.Basis{RuleID: id}
	default:
		return agent.Basis{}
	}
}

// recheck looks once more right before a call is dispatched: the arguments fit
// the tool, the tool and its schema are still the ones that were decided on, so
// are the arguments, and policy does not deny them now. ok is false where the call must not run; e is
// then what becomes of it. Whether the decision or rule it rests on still stands
// is checked by the claim itself, in the same transaction.
func (f *execution) recheck(c agent.ToolCall) (e agent.Entry, ok bool) {
	spec, known := f.Tools.Lookup(c.Name)
	if !known {
		return f.refused(c, agent.ErrNotRegistered, "There is no tool "+c.Name+" any more."), false
	}
	if fingerprint.Args(c.Args, nil) != c.ArgsHash {
		return f.refused(c, agent.ErrRejected, "The arguments are not the ones that were decided on."), false
	}
	if _, err := f.Tools.Validate(c.Name, c.Args); err != nil { // a breaker may have held back what could not run anyway
		return f.refused(c, invalidType(err), validationText(err)), false
	}
	if spec.AsksPerson { // which a breaker has held back, too
		f.askQuestion(c, &e)
		return e, false
	}
	if f.stillRefused(c) {
		return f.refused(c, agent.ErrRejected,
			"A person has refused this call with these arguments in this run. That the run goes on does not change it: find another way or ask."), false
	}
	if c.SchemaHash != "" && c.SchemaHash != schemaHash(spec) {
		return f.askAnew(c, "The tool has changed since this call was decided on."), false
	}
	switch r := f.ruling(spec, c); {
	case r.Action == agent.ActionDeny:
		return f.refused(c, agent.ErrRejected, "Not allowed here any more: "+r.Reason), false
	case r.Action == agent.ActionAsk && !f.lets(c, r):
		return f.askAnew(c, r.Reason), false // what let it pass is gone, or does not reach that far
	}
	return agent.Entry{}, true
}

// lets reports whether a person lets a call run that policy asks about: by the
// decision about it, or by one that covers it.
func (f *execution) lets(c agent.ToolCall, r agent.Ruling) bool {
	if strings.HasPrefix(c.Rule, "scope:") {
		_, covered := f.granted(c, r)
		return covered
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id := basisOf(c).ApprovalID
	return slices.ContainsFunc(f.approvals, func(a agent.Approval) bool { return a.ID == id && r.Risk.AtMost(a.Risk) })
}

// refused is the end of a scheduled call that nobody can let run.
func (f *execution) refused(c agent.ToolCall, kind agent.ErrorType, text string) agent.Entry {
	var e agent.Entry
	refuse(&e, f.settle(c, agent.CallRefused, agent.CallError, kind, text))
	return e
}

// askAnew puts a scheduled call before people again: on the card that it had,
// as its next generation, or on a new one.
func (f *execution) askAnew(c agent.ToolCall, why string) agent.Entry {
	var e agent.Entry
	spec, _ := f.Tools.Lookup(c.Name)
	r := f.ruling(spec, c)
	r.Reason = why
	c.SchemaHash = schemaHash(spec)
	a, had := f.cardOf(c)
	if !had {
		f.ask(spec, c, r, &e)
		return e
	}
	changeState(&e, c, agent.CallHeld, agent.CallAwaiting)
	f.putApproval(&e, a.Status, f.cardAnew(a, c, r))
	return e
}

// cardAnew is a call's card asked again: with the arguments that the call has by
// now, and with what these are found to be.
func (f *execution) cardAnew(a agent.Approval, c agent.ToolCall, r agent.Ruling) agent.Approval {
	next := a.Reopened(f.now(), f.Settings.ApprovalTimeout)
	if c.ArgsHash != a.ArgsHash { // who decided had edited them
		if next.OriginalArgs == nil {
			next.OriginalArgs = a.Args
		}
		next.Args, next.ArgsHash, next.Author, next.Pattern = agent.RawArgs(c.Args), c.ArgsHash, a.DecidedBy, nil
	}
	if !r.Risk.AtMost(next.Risk) {
		next.Risk = r.Risk
	}
	next.Message, next.Needs = r.Reason, agent.NeededVotes(next.Risk, f.deciders)
	ev := f.Tools.Evidence(c.Name, f.input(c, nil))
	ev.Rule = r.Rule
	next.Evidence = agent.MustJSON(ev)
	return next
}

// cardOf is the decided card of exactly this call.
func (f *execution) cardOf(c agent.ToolCall) (agent.Approval, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := basisOf(c).ApprovalID
	for _, a := range f.approvals {
		if a.ID == id && a.ToolCallID == c.ID && a.Kind == agent.KindTool && a.Status == agent.ApprovalDecided {
			return a, true
		}
	}
	return agent.Approval{}, false
}

// stillRefused reports whether a call that a breaker held back, and that may go
// on, is one that a person refused before: who lets the run go on does not decide
// that anew.
func (f *execution) stillRefused(c agent.ToolCall) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := basisOf(c).ApprovalID
	held := slices.ContainsFunc(f.approvals, func(a agent.Approval) bool { return a.ID == id && a.Kind == agent.KindLoop })
	return held && f.refusedBefore(c)
}

// repeatable reports whether running a call twice does no harm.
func (f *execution) repeatable(c agent.ToolCall) bool {
	spec, known := f.Tools.Lookup(c.Name)
	return known && (spec.Effect == agent.EffectRead || spec.Idempotent)
}
