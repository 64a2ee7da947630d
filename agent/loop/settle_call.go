package loop

import (
	"context"
	"errors"
	"fmt"

	"fusebox/agent"
)

// settle returns the effects of a finished call on its run, and the change that stores the
// result after what was shown. own is the call's own context, which may outlive ctx.
func (ex *executor) settle(ctx, own context.Context, c agent.ToolCall, res agent.ToolResult, shown agent.Change) (effects, agent.Change, error) {
	if by := cancelledBy(own, res); by != "" {
		ex.addCancel(&shown, c, by, &res)
	}
	if ex.polling.unchanged(c, res) {
		changeState(&shown, c, agent.CallUnchanged, agent.CallScheduled)
		return effects{same: true}, shown, nil
	}
	if res.Emit != nil {
		res = ex.checkEmission(res)
	}
	if len(res.Found) > 0 {
		res = ex.view.checkFound(res)
	}
	return effects{terminate: res.Terminate, emit: res.Emit, found: res.Found}, shown.Then(ex.resultOf(ctx, c, res)), nil
}

// resultOf is the change that ends the call. When the process lets go of the run,
// the call stays in executing: resume decides by its effect what to do.
func (ex *executor) resultOf(ctx context.Context, c agent.ToolCall, res agent.ToolResult) (e agent.Change) {
	if res.ErrorType == agent.ErrCancelled && leavesRun(context.Cause(ctx)) {
		return e
	}
	c.Truncated = res.Truncated
	if res.LeavesDoubt() && !ex.tools.repeatable(c) {
		ex.requests.markUncertain(c, res.Content, fmt.Sprintf("%s did not finish in time. It is unknown how much of it happened.", c.Name), &e)
		return e
	}
	s := ex.tools.finish(c, agent.CallReturned, endState(res), res.ErrorType, res.Content)
	s.change.Effects = !ex.tools.readOnly(c)
	addFinished(&e, s)
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
