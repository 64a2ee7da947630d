package looptest

import (
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// saved is what the breakers have saved so far, in tokens.
func (w *world) saved() (n int64) {
	w.t.Helper()
	now := w.clock.Now()
	stats, err := w.store.GuardStats(w.t.Context(), now.Add(-time.Hour), now.Add(time.Hour))
	w.must(err)
	for _, s := range stats {
		n += s.SavedTokens
	}
	return n
}

// TestSavings: a pause has saved what the run would still have taken as long as nobody
// resumes it: from the first day on, and for good where a person ends the run.
func TestSavings(t *testing.T) {
	t.Parallel()
	perStep, left := int64(120), int64(50-8)
	for name, tc := range map[string]struct {
		decision agent.Decision
		limit    int64
		while    int64 // saved while the run waits
		after    int64 // and once it has ended
	}{
		"taken over":  {agent.Decision{Verb: agent.DecideTakeover, Answer: "It is 4."}, 200_000, perStep * left, perStep * left},
		"aborted":     {agent.Decision{Verb: agent.DecideAbort, ByProgram: true}, 200_000, perStep * left, perStep * left},
		"resumed":     {agent.Decision{Verb: agent.DecideResume}, 200_000, perStep * left, 0},
		"small limit": {agent.Decision{Verb: agent.DecideAbort, ByProgram: true}, 2000, 2000 - perStep*8, 2000 - perStep*8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, append(calling(8, "look", false), agenttest.Turn{Text: "Done."})...)
			w.service.Limits.Tokens = tc.limit
			run := w.post("look")
			if run.Status != agent.StatusPaused || w.saved() != tc.while {
				t.Fatalf("%s: %d tokens are saved, not %d", run.Status, w.saved(), tc.while)
			}
			w.decide(ana, w.card().ID, tc.decision)
			if run = w.advance(run.ID); !run.Status.Ended() || w.saved() != tc.after {
				t.Errorf("%s: %d tokens are saved, not %d", run.Status, w.saved(), tc.after)
			}
		})
	}
}
