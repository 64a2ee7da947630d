package loop

import (
	"context"
	"fmt"
	"time"

	"fusebox/agent"
)

// outcomeTimeout bounds the question to a tool what became of a call, for which what is
// left of the call ends first.
const outcomeTimeout = 30 * time.Second

// lost are the calls that were being executed and are not open in this process.
func (ex *executor) lost() (calls []agent.ToolCall) {
	for _, c := range ex.calls.open() {
		if c.State == agent.CallExecuting && ex.flight.liveCall(c) == nil {
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
