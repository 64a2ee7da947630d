package loop

import (
	"slices"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// gate decides what becomes of the calls of an answer, before they are
// scheduled and once more before they are executed.
type gate struct {
	*rows
	breakers  *breakers
	auth      *authorizer
	requests  *requests
	polling   *polling
	reminders *reminders
	// current says that the scheduled calls were decided on in this very moment.
	current bool
}

// classify decides of every call of the newest answer whether it may run, must
// ask, or is refused. All of it is one entry, unless a breaker ends the run.
func (g *gate) classify() (*ending, error) {
	if err := g.auth.refresh(); err != nil {
		return nil, err
	}
	e := agent.Change{Run: g.with(agent.StatusRunning)}
	g.reminders.begin()
	for _, c := range g.calls.open() {
		if c.State != agent.CallValidating {
			continue
		}
		change, stop := g.classifyCall(c, e)
		if stop != nil {
			return stop, nil
		}
		e = e.Then(change)
	}
	g.stage(e)
	g.current = true
	return nil, nil
}

// classifyCall is what becomes of one call, after what e does with those before it. A
// breaker's verdict ends the run instead. Guards also judge calls that cannot run: a wrong
// call made over and over is a loop too.
func (g *gate) classifyCall(c agent.ToolCall, e agent.Change) (agent.Change, *ending) {
	args, invalid := g.tools.Validate(c.Name, c.Args)
	if spec, known := g.tools.Lookup(c.Name); known {
		c.SchemaHash = schemaHash(spec)
	}
	if invalid == nil && string(args) != c.Args {
		c.Args = string(args)
		c.ArgsHash = fingerprint.Args(c.Args, nil)
		g.calls.list[g.calls.index(c.ID)] = c // the guards judge what would run
	}
	if g.run.State.Workflow != nil { // its definition bounds what it does, and equal steps are steps
		return g.route(c, g.auth.authorize(c), e), nil
	}
	twin := g.calls.twin(c, e, g.tools.readOnly)
	if twin != nil && g.blockedInAnswer(c, e) {
		return g.refuseTwin(c), nil
	}
	a := g.breakers.assess(&c, e.Run)
	judged := agent.Change{Verdicts: g.breakers.trace(a, &c)}
	switch a.Worst.Level {
	case agent.Stop:
		return agent.Change{}, g.breakers.tripped(a, &c)
	case agent.Pause:
		if twin != nil && twin.State == agent.CallAwaiting { // one card for both
			judged.Events = events(guardEvent(a.Worst, g.breakers.evidence(a.Worst, a.Others)))
			return judged.Then(g.refuseTwin(c)), nil
		}
		return judged.Then(g.block(c, a, e)), nil
	case agent.Warn:
		g.reminders.about(e.Run, a.Worst, c.Name)
		judged.Events = events(guardEvent(a.Worst, g.breakers.evidence(a.Worst, a.Others)))
	case agent.Pass:
		if a.Continuing.Level > agent.Pass {
			g.reminders.about(e.Run, a.Continuing, c.Name)
		}
	}
	if twin != nil {
		c.Authority = agent.Authority{Kind: agent.AuthorityTwin, ID: twin.ID}
		return judged.Then(changeState(c, agent.CallAllowed, agent.CallScheduled)), nil
	}
	return judged.Then(g.route(c, g.auth.authorize(c), e)), nil
}

// blockedInAnswer reports whether a breaker has stopped an equal call of the same answer.
func (g *gate) blockedInAnswer(c agent.ToolCall, e agent.Change) bool {
	return slices.ContainsFunc(e.Calls, func(d agent.CallChange) bool {
		return d.Call.Blocked && d.Call.Name == c.Name && d.Call.ArgsHash == c.ArgsHash
	})
}

// refuseTwin ends a call that would be one too many, and about which nobody has to decide:
// an equal call of the same answer waits for that. It does not count beside that one.
func (g *gate) refuseTwin(c agent.ToolCall) agent.Change {
	c.Blocked = true
	c.Authority = agent.Authority{Kind: agent.AuthorityTwin}
	return g.tools.finish(c, agent.CallRefused, agent.CallError, agent.ErrRejected, "The same call is already in this answer, so this one was not executed.")
}

// block stops a call before it is executed and puts the streak before a person.
func (g *gate) block(c agent.ToolCall, verdicts agent.Assessment, e agent.Change) agent.Change {
	v := verdicts.Worst
	ev := g.breakers.evidence(v, verdicts.Others)
	ev.Files = g.requests.evidence(c, agent.Authority{}, e).Files
	a := g.requests.aboutLoop(v, ev, &c)
	c.Blocked, c.Authority = true, agent.Authority{Kind: agent.AuthorityGuard, ID: v.Detector}
	told := agent.Change{Events: events(guardEvent(v, ev))}
	return told.Then(changeState(c, agent.CallHeld, agent.CallAwaiting)).Then(g.requests.open("", a))
}

// route does what was decided about a call, after what e does: the first time, and right
// before it is executed. A scheduled call that may run needs nothing more.
func (g *gate) route(c agent.ToolCall, d decision, e agent.Change) agent.Change {
	first := c.State == agent.CallValidating
	if first {
		c.Authority = d.verdict.Rule
	}
	switch {
	case d.outcome == refused:
		var loaded agent.Change
		if d.loads {
			loaded.Events = g.auth.view.load(e.Run, []string{c.Name})
		}
		return loaded.Then(g.tools.finish(c, agent.CallRefused, agent.CallError, d.errorType, d.text))
	case d.outcome == asksItself:
		return g.requests.askQuestion(c)
	case d.outcome == asks && first:
		return g.requests.askAbout(c, d.verdict, e)
	case d.outcome == asks:
		return g.requests.reopen(c, d.verdict, e)
	case first:
		c.Authority = d.by
		g.polling.resume(e.Run, c)
		return changeState(c, agent.CallAllowed, agent.CallScheduled)
	default:
		return agent.Change{}
	}
}
