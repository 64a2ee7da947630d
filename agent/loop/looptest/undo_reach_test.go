package looptest

import (
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
)

// TestReachWaitsForTheUndoWindow: what a decision covers beyond its call covers
// nothing as long as it can be undone.
func TestReachWaitsForTheUndoWindow(t *testing.T) {
	t.Parallel()
	again := message([]agent.CallRequest{{ID: "b", Name: "mark", Arguments: `{"x":1}`}})
	allows := func(w *world) { w.runner.Loop.Policy = &ruled{Policy: w.runner.Loop.Policy} }
	for _, tc := range []struct {
		name  string
		scope agent.Scope
		// next begins another run that makes the same call.
		next func(w *world, first agent.Run) string
	}{
		{"rule", agent.ScopeAlways, func(w *world, _ agent.Run) string { return w.talk("other", again) }},
		{"conversation", agent.ScopeConversation, func(w *world, first agent.Run) string {
			w.must(w.service.Abort(w.t.Context(), ana, first.ID)) // which leaves nothing to undo
			w.advance(first.ID)
			done, err := w.service.Post(w.t.Context(), ana, service.Post{ConversationID: "c", Content: again})
			w.must(err)
			return done.RunID
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w, _ := dictatedWorld(t, func(w *world) { withMinute(w); allows(w) })
			run, card := markOnce(w, `{"x":1}`)
			w.service.Policy = w.runner.Loop.Policy
			w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove, Scope: tc.scope})
			if now := w.advance(tc.next(w, run)); now.Status != agent.StatusPaused || w.tools.executed("mark") != 0 {
				t.Errorf("within the window: run %s, executed %v", now.Status, w.tools.runs)
			}
			w.clock.Advance(time.Minute)
			third := w.talk("third", again)
			want := agent.StatusPaused
			if tc.scope == agent.ScopeAlways {
				want = agent.StatusFinished
			}
			if now := w.advance(third); now.Status != want {
				t.Errorf("after the window: run %s, want %s", now.Status, want)
			}
		})
	}
}
