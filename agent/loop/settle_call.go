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

// settle is the change that a performed call makes: what it has shown, its result, and
// what it asks of its run.
func (ex *executor) settle(ctx context.Context, o performed) agent.Change {
	e := agent.Change{Events: events(o.shown...)}
	if o.cancelledBy != "" {
		o.res.Content = "A person cancelled this call while it ran. It may have had effects. Do not try it again unless asked to.\n" + o.res.Content
		row := ex.auditRow("call.cancel", o.call.RunID+"/"+o.call.ID, "", map[string]any{"tool": o.call.Name, "argsHash": o.call.ArgsHash, "conversation": o.call.ConversationID})
		row.Actor = o.cancelledBy
		e.Audit = append(e.Audit, row)
	}
	if ex.polling.unchanged(o.call, o.res) {
		e = e.Then(changeState(o.call, agent.CallUnchanged, agent.CallScheduled))
		e.Run = ex.with(agent.StatusRunning)
		ex.polling.again(e.Run, o.call)
		return e
	}
	if o.res.Emit != nil {
		o.res = ex.checkEmission(o.res)
	}
	if len(o.res.Found) > 0 {
		o.res = ex.view.checkFound(o.res)
	}
	result := ex.resultOf(ctx, o.call, o.res)
	if result.Empty() {
		return e // it stays as it is, for the process that goes on with the run
	}
	return e.Then(result).Then(ex.asked(o.call, o.res))
}

// asked is what an executed call asks of its run: to deliver a value, to keep a plan, to
// bring tools into view, to remember a file, or to end.
func (ex *executor) asked(c agent.ToolCall, res agent.ToolResult) agent.Change {
	_, waited := ex.polling.waitOf(c.ID)
	planned := res.Plan != nil && !ex.calls.plannedBehind(c)
	if res.Terminate == nil && res.Emit == nil && res.File == nil && len(res.Found) == 0 && !planned && !waited {
		return agent.Change{}
	}
	e := agent.Change{Run: ex.with(agent.StatusRunning)}
	if waited {
		ex.polling.done(e.Run, c)
	}
	if len(res.Found) > 0 {
		e.Events = ex.view.load(e.Run, res.Found)
	}
	if planned {
		e.Run.State.Plan = e.Run.State.Plan.With(res.Plan, c.Step)
		e.Events = append(e.Events, events(agent.PlanEvent{Steps: res.Plan})...)
	}
	if res.File != nil {
		e.Run.State.Files = e.Run.State.Files.With(*res.File, c.StartedAt, ex.now())
	}
	if res.Terminate != nil {
		e.Run.State.Terminate = res.Terminate
	}
	if res.Emit != nil {
		e.Run.State.Values = maps.Clone(e.Run.State.Values)
		if e.Run.State.Values == nil {
			e.Run.State.Values = map[string]json.RawMessage{}
		}
		e.Run.State.Values[res.Emit.Name] = res.Emit.Value
	}
	return e
}

// resultOf is the change that ends the call. When the process lets go of the run,
// the call stays in executing: resume decides by its effect what to do.
func (ex *executor) resultOf(ctx context.Context, c agent.ToolCall, res agent.ToolResult) agent.Change {
	if res.ErrorType == agent.ErrCancelled && leavesRun(context.Cause(ctx)) {
		return agent.Change{}
	}
	c.Truncated, c.Images, c.Documents = res.Truncated, res.Images, res.Documents
	if res.LeavesDoubt() && !ex.tools.repeatable(c) {
		return ex.requests.markUncertain(c, res.Content, fmt.Sprintf("%s did not finish in time. It is unknown how much of it happened.", c.Name))
	}
	e := ex.tools.finish(c, agent.CallReturned, endState(res), res.ErrorType, res.Content)
	e.Calls[0].Effects = !ex.tools.readOnly(c)
	return e
}

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

// callCancel is the cause with which a person cancels one call; its run continues.
type callCancel struct{ by string }

func (c *callCancel) Error() string { return "cancelled by " + c.by }

// inFlight are the calls that are being executed in this process, by their idempotency keys.
type inFlight struct {
	mu      sync.Mutex
	cancels map[string]context.CancelCauseFunc
	live    map[string]*liveCall // those that may ask the person
}

// begin makes a call's context, which ends with the run's and when the call is cancelled.
func (f *inFlight) begin(parent context.Context, c agent.ToolCall) (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(parent)
	key := c.IdempotencyKey()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cancels == nil {
		f.cancels = map[string]context.CancelCauseFunc{}
	}
	f.cancels[key] = cancel
	return ctx, func() {
		f.mu.Lock()
		delete(f.cancels, key)
		f.mu.Unlock()
		cancel(nil)
	}
}

// cancel reports whether a call was being executed here.
func (f *inFlight) cancel(runID, callID, by string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := agent.ToolCall{RunID: runID, ID: callID}.IdempotencyKey()
	cancel := f.cancels[key]
	if l := f.live[key]; l != nil {
		cancel = l.cancel
	}
	if cancel != nil {
		cancel(&callCancel{by})
	}
	return cancel != nil
}

// cancelledBy is the person who cancelled a call, "" where it ended otherwise.
func cancelledBy(ctx context.Context, res agent.ToolResult) string {
	var cause *callCancel
	if res.ErrorType == agent.ErrCancelled && errors.As(context.Cause(ctx), &cause) {
		return cause.by
	}
	return ""
}

// CancelCall cancels a call that this process executes, on behalf of a person; its run
// continues with what the call has said. It reports whether there was one.
func (r *Runner) CancelCall(runID, callID, by string) bool {
	return r.Loop.flight.cancel(runID, callID, by)
}

// outcomeTimeout bounds the question to a tool what became of a call, for which what is
// left of the call ends first.
const outcomeTimeout = 30 * time.Second

// lost are the calls that were being executed and are not open in this process.
func (ex *executor) lost() (calls []agent.ToolCall) {
	for _, c := range ex.calls.open() {
		if c.State == agent.CallExecuting && !isDelegation(c) && ex.loop.flight.liveCall(c) == nil {
			calls = append(calls, c)
		}
	}
	return calls
}

// recoverCall decides about a call that was being executed when its process
// died. Reading again, or repeating what is idempotent, changes nothing, and some
// tools know what became of a call; for anything else it is unknown whether
// it happened, so a person is asked. What is left of a program that the call has
// started is ended before any of that.
func (ex *executor) recoverCall(c agent.ToolCall) agent.Change {
	repeat := ex.tools.repeatable(c)
	if repeat && c.Process == "" {
		return changeState(c, agent.CallRepeated, agent.CallScheduled)
	}
	ctx, cancel := context.WithTimeout(context.Background(), outcomeTimeout)
	defer cancel()
	res, known := ex.tools.Outcome(ctx, c.Name, toolInput(c))
	switch {
	case known:
		c.Truncated = res.Truncated
		return ex.tools.finish(c, agent.CallReturned, endState(res), res.ErrorType, res.Content)
	case repeat:
		return changeState(c, agent.CallRepeated, agent.CallScheduled)
	default:
		return ex.requests.markUncertain(c, "", fmt.Sprintf("The server stopped while %s was running. It is unknown whether it happened.", c.Name))
	}
}
