package looptest

import (
	"context"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/loop"
	"fusebox/agent/service"
)

// TestAbortBeforeTheFirstStep: an abort that meets a run in the moment it is
// claimed ends it at once, and not when its lease runs out.
func TestAbortBeforeTheFirstStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Text: "never"})
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go"})
	w.must(err)
	claimed := w.claimed()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&loop.AbortCause{By: ana.Email})
	w.must(w.runner.Loop.Advance(ctx, claimed))
	run, err := w.store.Run(t.Context(), ana, done.RunID)
	w.must(err)
	if run.Status != agent.StatusAborted || run.StopReason != agent.StopUserAbort || len(w.model.Requests()) != 0 {
		t.Errorf("run %s (%s), %d model calls", run.Status, run.StopReason, len(w.model.Requests()))
	}
}
