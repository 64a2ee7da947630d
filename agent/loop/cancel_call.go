package loop

import (
	"context"
	"errors"
	"sync"

	"fusebox/agent"
)

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

// cancelRow notes who cancelled a call.
func (ex *executor) cancelRow(c agent.ToolCall, by string) agent.AuditRow {
	row := ex.auditRow("call.cancel", c.RunID+"/"+c.ID, "", map[string]any{"tool": c.Name, "argsHash": c.ArgsHash, "conversation": c.ConversationID})
	row.Actor = by
	return row
}

// CancelCall cancels a call that this process executes, on behalf of a person; its run
// continues with what the call has said. It reports whether there was one.
func (r *Runner) CancelCall(runID, callID, by string) bool {
	return r.Loop.flight.cancel(runID, callID, by)
}
