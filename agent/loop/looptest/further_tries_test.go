package looptest

import (
	"context"
	"errors"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/loop"
	"fusebox/agent/service"
)

// asked is a model whose answers a test gives itself.
type asked struct {
	*agenttest.Provider
	answer func(ctx context.Context, req agent.Request) (agent.Completion, error)
}

func (a asked) Complete(ctx context.Context, req agent.Request, _ func(agent.Delta) error) (agent.Completion, error) {
	return a.answer(ctx, req)
}

// asking is a world whose model answers like that.
func asking(t *testing.T, budget agent.Budget, answer func(w *world, ctx context.Context, req agent.Request) (agent.Completion, error)) *world {
	t.Helper()
	w := spender(t, 0, budget)
	w.runner.Loop.Provider = asked{w.model, func(ctx context.Context, req agent.Request) (agent.Completion, error) { return answer(w, ctx, req) }}
	return w
}

func (w *world) standing() agent.BudgetStatus {
	w.t.Helper()
	all, err := w.store.BudgetStatuses(w.t.Context())
	w.must(err)
	if len(all) != 1 {
		w.t.Fatalf("%d standings", len(all))
	}
	return all[0]
}

func dayOf(limitTokens, limitMicros int64) agent.Budget {
	return agent.Budget{Who: agent.WhoEverybody, Span: agent.SpanDay, LimitTokens: limitTokens, LimitMicros: limitMicros, AtLimit: agent.LimitPause}
}

// TestRefusedTryKeepsWhatIsHeld: where a further try does not fit, what the tries
// before have taken stays held until it is settled; nobody else may spend it.
func TestRefusedTryKeepsWhatIsHeld(t *testing.T) {
	t.Parallel()
	held := int64(-1)
	w := asking(t, dayOf(1400, 0), func(w *world, ctx context.Context, req agent.Request) (agent.Completion, error) {
		if held >= 0 {
			return agent.Completion{Content: "Whole.", FinishReason: "stop", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 10, OutputTokens: 1}}}, nil
		}
		spent := agent.Usage{Tokens: agent.Tokens{InputTokens: 200, OutputTokens: 900}}
		_, err := req.ReserveRetry(ctx, req.Model, agent.Spent{{Model: req.Model, Usage: spent}})
		held = w.standing().ReservedTokens
		return agent.Completion{Usage: spent}, err
	})
	if run := w.post("go"); run.Status != agent.StatusPaused || held < 1100 {
		t.Errorf("run %s, while it settles 1100 tokens %d are held", run.Status, held)
	}
	w.adds()
}

// TestFurtherTryOnTheNextDay: a call counts in the window in which it began, also
// where it is retried in the next one.
func TestFurtherTryOnTheNextDay(t *testing.T) {
	t.Parallel()
	w := asking(t, dayOf(1<<30, 0), func(w *world, ctx context.Context, req agent.Request) (agent.Completion, error) {
		w.clock.Advance(16 * time.Hour)
		spent := agent.Usage{Tokens: agent.Tokens{InputTokens: 100, OutputTokens: 50}}
		_, err := req.ReserveRetry(ctx, req.Model, agent.Spent{{Model: req.Model, Usage: spent}})
		return agent.Completion{Content: "Whole.", FinishReason: "stop", Usage: spent.Add(spent)}, err
	})
	w.runner.Loop.Settings.Guards.MaxDuration, w.service.Guards.MaxDuration = 24*time.Hour, 24*time.Hour
	if run := w.post("go"); run.Status != agent.StatusFinished || run.Usage.Total() != 300 {
		t.Errorf("run %s with %d tokens", run.Status, run.Usage.Total())
	}
	if st := w.standing(); st.UsedTokens != 0 {
		t.Errorf("the next day has %d tokens used", st.UsedTokens)
	}
	w.adds()
}

// TestEachTryCostsItsOwnPrice: where a dearer model answers in the end, what the
// cheap one took before stays cheap, and all of it was held.
func TestEachTryCostsItsOwnPrice(t *testing.T) {
	t.Parallel()
	limit := int64(0)
	w := asking(t, dayOf(0, 60_000), func(_ *world, ctx context.Context, req agent.Request) (agent.Completion, error) {
		spent := agent.Usage{Tokens: agent.Tokens{InputTokens: 900, OutputTokens: 1000}}
		var err error
		limit, err = req.ReserveRetry(ctx, "dear", agent.Spent{{Model: req.Model, Usage: spent}})
		if err != nil {
			return agent.Completion{Usage: spent}, err
		}
		tries := agent.Spent{{Model: req.Model, Usage: spent}, {Model: "dear", Usage: agent.Usage{Tokens: agent.Tokens{OutputTokens: limit}}}}
		return agent.Completion{Content: "Whole.", FinishReason: "stop", AnsweredBy: "dear", Usage: tries.Total(), Spent: tries}, nil
	})
	w.runner.Loop.Settings.Price = func(model string) (agent.Price, bool) {
		if model == "dear" {
			return agent.Price{Input: 50_000_000, Output: 50_000_000}, true
		}
		return agent.Price{Input: 1_000_000, Output: 1_000_000}, true
	}
	run := w.post("go")
	if want := 1900 + 50*limit; run.Status != agent.StatusFinished || run.CostMicros != want || want > 60_000 {
		t.Errorf("run %s (%s) cost %d, want %d", run.Status, run.StopReason, run.CostMicros, want)
	}
	w.adds()
}

// TestPriceThatRisesMeanwhile: a call costs what it was held at, so that a new
// price does not take it past a limit.
func TestPriceThatRisesMeanwhile(t *testing.T) {
	t.Parallel()
	w := asking(t, dayOf(0, 5000), func(w *world, _ context.Context, req agent.Request) (agent.Completion, error) {
		w.runner.Loop.Settings.Price = func(string) (agent.Price, bool) { return agent.Price{Input: 9_000_000, Output: 9_000_000}, true }
		return agent.Completion{Content: "Whole.", FinishReason: "stop", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 10, OutputTokens: req.MaxTokens}}}, nil
	})
	if run := w.post("go"); run.Status != agent.StatusFinished || run.CostMicros > 5000 {
		t.Errorf("run %s cost %d of 5000", run.Status, run.CostMicros)
	}
	w.adds()
}

// TestAbortedCallIsBilled: what the provider knows of a call that was cut off is
// billed, also where nothing of it was shown.
func TestAbortedCallIsBilled(t *testing.T) {
	t.Parallel()
	w := asking(t, dayOf(1<<30, 0), func(w *world, ctx context.Context, req agent.Request) (agent.Completion, error) {
		w.must(w.service.Abort(ctx, ana, req.RunID))
		w.runner.Abort(req.RunID, ana.Email)
		<-ctx.Done()
		return agent.Completion{Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 700, OutputTokens: 77}}}, context.Cause(ctx)
	})
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go"})
	w.must(err)
	w.works()
	run := w.rests(done.RunID)
	if run.Status != agent.StatusAborted || run.Usage.Total() != 777 {
		t.Errorf("run %s with %d tokens", run.Status, run.Usage.Total())
	}
	if st := w.standing(); st.UsedTokens != 777 || st.ReservedTokens != 0 {
		t.Errorf("the budget stands at %+v", st)
	}
	w.adds()
}

// TestAbortedJudgeIsBilled: the same holds for calls beside the run's own.
func TestAbortedJudgeIsBilled(t *testing.T) {
	t.Parallel()
	aborted := errors.New("not reached")
	w := asking(t, dayOf(1<<30, 0), func(w *world, ctx context.Context, req agent.Request) (agent.Completion, error) {
		if req.Model != "judge" {
			return agent.Completion{Calls: []agent.CallRequest{agenttest.Call("a", "look", `{"x":1}`)}, Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 10, OutputTokens: 1}}}, nil
		}
		w.must(w.service.Abort(ctx, ana, req.RunID))
		<-ctx.Done()
		aborted = context.Cause(ctx)
		return agent.Completion{Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 500, OutputTokens: 5}}}, aborted
	})
	w.runner.Loop.Settings.Guards.JudgeModel, w.runner.Loop.Settings.Guards.JudgeAfter = "judge", 1
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go"})
	w.must(err)
	w.works()
	if run := w.rests(done.RunID); run.Usage.Total() != 516 {
		t.Errorf("run %s (%v) with %d tokens, want 516", run.Status, aborted, run.Usage.Total())
	}
	w.adds()
}

// TestCallCutByShutdownIsBilled: a process that stops in order bills what its calls
// took so far; the next one asks again.
func TestCallCutByShutdownIsBilled(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	w := asking(t, dayOf(1<<30, 0), func(_ *world, ctx context.Context, _ agent.Request) (agent.Completion, error) {
		used := agent.Usage{Tokens: agent.Tokens{InputTokens: 300, OutputTokens: 33}}
		if stop == nil {
			return agent.Completion{Content: "Whole.", FinishReason: "stop", Usage: used}, nil
		}
		stop(loop.ErrShutdown)
		stop = nil
		return agent.Completion{Usage: used}, context.Cause(ctx)
	})
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go"})
	w.must(err)
	run := w.claimed()
	if err := w.runner.Loop.Advance(ctx, run); !errors.Is(err, loop.ErrShutdown) {
		t.Fatalf("shut down with %v", err)
	}
	w.adds()
	_, err = w.store.RecoverLeases(t.Context())
	w.must(err)
	if run := w.advance(done.RunID); run.Status != agent.StatusFinished || run.Usage.Total() != 666 || w.standing().UsedTokens != 666 {
		t.Errorf("run %s with %d tokens, want 666", run.Status, run.Usage.Total())
	}
	w.soundHistory()
	w.adds()
}
