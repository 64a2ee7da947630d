package loop

import (
	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// gate decides what becomes of the calls of an answer, before they are
// scheduled and once more before they are executed.
type gate struct {
	*rows
	tools     *callTools
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
		stop, err := g.classifyCall(c, &e)
		if stop != nil || err != nil {
			return stop, err
		}
	}
	g.stage(e)
	g.current = true
	return nil, nil
}

// takeCurrent reports, once, whether the scheduled calls need no second look.
func (g *gate) takeCurrent() bool {
	was := g.current
	g.current = false
	return was
}

// classifyCall adds to e what becomes of one call. A breaker's verdict ends the
// run instead. Guards also judge calls that cannot run: a wrong call made over
// and over is a loop too.
func (g *gate) classifyCall(c agent.ToolCall, e *agent.Change) (*ending, error) {
	args, invalid := g.tools.Validate(c.Name, c.Args)
	if spec, known := g.tools.Lookup(c.Name); known {
		c.SchemaHash = schemaHash(spec)
	}
	if invalid == nil && string(args) != c.Args {
		c.Args = string(args)
		c.ArgsHash = fingerprint.Args(c.Args, nil)
		g.calls.list[g.calls.index(c.ID)] = c // the guards judge what would run
	}
	if duplicate, blocked := g.calls.duplicateInAnswer(c, e); duplicate {
		if blocked {
			addFinished(e, g.tools.finish(c, agent.CallRefused, agent.CallError, agent.ErrRejected, "The same call is already in this answer, so this one was not executed."))
			return nil, nil
		}
		g.route(c, g.auth.authorize(c), e)
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
		g.reminders.about(e.Run, a.Worst, c.Name)
		e.Events = append(e.Events, events(guardEvent(a.Worst, g.calls.evidence(a.Worst, a.Others)))...)
	case agent.Pass:
		if a.Continuing.Level > agent.Pass {
			g.reminders.about(e.Run, a.Continuing, c.Name)
		}
	case agent.Stop:
	}
	g.route(c, g.auth.authorize(c), e)
	return nil, nil
}

// block stops a call before it is executed and puts the streak before a person.
func (g *gate) block(c agent.ToolCall, verdicts agent.Assessment, e *agent.Change) {
	v := verdicts.Worst
	ev := g.calls.evidence(v, verdicts.Others)
	ev.Files = g.requests.evidence(c, agent.Authority{}, e).Files
	a := g.requests.aboutLoop(v, ev, &c)
	c.Blocked, c.Authority = true, agent.Authority{Kind: agent.AuthorityGuard, ID: v.Detector}
	e.Events = append(e.Events, events(guardEvent(v, ev))...)
	changeState(e, c, agent.CallHeld, agent.CallAwaiting)
	g.requests.add(e, a)
}

// route does what was decided about a call: the first time, and right before it is
// executed. A scheduled call that may run needs nothing more.
func (g *gate) route(c agent.ToolCall, d decision, e *agent.Change) {
	first := c.State == agent.CallValidating
	if first {
		c.Authority = d.verdict.Rule
	}
	switch {
	case d.outcome == refused:
		if d.loads {
			g.auth.view.load(e, []string{c.Name})
		}
		addFinished(e, g.tools.finish(c, agent.CallRefused, agent.CallError, d.errorType, d.text))
	case d.outcome == asksItself:
		g.requests.askQuestion(c, e)
	case d.outcome == asks && first:
		g.requests.askAbout(c, d.verdict, e)
	case d.outcome == asks:
		g.requests.reopen(c, d.verdict, e)
	case first:
		c.Authority = d.by
		g.polling.resume(e.Run, c)
		changeState(e, c, agent.CallAllowed, agent.CallScheduled)
	}
}
