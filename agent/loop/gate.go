package loop

import (
	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// gate decides what becomes of the calls of an answer, before they are
// scheduled and once more before they are executed.
type gate struct {
	*rows
	tools    *callTools
	breakers *breakers
	auth     *authorizer
	requests *requests
	polling  *polling
	reminder func(v agent.Verdict, tool string) string
}

// classify decides of every call of the newest answer whether it may run, must
// ask, or is refused. All of it is one entry, unless a breaker ends the run.
func (g *gate) classify() (*ending, error) {
	if err := g.auth.refresh(); err != nil {
		return nil, err
	}
	e := agent.Entry{Run: g.with(agent.StatusRunning)}
	for i := range g.calls.list {
		if g.calls.list[i].State != agent.CallValidating {
			continue
		}
		stop, err := g.classifyCall(g.calls.list[i], &e)
		if stop != nil || err != nil {
			return stop, err
		}
	}
	return nil, g.commit(e)
}

// classifyCall adds to e what becomes of one call. A breaker's verdict ends the
// run instead. Guards judge also calls that cannot run: a wrong call made again
// and again is a loop too.
func (g *gate) classifyCall(c agent.ToolCall, e *agent.Entry) (*ending, error) {
	args, invalid := g.tools.Validate(c.Name, c.Args)
	if spec, known := g.tools.Lookup(c.Name); known {
		c.SchemaHash = schemaHash(spec)
	}
	if invalid == nil && string(args) != c.Args {
		c.Args = string(args)
		c.ArgsHash = fingerprint.Args(c.Args, nil)
		g.calls.list[g.calls.index(c.ID)] = c // the guards judge what would run
	}
	if twin, blocked := g.calls.duplicateInAnswer(c, e); twin {
		if blocked {
			refuse(e, g.tools.finish(c, agent.CallRefused, agent.CallError, agent.ErrRejected, "The same call stands in this answer already and is held back."))
			return nil, nil
		}
		g.route(c, invalid, e)
		return nil, nil
	}
	a := g.breakers.assess(&c, e.Run)
	if a.Worst.Level == agent.Stop {
		return g.breakers.tripped(a, &c), nil
	}
	g.breakers.note(e, a, &c)
	switch a.Worst.Level {
	case agent.Pause:
		g.block(c, a, e)
		return nil, nil
	case agent.Warn:
		remind(e.Run, g.reminder(a.Worst, c.Name))
		e.Events = append(e.Events, events(guardEvent(a.Worst, g.calls.evidence(a.Worst, a.Others)))...)
	}
	g.route(c, invalid, e)
	return nil, nil
}

// route refuses a call that cannot run, and asks policy about all others.
func (g *gate) route(c agent.ToolCall, invalid error, e *agent.Entry) {
	if invalid != nil {
		refuse(e, g.tools.finish(c, agent.CallRefused, agent.CallError, invalidType(invalid), validationText(invalid)))
		return
	}
	g.consult(c, e)
}

// block stops a call before it is executed and puts the streak before a person.
func (g *gate) block(c agent.ToolCall, verdicts agent.Assessment, e *agent.Entry) {
	v := verdicts.Worst
	ev := g.calls.evidence(v, verdicts.Others)
	a := g.requests.aboutLoop(v, ev, &c)
	c.Blocked, c.Rule = true, agent.Authority{Kind: agent.AuthorityGuard, ID: v.Detector}
	e.Events = append(e.Events, events(guardEvent(v, ev))...)
	changeState(e, c, agent.CallHeld, agent.CallAwaiting)
	g.requests.add(e, a)
}

// consult asks earlier decisions and policy about a call that no guard holds back.
func (g *gate) consult(c agent.ToolCall, e *agent.Entry) {
	spec, _ := g.tools.Lookup(c.Name)
	if spec.AsksPerson {
		g.requests.askQuestion(c, e)
		return
	}
	r := g.auth.verdict(spec, c)
	c.Rule = r.Rule
	switch {
	case g.approvals.refused(c):
		refuse(e, g.tools.finish(c, agent.CallRefused, agent.CallError, agent.ErrRejected,
			"A person has already refused this call with these arguments in this run. Do not try it again; find another way or ask."))
	case r.Action == agent.ActionDeny:
		refuse(e, g.tools.finish(c, agent.CallRefused, agent.CallError, agent.ErrRejected, "Not allowed here: "+r.Reason))
	case r.Action == agent.ActionAllow:
		g.schedule(c, e)
	default:
		if by, ok := g.auth.granted(c, r); ok {
			c.Rule = by.Authority()
			g.schedule(c, e)
			return
		}
		g.requests.askAbout(spec, c, r, e)
	}
}

func (g *gate) schedule(c agent.ToolCall, e *agent.Entry) {
	g.polling.resume(e.Run, c)
	changeState(e, c, agent.CallAllowed, agent.CallScheduled)
}

// recheck looks once more right before a call is dispatched: the arguments fit
// the tool, the tool and its schema are still the ones that were decided on, so
// are the arguments, and policy does not deny them now. ok is false where the call must not run; e is
// then what becomes of it. Whether the decision or rule it rests on still stands
// is checked by the claim itself, in the same transaction.
func (g *gate) recheck(c agent.ToolCall) (e agent.Entry, ok bool) {
	spec, known := g.tools.Lookup(c.Name)
	if !known {
		return g.refused(c, agent.ErrNotRegistered, "There is no tool "+c.Name+" any more."), false
	}
	if fingerprint.Args(c.Args, nil) != c.ArgsHash {
		return g.refused(c, agent.ErrRejected, "The arguments are not the ones that were decided on."), false
	}
	if _, err := g.tools.Validate(c.Name, c.Args); err != nil { // a breaker may have held back what could not run anyway
		return g.refused(c, invalidType(err), validationText(err)), false
	}
	if spec.AsksPerson { // which a breaker has held back, too
		g.requests.askQuestion(c, &e)
		return e, false
	}
	if g.auth.stillRefused(c) {
		return g.refused(c, agent.ErrRejected,
			"A person has refused this call with these arguments in this run. That the run goes on does not change it: find another way or ask."), false
	}
	if c.SchemaHash != "" && c.SchemaHash != schemaHash(spec) {
		return g.reauthorize(c, "The tool has changed since this call was decided on."), false
	}
	switch r := g.auth.verdict(spec, c); {
	case r.Action == agent.ActionDeny:
		return g.refused(c, agent.ErrRejected, "Not allowed here any more: "+r.Reason), false
	case r.Action == agent.ActionAsk && !g.auth.lets(c, r):
		return g.reauthorize(c, r.Reason), false // what let it pass is gone, or does not reach that far
	}
	return agent.Entry{}, true
}

// refused is the end of a scheduled call that nobody can let run.
func (g *gate) refused(c agent.ToolCall, kind agent.ErrorType, text string) agent.Entry {
	var e agent.Entry
	refuse(&e, g.tools.finish(c, agent.CallRefused, agent.CallError, kind, text))
	return e
}

// reauthorize puts a scheduled call before people again: on the card that it had,
// as its next generation, or on a new one.
func (g *gate) reauthorize(c agent.ToolCall, why string) agent.Entry {
	var e agent.Entry
	spec, _ := g.tools.Lookup(c.Name)
	r := g.auth.verdict(spec, c)
	r.Reason = why
	c.SchemaHash = schemaHash(spec)
	a, had := g.approvals.decided(c)
	if !had {
		g.requests.askAbout(spec, c, r, &e)
		return e
	}
	changeState(&e, c, agent.CallHeld, agent.CallAwaiting)
	g.requests.put(&e, a.Status, g.requests.reopened(a, c, r))
	return e
}
