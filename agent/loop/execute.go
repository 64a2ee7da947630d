package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"fusebox/agent"
)

// outputFrame is how often live output of a tool becomes an event.
const outputFrame = 100 * time.Millisecond

// executor runs scheduled calls and stores what came of them.
type executor struct {
	*rows
	tools    *callTools
	auth     *authorizer
	requests *requests
	polling  *polling
	gate     *gate
	parallel int // the most calls that run at the same time
}

// ready returns the calls to execute now: all that change nothing at once, in
// parallel; of those with side effects only the first, in the model's order,
// and only once no sibling waits for a person.
func (ex *executor) ready() []agent.ToolCall {
	var readOnly []agent.ToolCall
	var first *agent.ToolCall
	for i, c := range ex.calls.list {
		if c.State != agent.CallScheduled || ex.polling.sleeps(c) {
			continue
		}
		if ex.tools.readOnly(c) {
			readOnly = append(readOnly, c)
		} else if first == nil {
			first = &ex.calls.list[i]
		}
	}
	if len(readOnly) > 0 || first == nil || ex.calls.any(agent.CallAwaiting) || ex.calls.any(agent.CallUncertain) {
		return readOnly
	}
	return []agent.ToolCall{*first}
}

// effects are what an executed call asks of its run.
type effects struct {
	terminate *agent.Terminate
	emit      *agent.Emission
	// same says that a waiting call brought nothing new.
	same bool
}

// execute runs calls in parallel, at most parallel at a time, and
// returns when all of them have a result, or wait for another.
func (ex *executor) execute(ctx context.Context, calls []agent.ToolCall) error {
	if err := ex.auth.refresh(); err != nil {
		return err
	}
	slots := make(chan struct{}, max(ex.parallel, 1))
	errs := make([]error, len(calls))
	done := make([]effects, len(calls))
	var wg sync.WaitGroup
	for i, c := range calls {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			done[i], errs[i] = ex.executeCall(ctx, c)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil || ended(ctx) {
		return err
	}
	return ex.takeEffect(calls, done)
}

// takeEffect brings the run up to date with what its calls ask for.
func (ex *executor) takeEffect(calls []agent.ToolCall, done []effects) error {
	r := ex.with(agent.StatusRunning)
	same := make([]bool, len(done))
	changed := false
	for i, d := range done {
		same[i] = d.same
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
		return ex.commit(agent.Change{Run: r})
	}
	return nil
}

// executeCall claims a call, runs it and stores its result. The claim is
// committed before the tool is touched: whoever finds the call in executing
// after a crash knows that it may have happened.
func (ex *executor) executeCall(ctx context.Context, c agent.ToolCall) (effects, error) {
	if ended(ctx) {
		return effects{}, nil // move sees the cause
	}
	if d := ex.auth.authorize(c); d.outcome != allowed {
		return effects{}, ex.route(c, d)
	}
	claimed, err := ex.claim(c)
	if errors.Is(err, agent.ErrRevoked) {
		return effects{}, ex.route(c, ex.auth.revoked(c))
	}
	if err != nil {
		return effects{}, err
	}
	return ex.perform(ctx, claimed)
}

// route does what was decided about a call that is not executed.
func (ex *executor) route(c agent.ToolCall, d decision) error {
	var e agent.Change
	ex.gate.route(c, d, &e)
	return ex.commit(e)
}

// claim marks a call as executing.
func (ex *executor) claim(c agent.ToolCall) (agent.ToolCall, error) {
	c.State, c.StartedAt = agent.CallExecuting, ex.now()
	c.Attempt++
	e := agent.Change{
		Calls:  []agent.CallChange{{From: agent.CallScheduled, Event: agent.CallClaimed, Call: c}},
		Events: events(agent.ToolCallStateEvent{ToolCallID: c.ID, State: agent.CallExecuting}),
	}
	if c.Authority.Revocable() {
		e.Audit = []agent.AuditRow{ex.auditRow("call.execute", c.RunID+"/"+c.ID, "", map[string]any{
			"tool": c.Name, "argsHash": c.ArgsHash, "rule": c.Authority, "attempt": c.Attempt, "conversation": c.ConversationID,
		})}
	}
	return c, ex.commit(e)
}

// perform runs a claimed call and stores what came of it.
func (ex *executor) perform(ctx context.Context, c agent.ToolCall) (effects, error) {
	out := ex.coalescer(outputFrame)
	res := ex.tools.Execute(ctx, c.Name, toolInput(c, func(chunk string) {
		// A write that failed comes out of close.
		_ = out.push(agent.ToolResultDelta{ToolCallID: c.ID, Delta: chunk})
	}))
	if err := out.close(); err != nil {
		return effects{}, err
	}
	if ex.polling.unchanged(c, res) {
		var e agent.Change
		changeState(&e, c, agent.CallUnchanged, agent.CallScheduled)
		return effects{same: true}, ex.commit(e)
	}
	if res.Emit != nil {
		res = ex.checkEmission(res)
	}
	return effects{terminate: res.Terminate, emit: res.Emit}, ex.storeResult(ctx, c, res)
}

// ended reports whether the run's context is over; the cause is move's business.
func ended(ctx context.Context) bool { return ctx.Err() != nil }

// storeResult ends the call. When the process lets go of the run, the call
// stays in executing: resume decides by its effect what to do.
func (ex *executor) storeResult(ctx context.Context, c agent.ToolCall, res agent.ToolResult) error {
	if res.ErrorType == agent.ErrCancelled && leavesRun(context.Cause(ctx)) {
		return nil
	}
	c.Truncated = res.Truncated
	if res.LeavesDoubt() && !ex.tools.repeatable(c) {
		var e agent.Change
		ex.requests.markUncertain(c, res.Content, fmt.Sprintf("%s did not finish in time. It is unknown how much of it happened.", c.Name), &e)
		return ex.commit(e)
	}
	s := ex.tools.finish(c, agent.CallReturned, endState(res), res.ErrorType, res.Content)
	return ex.commit(agent.Change{Calls: []agent.CallChange{s.change}, Events: s.events})
}

// endState is the state of a call with a result.
func endState(res agent.ToolResult) agent.CallState {
	switch res.ErrorType {
	case "":
		return agent.CallSuccess
	case agent.ErrCancelled:
		return agent.CallCancelled
	default:
		return agent.CallError
	}
}

// leavesRun reports whether a context ended without an end for its run.
func leavesRun(cause error) bool {
	var abort *AbortCause
	return cause != nil && !errors.As(cause, &abort) && !errors.Is(cause, errTimeUp)
}

func toolInput(c agent.ToolCall, progress func(string)) agent.ToolInput {
	return agent.ToolInput{
		RunID: c.RunID, ConversationID: c.ConversationID, CallID: c.ID,
		IdempotencyKey: c.IdempotencyKey(), Args: json.RawMessage(c.Args), Progress: progress,
	}
}

// outcomeTimeout bounds the question to a tool what became of a call.
const outcomeTimeout = 10 * time.Second

// recoverCall decides about a call that was being executed when its process
// died. Reading again, or repeating what is idempotent, changes nothing, and some
// tools know what became of a call; for anything else it is unknown whether
// it happened, so a person is asked.
func (ex *executor) recoverCall(c agent.ToolCall, e *agent.Change) {
	if ex.tools.repeatable(c) {
		changeState(e, c, agent.CallRepeated, agent.CallScheduled)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), outcomeTimeout)
	defer cancel()
	if res, known := ex.tools.Outcome(ctx, c.Name, toolInput(c, nil)); known {
		c.Truncated = res.Truncated
		addFinished(e, ex.tools.finish(c, agent.CallReturned, endState(res), res.ErrorType, res.Content))
		return
	}
	ex.requests.markUncertain(c, "", fmt.Sprintf("The server stopped while %s was running. It is unknown whether it happened.", c.Name), e)
}
