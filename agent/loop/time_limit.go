package loop

import (
	"context"
	"errors"
	"time"

	"fusebox/agent"
)

// withTimeLimit cancels the run's context when its running time is used up, so
// that neither a model nor a tool can outlast it.
func (x *execution) withTimeLimit(parent context.Context) (context.Context, context.CancelFunc) {
	limit := timeLimit(&x.run)
	if limit <= 0 {
		return context.WithCancel(parent)
	}
	return agent.WithTimeout(parent, x.clock, max(limit-x.run.Active, 0), errTimeUp)
}

// timeLimit is the running time that a run has, 0 for any.
func timeLimit(r *agent.Run) time.Duration {
	if h := r.State.HandIn; h.Limit != "" {
		return h.Until()
	}
	return r.Limits.Duration()
}

// interrupted handles the end of the run's context. What it does not know it
// leaves alone: the run stays as it is, for the process that claims it next.
func (x *execution) interrupted(cause error) error {
	var abort *AbortCause
	switch {
	case errors.As(cause, &abort):
		return x.endAfterChildren(stoppedBy(abort.By, abort.Answer), abort.By)
	case errors.Is(cause, errTimeUp) && len(x.family.open()) > 0:
		return x.delegator.stop(agent.System)
	case errors.Is(cause, errTimeUp):
		return x.reachLimit(ending{status: agent.StatusStopped, reason: agent.StopTimeout})
	default:
		return cause
	}
}
