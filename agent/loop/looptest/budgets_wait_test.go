package looptest

import (
	"context"
	"testing"
	"time"

	"fusebox/agent"
)

// TestRefusedFallbackAsks: where the model that is asked first is out of order and
// the next one does not fit the budget, a person is asked; the run does not go
// round between the two.
func TestRefusedFallbackAsks(t *testing.T) {
	t.Parallel()
	for name, spent := range map[string]agent.Usage{"after a part": {Tokens: agent.Tokens{InputTokens: 100, OutputTokens: 10}}, "after nothing": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tries := 0
			w := asking(t, dayOf(0, 100_000), func(_ *world, ctx context.Context, req agent.Request) (agent.Completion, error) {
				tries++
				_, err := req.ReserveRetry(ctx, "dear", agent.Spent{{Model: req.Model, Usage: spent}})
				return agent.Completion{Usage: spent}, err
			})
			w.runner.Loop.Settings.Price = func(model string) (agent.Price, bool) {
				if model == "dear" {
					return agent.Price{Input: 5_000_000_000, Output: 5_000_000_000}, true
				}
				return agent.Price{Input: 1_000_000, Output: 1_000_000}, true
			}
			run := w.post("go")
			if run.Status != agent.StatusPaused || tries > 2 {
				t.Fatalf("run %s (%s) after %d tries", run.Status, run.StopReason, tries)
			}
			if ev := w.evidence(w.card()); ev.UsedMicros != run.CostMicros || ev.NextStepMicros < 100_000 || ev.BudgetID == "" {
				t.Errorf("the run cost %d, the card says %+v", run.CostMicros, ev)
			}
			w.adds()
		})
	}
}

// TestReviewerAgreesForTheRunOnly: who lets a model without a price pass a run's
// own spending budget does not let it pass everybody's, which only admins may.
func TestReviewerAgreesForTheRunOnly(t *testing.T) {
	t.Parallel()
	w := spender(t, 2, agent.Budget{Who: agent.WhoEverybody, Span: agent.SpanMonth, LimitMicros: 1_000_000, AtLimit: agent.LimitPause})
	w.service.Limits.CostMicros = 500_000
	w.runner.Loop.Settings.Price = func(string) (agent.Price, bool) { return agent.Price{}, false }
	run := w.post("spend")
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove})
	if run = w.advance(run.ID); run.Status != agent.StatusPaused || run.Usage.Total() != 0 {
		t.Fatalf("run %s with %d tokens", run.Status, run.Usage.Total())
	}
	card := w.card()
	if _, err := w.service.Decide(t.Context(), rex, card.ID, agent.Decision{Verb: agent.DecideApprove}); agent.CodeOf(err) != agent.Forbidden {
		t.Errorf("a reviewer agreed for everybody: %v", err)
	}
	w.decide(adm, card.ID, agent.Decision{Verb: agent.DecideApprove})
	if run = w.advance(run.ID); run.Status != agent.StatusFinished {
		t.Errorf("run %s (%s)", run.Status, run.StopReason)
	}
}

// TestWaitingRunGoesOn: a run that waited for others in vain pauses, whatever is to
// happen at the limit, and continues by itself soon after they have settled; it does
// not wait for the next window.
func TestWaitingRunGoesOn(t *testing.T) {
	t.Parallel()
	for _, at := range []agent.AtLimit{agent.LimitPause, agent.LimitStop} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			w := spender(t, 1, agent.Budget{Who: agent.WhoEverybody, Span: agent.SpanMonth, LimitTokens: 20_000, AtLimit: at})
			other := w.holds(19_000)
			w.clock.Hurry(func(d time.Duration) bool { return d <= time.Second }) // between two looks
			run := w.post("go")
			w.clock.Hurry(nil)
			if run.Status != agent.StatusPaused || w.evidence(w.card()).ReservedTokens != 19_000 {
				t.Fatalf("run %s (%s)", run.Status, run.StopReason)
			}
			w.must(w.store.Release(t.Context(), other.ID, other.Epoch))
			w.clock.Advance(3 * time.Minute)
			w.must(w.service.Tick(t.Context()))
			if run = w.advance(run.ID); run.Status != agent.StatusFinished {
				t.Errorf("run %s (%s)", run.Status, run.StopReason)
			}
			w.adds()
		})
	}
}

// holds makes another run's call hold so many tokens.
func (w *world) holds(tokens int64) *agent.Run {
	w.t.Helper()
	w.must(w.store.CreateConversation(w.t.Context(), agent.Conversation{ID: "d", OwnerID: rex.UserID, ApprovalMode: agent.ModeDefault, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now()}))
	_, err := w.store.Enqueue(w.t.Context(), agent.NewMessage{ConversationID: "d", UserID: rex.UserID, MessageID: w.ids(), RunID: w.ids(), Content: "q", Model: "demo"})
	w.must(err)
	run, err := w.store.Claim(w.t.Context(), "other", 24*time.Hour)
	w.must(err)
	_, err = w.store.Reserve(w.t.Context(), agent.ReservationRequest{RunID: run.ID, Epoch: run.Epoch, Step: 1, Prompt: tokens - 10, MinOutput: 10, WantOutput: 10})
	w.must(err)
	return run
}
