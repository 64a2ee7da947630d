package looptest

import (
	"context"
	"slices"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// TestAfterStop: a change that is asked for right after a run was stopped waits for the run to end, and is refused
// if that takes too long.
func TestAfterStop(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(w *world, message string) (agent.Enqueued, error)
		asks string
	}{
		{"an edit", func(w *world, _ string) (agent.Enqueued, error) {
			return w.service.Post(w.t.Context(), ana, service.Post{ConversationID: "c", Content: "look there", ParentID: agent.RootParent})
		}, "look there"},
		{"a message of a new beginning", func(w *world, _ string) (agent.Enqueued, error) {
			return w.service.Post(w.t.Context(), ana, service.Post{ConversationID: "c", Content: "look there", Supersede: true})
		}, "look there"},
		{"another answer", func(w *world, message string) (agent.Enqueued, error) {
			return w.service.Regenerate(w.t.Context(), ana, service.Regenerate{MessageID: message})
		}, "look"},
		{"deleting it", func(w *world, message string) (agent.Enqueued, error) {
			_, err := w.service.DeleteMessage(w.t.Context(), ana, message)
			return agent.Enqueued{}, err
		}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w, message, end := stopped(t)
			type outcome struct {
				agent.Enqueued
				error
			}
			done := make(chan outcome, 1)
			go func() {
				d, err := tc.do(w, message)
				done <- outcome{d, err}
			}()
			w.clock.Await(t, 5*time.Second)
			close(end)
			got := agenttest.Receive(t, tc.name, done)
			w.must(got.error)
			if tc.asks == "" {
				return
			}
			if got.RunID == "" || w.rests(got.RunID).Status != agent.StatusFinished {
				t.Fatalf("it became %+v", got)
			}
			asked := w.model.Requests()
			if last := asked[len(asked)-1].Messages; last[len(last)-1].Content != tc.asks {
				t.Errorf("asked was %q", last[len(last)-1].Content)
			}
		})
	}
	t.Run("it takes long", func(t *testing.T) {
		t.Parallel()
		w, message, end := stopped(t)
		defer close(end)
		done := make(chan error, 1)
		go func() {
			_, err := w.service.DeleteMessage(w.t.Context(), ana, message)
			done <- err
		}()
		w.clock.Outwait(t, 5*time.Second)
		if err := agenttest.Receive(t, "the deletion", done); agent.CodeOf(err) != agent.Conflict {
			t.Errorf("it is deleted while a run works: %v", err)
		}
	})
}

// TestMessageAfterStop: what waits is held as soon as its run is stopped. A message sent after that is next, however
// long the run takes to end, and releases the others.
func TestMessageAfterStop(t *testing.T) {
	t.Parallel()
	w, _, end := stopped(t, "one", "two")
	if got, held := w.waiting(); !held || len(got) != 2 {
		t.Errorf("there wait %q, held %v", got, held)
	}
	for _, text := range []string{"new", "newer"} {
		w.later(text)
	}
	if got, held := w.waiting(); held || !slices.Equal(got, []string{"new", "one", "two", "newer"}) {
		t.Errorf("there wait %q, held %v", got, held)
	}
	close(end)
	agenttest.Eventually(t, "all answers", func() bool {
		q, err := w.service.Queue(t.Context(), ana, "c")
		w.must(err)
		_, err = w.store.ActiveRun(t.Context(), "c")
		return len(q.Items) == 0 && agent.CodeOf(err) == agent.NotFound
	})
	if got := w.asked(); !slices.Equal(got, []string{"look", "new", "one", "two", "newer"}) {
		t.Errorf("asked was %q", got)
	}
}

// stopped is a world whose run was stopped in the middle of a call, which ends when end is closed, while messages
// waited for it.
func stopped(t *testing.T, waiting ...string) (w *world, message string, end chan struct{}) {
	t.Helper()
	w = newWorld(t, append(calling(1, "look", false), agenttest.Turn{Text: "Done."}, agenttest.Turn{Text: "Done."}, agenttest.Turn{Text: "Done."}, agenttest.Turn{Text: "Done."})...)
	begun, end := make(chan struct{}), make(chan struct{})
	w.tools.do["look"] = func(context.Context, agent.ToolInput) agent.ToolResult {
		close(begun)
		<-end
		return agent.ToolResult{Content: "seen"}
	}
	w.works()
	posted, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "look"})
	w.must(err)
	agenttest.Receive(t, "the call", begun)
	for _, text := range waiting {
		w.later(text)
	}
	w.must(w.service.Abort(t.Context(), ana, posted.RunID))
	return w, posted.MessageID, end
}
