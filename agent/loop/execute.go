package loop

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"fusebox/agent"
)

// outputFrame is how often live output of a tool becomes an event.
const outputFrame = 100 * time.Millisecond

// executor runs scheduled calls and stores what came of them.
type executor struct {
	*rows
	tools    *callTools
	view     *toolView
	auth     *authorizer
	requests *requests
	polling  *polling
	gate     *gate
	flight   *inFlight
	parallel int // the most calls that run at the same time
	// withdraw is as in Loop.
	withdraw func(ctx context.Context, approvalID, why string) error
}

// ready returns the calls to execute now: all that change nothing at once, in
// parallel; of those with side effects only the first, in the model's order,
// and only once no sibling waits for a person, or has asked one and goes on.
func (ex *executor) ready() []agent.ToolCall {
	var readOnly []agent.ToolCall
	var first *agent.ToolCall
	for _, c := range ex.calls.open() {
		if c.State != agent.CallScheduled || ex.polling.sleeps(c) {
			continue
		}
		if ex.tools.readOnly(c) {
			readOnly = append(readOnly, c)
		} else if first == nil {
			first = &c
		}
	}
	if len(readOnly) > 0 || first == nil || ex.calls.any(agent.CallAwaiting) || ex.calls.any(agent.CallUncertain) || ex.calls.any(agent.CallExecuting) {
		return readOnly
	}
	return []agent.ToolCall{*first}
}

// effects are what an executed call asks of its run.
type effects struct {
	terminate *agent.Terminate
	emit      *agent.Emission
	found     []string
	// same says that a waiting call brought nothing new.
	same bool
}

// execute runs calls in parallel, at most parallel at a time, and
// returns when all of them have a result, or wait for another.
func (ex *executor) execute(ctx context.Context, calls []agent.ToolCall) error {
	claimed, err := ex.claimFirst(ctx, calls)
	if err != nil {
		return err
	}
	slots := make(chan struct{}, max(ex.parallel, 1))
	errs := make([]error, len(calls))
	done := make([]effects, len(calls))
	var last agent.Change // of the call that ends last
	var left atomic.Int64
	left.Store(int64(len(calls)))
	run := func(i int) {
		defer func() { <-slots }()
		var e agent.Change
		done[i], e, errs[i] = ex.executeCall(ctx, calls[i], i < claimed)
		if left.Add(-1) == 0 {
			last = e
		} else if errs[i] == nil && !e.Empty() {
			errs[i] = ex.commit(e)
		}
	}
	var wg sync.WaitGroup
	for i := range len(calls) - 1 {
		slots <- struct{}{}
		wg.Go(func() { run(i) })
	}
	slots <- struct{}{}
	run(len(calls) - 1) // mostly the only one
	wg.Wait()
	ex.stage(last)
	if err := errors.Join(errs...); err != nil || ended(ctx) {
		return err
	}
	ex.takeEffect(calls, done)
	return nil
}

// claimFirst claims the calls that start at once in one change, where they were decided
// on in this very moment, and returns how many. What it does not claim, executeCall
// looks at once more. The claims of pure calls are stored with their results.
func (ex *executor) claimFirst(ctx context.Context, calls []agent.ToolCall) (int, error) {
	if !ex.gate.takeCurrent() || ended(ctx) {
		return 0, ex.auth.refresh()
	}
	n := min(len(calls), max(ex.parallel, 1))
	var e agent.Change
	for i := range n {
		calls[i] = ex.addClaim(&e, calls[i])
	}
	if n == len(calls) && !slices.ContainsFunc(calls, ex.hasEffects) {
		ex.stage(e)
		return n, nil
	}
	err := ex.commit(e)
	if errors.Is(err, agent.ErrRevoked) {
		for i := range n {
			calls[i] = ex.calls.list[ex.calls.index(calls[i].ID)]
		}
		return 0, ex.auth.refresh()
	}
	return n, err
}

// hasEffects reports whether a call must be known to have begun: it does more than
// compute, or somebody may withdraw its permission.
func (ex *executor) hasEffects(c agent.ToolCall) bool {
	return !ex.tools.pure(c) || c.Authority.Revocable()
}

// takeEffect brings the run up to date with what its calls ask for.
func (ex *executor) takeEffect(calls []agent.ToolCall, done []effects) {
	r := ex.with(agent.StatusRunning)
	e := agent.Change{Run: r}
	same := make([]bool, len(done))
	changed := false
	for i, d := range done {
		same[i] = d.same
		if len(d.found) > 0 {
			ex.view.load(&e, d.found)
			changed = true
		}
		if d.terminate != nil {
			r.State.Terminate, changed = d.terminate, true
		}
		if d.emit != nil {
			r.State.Values = maps.Clone(r.State.Values)
			if r.State.Values == nil {
				r.State.Values = map[string]json.RawMessage{}
			}
			r.State.Values[d.emit.Name], changed = d.emit.Value, true
		}
	}
	if ex.polling.update(r, calls, same) || changed {
		ex.stage(e)
	}
}

// executeCall claims a call that is not claimed yet, runs it, and returns its effects
// and the change that stores its result. The claim is committed before the tool is
// touched: a call that a crash leaves in executing may have happened.
func (ex *executor) executeCall(ctx context.Context, c agent.ToolCall, claimed bool) (effects, agent.Change, error) {
	if claimed {
		return ex.perform(ctx, c)
	}
	if ended(ctx) {
		return effects{}, agent.Change{}, nil // move sees the cause
	}
	if d := ex.auth.authorize(c); d.outcome != allowed {
		return effects{}, ex.route(c, d), nil
	}
	var e agent.Change
	claim := ex.addClaim(&e, c)
	err := ex.commit(e)
	if errors.Is(err, agent.ErrRevoked) {
		return effects{}, ex.route(c, ex.auth.revoked(c)), nil
	}
	if err != nil {
		return effects{}, agent.Change{}, err
	}
	return ex.perform(ctx, claim)
}

// route is what was decided about a call that is not executed.
func (ex *executor) route(c agent.ToolCall, d decision) (e agent.Change) {
	ex.gate.route(c, d, &e)
	return e
}

// addClaim marks a call as executing.
func (ex *executor) addClaim(e *agent.Change, c agent.ToolCall) agent.ToolCall {
	c.State, c.StartedAt = agent.CallExecuting, ex.now()
	c.Attempt++
	e.Calls = append(e.Calls, agent.CallChange{From: agent.CallScheduled, Event: agent.CallClaimed, Call: c, Effects: !ex.tools.readOnly(c)})
	e.Events = append(e.Events, events(agent.ToolCallStateEvent{ToolCallID: c.ID, State: agent.CallExecuting})...)
	if c.Authority.Revocable() {
		e.Audit = append(e.Audit, ex.auditRow("call.execute", c.RunID+"/"+c.ID, "", map[string]any{
			"tool": c.Name, "argsHash": c.ArgsHash, "rule": c.Authority, "attempt": c.Attempt, "conversation": c.ConversationID,
		}))
	}
	return c
}

// perform runs a claimed call and returns its effects and the change that stores its result.
func (ex *executor) perform(ctx context.Context, c agent.ToolCall) (effects, agent.Change, error) {
	if spec, _ := ex.tools.Lookup(c.Name); spec.MayAsk {
		return ex.performLive(ctx, c)
	}
	out := ex.coalescer(outputFrame)
	in := toolInput(c)
	in.UserID = ex.conv.OwnerID
	in.Progress = func(chunk string) {
		// A write that failed comes out of close.
		_ = out.push(agent.ToolResultDelta{ToolCallID: c.ID, Delta: chunk})
	}
	in.Tools = ex.view.permitted
	in.Started = func(process string) error { return ex.startedProcess(c, process) }
	own, end := ex.flight.begin(ctx, c)
	defer end()
	res := ex.tools.Execute(own, c.Name, in)
	rest, err := out.close()
	shown := agent.Change{Events: events(rest...)}
	if err != nil {
		return effects{}, agent.Change{}, err
	}
	return ex.settle(ctx, own, c, res, shown)
}

// startedProcess stores which program a call has started. It is found there by whoever finds the
// call cut off; that this process still has the run is checked as well.
func (ex *executor) startedProcess(c agent.ToolCall, process string) error {
	c.Process = process
	return ex.commit(agent.Change{Calls: []agent.CallChange{{From: agent.CallExecuting, Event: agent.CallStarted, Call: c}}})
}

// ended reports whether the run's context is over; the cause is move's business.
func ended(ctx context.Context) bool { return ctx.Err() != nil }

func toolInput(c agent.ToolCall) agent.ToolInput {
	return agent.ToolInput{
		RunID: c.RunID, ConversationID: c.ConversationID, CallID: c.ID,
		IdempotencyKey: c.IdempotencyKey(), Args: json.RawMessage(c.Args), Process: c.Process,
	}
}
