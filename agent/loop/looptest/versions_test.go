package looptest

import (
	"context"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// TestOtherAnswerSupersedes: a card of the answer that is left is settled before another one begins, which is
// asked nothing of that answer; another person's messages are as absent ones.
func TestOtherAnswerSupersedes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("a", "run_shell", `{"command":"ls"}`)}}, agenttest.Turn{Text: "ok"})
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	first := w.post("list")
	card := w.card()
	messages := w.saidBy(first)
	go func() { defer close(stopped); w.runner.Run(ctx, time.Second) }()
	for _, tc := range []struct {
		v    agent.Viewer
		in   service.Regenerate
		want agent.Code
	}{
		{rex, service.Regenerate{MessageID: messages[0]}, agent.NotFound},
		{ana, service.Regenerate{MessageID: "nothing"}, agent.NotFound},
		{ana, service.Regenerate{MessageID: messages[1]}, agent.Conflict},
		{ana, service.Regenerate{MessageID: messages[1], Replace: true}, agent.Conflict},
	} {
		if _, err := w.service.Regenerate(t.Context(), tc.v, tc.in); agent.CodeOf(err) != tc.want {
			t.Errorf("%+v: %v, want %s", tc.in, err, tc.want)
		}
	}
	done, err := w.service.Regenerate(t.Context(), ana, service.Regenerate{MessageID: messages[1], Supersede: true})
	w.must(err)
	if run := w.rests(done.RunID); run.Status != agent.StatusFinished || w.tools.executed("run_shell") != 0 {
		t.Errorf("run %s (%s)", run.Status, run.StopReason)
	}
	if old, err := w.store.Approval(t.Context(), rex, card.ID); err != nil || old.Status != agent.ApprovalCancelled {
		t.Errorf("the card is %+v, %v", old, err)
	}
	requests := w.model.Requests()
	if asked := requests[len(requests)-1].Messages; len(asked) != 1 || asked[0].Content != "list" {
		t.Errorf("asked %+v", asked)
	}
	if now := w.soundHistory(); len(now) != 2 || now[1].Content != "ok" || len(now[1].Siblings) != 2 {
		t.Errorf("shown %+v", now)
	}
	cancel()
	<-stopped
}

// saidBy are the ids of the messages that a run has so far.
func (w *world) saidBy(run *agent.Run) (ids []string) {
	snap, err := w.store.Snapshot(w.t.Context(), run.ID)
	w.must(err)
	for _, m := range snap.Branch {
		ids = append(ids, m.ID)
	}
	return ids
}
