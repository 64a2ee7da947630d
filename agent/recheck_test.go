package agent_test

import (
	"testing"
	"time"

	"fusebox/agent"
)

// markOnce dictates one call of high risk, and returns its run and its card.
func markOnce(w *world, args string) (agent.Run, agent.Approval) {
	w.t.Helper()
	run := w.post(message([]agent.CallRequest{{ID: "a", Name: "mark", Arguments: args}}))
	return *run, w.card()
}

// TestUndoBehindTheEnd: an aborted run leaves nothing that could be undone, and
// then waits for people for ever.
func TestUndoBehindTheEnd(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, func(w *world) { w.desk.UndoWindow = time.Minute })
	run, card := markOnce(w, `{"x":1}`)
	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove})
	w.must(w.desk.Abort(t.Context(), ana, run.ID))
	if run := w.advance(run.ID); run.Status != agent.StatusAborted {
		t.Fatalf("run %s", run.Status)
	}
	if _, err := w.desk.Undo(t.Context(), rex, card.ID); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("undo answered %v", err)
	}
	if now := w.cardsOf(run.ID)[0]; now.Status != agent.ApprovalDecided {
		t.Errorf("the card of the aborted run is %s", now.Status)
	}
}
