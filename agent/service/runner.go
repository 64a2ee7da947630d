package service

import (
	"context"

	"fusebox/agent"
)

// Runner is what advances runs in this process.
type Runner interface {
	// Place is room for a run that is about to be stored; nil where there is none.
	Place(runID string) agent.Place
	// Wake says that a run may be ready. It never blocks.
	Wake()
	// Abort cancels a run that this process advances, on behalf of a person.
	Abort(runID, by string)
	// CancelCall cancels a call that this process executes, and reports whether there was one.
	CancelCall(runID, callID, by string) bool
	// TakeOver does so with the person's answer.
	TakeOver(runID, by, answer string)
	// Left returns a channel that is closed when this process next lets go of the run.
	// It is forgotten once ctx ends.
	Left(ctx context.Context, runID string) <-chan struct{}
}
