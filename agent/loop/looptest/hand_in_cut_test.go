package looptest

import (
	"context"
	"errors"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/loop"
	"fusebox/agent/service"
)

// refusesEnd fails as a process does that is killed before its run has ended.
type refusesEnd struct{ agent.Journal }

func (j refusesEnd) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	for _, event := range e.Events {
		if _, ends := event.Data.(agent.Finish); ends {
			return agent.Committed{}, errPulled
		}
	}
	return j.Journal.Append(ctx, e)
}

// TestKilledWhileHandingIn: the step is made again where its answer is not stored, and only there.
func TestKilledWhileHandingIn(t *testing.T) {
	t.Parallel()
	t.Run("in its answer", func(t *testing.T) {
		t.Parallel()
		w, id, err := cutOffHandingIn(t, loop.ErrShutdown)
		if !errors.Is(err, loop.ErrShutdown) {
			t.Fatal(err)
		}
		w.restart()
		run := w.advance(id)
		w.endsAt(run, agent.StopMaxSteps, 3, "The run handed in what it had. Done: look.")
		if m := w.soundHistory(); run.Steps != 2 || m[len(m)-1].Content != "The whole." || len(find[agent.MessageReset](w.events())) != 1 || len(handInRequests(w)) != 2 {
			t.Errorf("run %+v, last message %+v", run, m[len(m)-1])
		}
	})
	t.Run("behind its answer", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, append(calling(1, "look", true), agenttest.Turn{Text: `{"city":"Paris"}`})...)
		w.service.Guards.MaxSteps = 1
		w.runner.Loop.Journal = refusesEnd{w.store}
		done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go", Outputs: map[string]string{"city": "string"}})
		w.must(err)
		if err := w.runner.Loop.Advance(t.Context(), w.claimed()); !errors.Is(err, errPulled) {
			t.Fatal(err)
		}
		w.restart()
		run := w.advance(done.RunID)
		w.endsAt(run, agent.StopMaxSteps, 2, "The run handed in what it had. Done: look.")
		if m := w.soundHistory(); len(m) != 4 || string(run.State.Values["city"]) != `"Paris"` {
			t.Errorf("history %+v, values %s", m, run.State.Values)
		}
	})
}

// cutOffHandingIn is a run whose context ends in the middle of the answer that hands in.
func cutOffHandingIn(t *testing.T, cause error) (w *world, runID string, err error) {
	t.Helper()
	w = newWorld(t, append(calling(1, "look", true), agenttest.Turn{Text: "Half", Hold: true}, agenttest.Turn{Text: "The whole."})...)
	w.service.Guards.MaxSteps = 1
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go"})
	w.must(err)
	claimed := w.claimed()
	ctx, cut := context.WithCancelCause(t.Context())
	left := make(chan error, 1)
	go func() { left <- w.runner.Loop.Advance(ctx, claimed) }()
	agenttest.Receive(t, "the model", w.model.Holding)
	cut(cause)
	return w, done.RunID, agenttest.Receive(t, "the end of the stay", left)
}

// TestAbortWhileHandingIn: a person's end is theirs.
func TestAbortWhileHandingIn(t *testing.T) {
	t.Parallel()
	w, id, err := cutOffHandingIn(t, &loop.AbortCause{By: ana.Email})
	w.must(err)
	run, err := w.store.Run(t.Context(), ana, id)
	w.must(err)
	if m := w.soundHistory(); run.Status != agent.StatusAborted || run.StopReason != agent.StopUserAbort || m[len(m)-1].Content != "Half" {
		t.Errorf("the run is %s (%s), last message %+v", run.Status, run.StopReason, m[len(m)-1])
	}
}

// TestOtherEndsHandNothingIn: who stops a run, or what breaks it, does not ask its model.
func TestOtherEndsHandNothingIn(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		turns  []agenttest.Turn
		decide agent.Decision
	}{
		"a loop":   {calling(12, "look", false), agent.Decision{Verb: agent.DecideResume}},
		"a person": {calling(12, "look", false), agent.Decision{Verb: agent.DecideReject}},
		"takeover": {calling(12, "look", false), agent.Decision{Verb: agent.DecideTakeover, Answer: "It is 42."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tc.turns...)
			run := w.post("go")
			w.decide(ana, w.card().ID, tc.decide)
			if run = w.advance(run.ID); !run.Status.Ended() || run.State.HandIn != (agent.HandIn{}) || len(handInRequests(w)) > 0 {
				t.Errorf("the run is %s (%s), asked %q", run.Status, run.StopReason, handInRequests(w))
			}
		})
	}
}
