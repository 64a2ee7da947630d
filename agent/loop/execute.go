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

// ready returns the calls to execute now: all that change nothing at once, in
// parallel; of those with side effects only the first, in the model's order,
// and only once no sibling waits for a person.
func (f *execution) ready() []agent.ToolCall {
	var harmless []agent.ToolCall
	var first *agent.ToolCall
	for i, c := range f.calls {
		if c.State != agent.CallScheduled || f.sleeps(c) {
			continue
		}
		if f.harmless(c) {
			harmless = append(harmless, c)
		} else if first == nil {
			first = &f.calls[i]
		}
	}
	if len(harmless) > 0 || first == nil || f.anyCall(agent.CallAwaiting) || f.anyCall(agent.CallUncertain) {
		return harmless
	}
	return []agent.ToolCall{*first}
}

func (f *execution) harmless(c agent.ToolCall) bool {
	spec, ok := f.Tools.Lookup(c.Name)
	return ok && (spec.Effect == agent.EffectRead || (spec.Effect == agent.EffectNetwork && spec.Idempotent))
}

// effects are what an executed call asks of its run.
type effects struct {
	terminate *agent.Terminate
	emit      *agent.Emission
	// same says that a waiting call brought nothing new.
	same bool
}

// execute runs calls in parallel, at most Settings.Parallel at a time, and
// returns when all of them have a result, or wait for another.
func (f *execution) execute(ctx context.Context, calls []agent.ToolCall) error {
	if err := f.refreshRules(); err != nil {
		return err
	}
	slots := make(chan struct{}, max(f.Settings.Parallel, 1))
	errs := make([]error, len(calls))
	done := make([]effects, len(calls))
	var wg sync.WaitGroup
	for i, c := range calls {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			done[i], errs[i] = f.executeCall(ctx, c)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil || ended(ctx) {
		return err
	}
	return f.takeEffect(calls, done)
}

// takeEffect brings the run up to date with what its calls ask for.
func (f *execution) takeEffect(calls []agent.ToolCall, done []effects) error {
	r := f.with(agent.StatusRunning)
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
	if f.waited(r, calls, same) || changed {
		return f.commit(agent.Entry{Run: r})
	}
	return nil
}

// executeCall claims a call, runs it and stores its result. The claim is
// committed before the tool is touched: whoever finds the call in executing
// after a crash knows that it may have happened.
func (f *execution) executeCall(ctx context.Context, c agent.ToolCall) (effects, error) {
	if ended(ctx) {
		return effects{}, nil // move sees the cause
	}
	if e, ok := f.recheck(c); !ok {
		return effects{}, f.commit(e)
	}
	claimed, err := f.claim(c)
	if errors.Is(err, agent.ErrRevoked) {
		return effects{}, f.commit(f.askAnew(c, "What let this call run was taken back before it was executed."))
	}
	if err != nil {
		return effects{}, err
	}
	return f.perform(ctx, claimed)
}

// claim marks a call as executing.
func (f *execution) claim(c agent.ToolCall) (agent.ToolCall, error) {
	basis := basisOf(c)
	c.State, c.StartedAt = agent.CallExecuting, f.now()
	c.Attempt++
	e := agent.Entry{
		Calls:  []agent.CallChange{{From: agent.CallScheduled, Event: agent.CallClaimed, Call: c, Basis: basis}},
		Events: events(agent.ToolCallStateEvent{ToolCallID: c.ID, State: agent.CallExecuting}),
	}
	if basis != (agent.Basis{}) {
		e.Audit = []agent.AuditRow{f.auditRow("call.execute", c.RunID+"/"+c.ID, "", map[string]any{
			"tool": c.Name, "argsHash": c.ArgsHash, "rule": c.Rule, "attempt": c.Attempt, "conversation": c.ConversationID,
		})}
	}
	return c, f.commit(e)
}

// perform runs a claimed call and stores what came of it.
func (f *execution) perform(ctx context.Context, c agent.ToolCall) (effects, error) {
	out := newCoalescer(f.Clock, outputFrame, func(data []agent.EventData) error {
		return f.commit(agent.Entry{Events: events(data...)})
	})
	res := f.Tools.Execute(ctx, c.Name, f.input(c, func(chunk string) {
		// A write that failed comes out of close.
		_ = out.push(agent.ToolResultDelta{ToolCallID: c.ID, Delta: chunk})
	}))
	if err := out.close(); err != nil {
		return effects{}, err
	}
	if f.stillSame(c, res) {
		var e agent.Entry
		changeState(&e, c, agent.CallUnchanged, agent.CallScheduled)
		return effects{same: true}, f.commit(e)
	}
	if res.Emit != nil {
		res = f.checkEmission(res)
	}
	return effects{terminate: res.Terminate, emit: res.Emit}, f.storeResult(ctx, c, res)
}

// ended reports whether the run's context is over; the cause is move's business.
func ended(ctx context.Context) bool { return ctx.Err() != nil }

// storeResult ends the call. When the process lets go of the run, the call
// stays in executing: resume decides by its effect what to do.
func (f *execution) storeResult(ctx context.Context, c agent.ToolCall, res agent.ToolResult) error {
	if res.ErrorType == agent.ErrCancelled && letsGo(context.Cause(ctx)) {
		return nil
	}
	c.Truncated = res.Truncated
	if res.LeavesDoubt() && !f.repeatable(c) {
		var e agent.Entry
		f.lose(c, res.Content, fmt.Sprintf("%s did not end in time. Nobody can know how much of it happened.", c.Name), &e)
		return f.commit(e)
	}
	s := f.settle(c, agent.CallReturned, endState(res), res.ErrorType, res.Content)
	return f.commit(agent.Entry{Calls: []agent.CallChange{s.change}, Events: s.events})
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

// letsGo reports whether a context ended without an end for its run.
func letsGo(cause error) bool {
	var abort *AbortCause
	return cause != nil && !errors.As(cause, &abort) && !errors.Is(cause, errTimeUp)
}

func (f *execution) input(c agent.ToolCall, progress func(string)) agent.ToolInput {
	return agent.ToolInput{
		RunID: c.RunID, ConversationID: c.ConversationID, CallID: c.ID,
		IdempotencyKey: c.IdempotencyKey(), Args: json.RawMessage(c.Args), Progress: progress,
	}
}

// answerCalls puts the results of the newest answer's calls into the history,
// one each, in the order the model asked.
func (f *execution) answerCalls() error {
	e := agent.Entry{Run: f.with(agent.StatusRunning)}
	f.addResults(&e, f.calls)
	return f.commit(e)
}

// addResults appends the tool messages of the newest answer to e. calls are
// the run's calls as they will stand once e is committed.
func (f *execution) addResults(e *agent.Entry, calls []agent.ToolCall) {
	asked := f.last()
	parent := asked.ID
	for _, c := range calls {
		if c.MessageID != asked.ID {
			continue
		}
		m := agent.Message{
			ID: f.NewID(), ConversationID: f.conv.ID, ParentID: parent, Role: agent.FromTool,
			Content: resultText(c), ToolCallID: c.ID, RunID: f.run.ID, CreatedAt: f.now(),
		}
		parent = m.ID
		e.Messages = append(e.Messages, m)
		e.Events = append(e.Events, events(agent.MessageEvent{Message: m})...)
		e.Run.State.ToolReturns++
	}
}

// resultText is what the model reads of a result.
func resultText(c agent.ToolCall) string {
	if c.ErrorType == "" {
		return c.Result
	}
	return "Error (" + string(c.ErrorType) + "): " + c.Result
}
