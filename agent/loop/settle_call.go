package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"fusebox/agent"
)

// settle is the change that a performed call makes: what it has shown, its result, and
// what it asks of its run.
func (ex *executor) settle(ctx context.Context, o performed) agent.Change {
	e := agent.Change{Events: events(o.shown...)}
	if o.cancelledBy != "" {
		o.res.Content = "A person cancelled this call while it ran. It may have had effects. Do not try it again unless asked to.\n" + o.res.Content
		e.Audit = append(e.Audit, ex.cancelRow(o.call, o.cancelledBy))
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

// asked is what an executed call asks of its run: to deliver a value, to bring tools into
// view, or to end.
func (ex *executor) asked(c agent.ToolCall, res agent.ToolResult) agent.Change {
	_, waited := ex.polling.waitOf(c.ID)
	if res.Terminate == nil && res.Emit == nil && len(res.Found) == 0 && !waited {
		return agent.Change{}
	}
	e := agent.Change{Run: ex.with(agent.StatusRunning)}
	if waited {
		ex.polling.done(e.Run, c)
	}
	if len(res.Found) > 0 {
		e.Events = ex.view.load(e.Run, res.Found)
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
	c.Truncated, c.Images = res.Truncated, res.Images
	if res.LeavesDoubt() && !ex.tools.repeatable(c) {
		return ex.requests.markUncertain(c, res.Content, fmt.Sprintf("%s did not finish in time. It is unknown how much of it happened.", c.Name))
	}
	e := ex.tools.finish(c, agent.CallReturned, endState(res), res.ErrorType, res.Content)
	e.Calls[0].Effects = !ex.tools.readOnly(c)
	return e
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
