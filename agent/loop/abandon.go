package loop

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"

	"fusebox/agent"
)

// maxTries is how often in a row a run may fail to advance before it is ended. Each time its model may have given an
// answer that could not be stored.
const maxTries = 5

// advance runs the loop; a bug in it must cost one run, not the server.
func (r *Runner) advance(ctx context.Context, run *agent.Run, snap *agent.Snapshot) {
	log := r.Log.With("run_id", run.ID, "conversation_id", run.ConversationID)
	defer func() {
		if p := recover(); p != nil {
			log.Error("advancing a run panicked", "panic", p, "stack", string(debug.Stack()))
			r.abandon(run, log)
		}
	}()
	tries := r.try(run.ID)
	if tries > maxTries { // its end could not be stored either
		r.abandon(run, log)
		return
	}
	err := r.Loop.advanceFrom(ctx, run, snap)
	switch code := agent.CodeOf(err); {
	case err == nil:
	case errors.Is(err, ErrShutdown), errors.Is(err, agent.ErrStale):
		log.Info("let go of a run", "reason", err.Error())
	case code == agent.Full, code == agent.Unavailable:
		log.Error("advancing a run failed", "error", err)
	default: // the run's own fault: it was claimed by a commit that worked
		log.Error("advancing a run failed", "error", err, "tries", tries)
		if tries == maxTries {
			r.abandon(run, log)
		}
		return
	}
	r.forgive(run.ID)
}

// try counts how often in a row this process advances a run that fails.
func (r *Runner) try(runID string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tries[runID]++
	return r.tries[runID]
}

func (r *Runner) forgive(runID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tries, runID)
}

// abandon ends a run that a bug keeps from continuing: claimed again it would
// only panic or fail again.
func (r *Runner) abandon(run *agent.Run, log *slog.Logger) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("ending a run panicked", "panic", p)
		}
	}()
	snap, err := r.Loop.snapshot(run)
	if err == nil {
		err = newExecution(r.Loop, snap).end(ending{
			status: agent.StatusFailed, because: "An error in the server ended this run. It has been logged; send a message to continue from here.",
		})
	}
	if err != nil {
		log.Error("ending a run failed", "error", err)
	}
	if err == nil || errors.Is(err, agent.ErrStale) {
		r.forgive(run.ID)
	}
}
