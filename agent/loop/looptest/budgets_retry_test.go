package looptest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider"
)

// TestFurtherTryAsksTheBudget: a tool call that breaks off is asked for again only
// where the budget holds that try as well. What the broken one took is billed, and
// a person is asked.
func TestFurtherTryAsksTheBudget(t *testing.T) {
	t.Parallel()
	var tries atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if tries.Add(1) > 1 {
			_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Whole.\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":200,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n")
			return
		}
		_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"x\\\":\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":200,\"completion_tokens\":900}}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(srv.Close)
	model, err := provider.New(provider.Config{BaseURL: srv.URL + "/v1", HTTPClient: srv.Client()})
	if err != nil {
		t.Fatal(err)
	}
	w := spender(t, 0, agent.Budget{Who: agent.WhoUser, Span: agent.SpanDay, LimitTokens: 1400, AtLimit: agent.LimitPause})
	w.runner.Loop.Provider, w.runner.Loop.Counter = model, model
	run := w.post("go")
	ev := w.evidence(w.card())
	if tries.Load() != 1 || run.Status != agent.StatusPaused || ev.UsedTokens != 1100 || run.Usage.Total() != 1100 {
		t.Fatalf("%d tries, run %s with %d tokens, card %+v", tries.Load(), run.Status, run.Usage.Total(), ev)
	}
	w.decide(adm, w.card().ID, agent.Decision{Verb: agent.DecideApprove, RaiseTokensBy: 3000})
	if run = w.advance(run.ID); run.Status != agent.StatusFinished || run.Usage.Total() != 1305 {
		t.Errorf("run %s with %d tokens", run.Status, run.Usage.Total())
	}
	w.soundHistory()
	w.adds()
}

// TestFallbackIsBilledByModel: what the wanted model took before it broke off for
// good, and what the one took that answered in its place, are lines of their own,
// each at its own price, out of one reservation.
func TestFallbackIsBilledByModel(t *testing.T) {
	t.Parallel()
	broken := saying(t, "far", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half\"}}],\"usage\":{\"prompt_tokens\":300,\"completion_tokens\":40}}\n\n")
	well := saying(t, "near", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Whole.\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":200,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n")
	model, err := provider.NewRouter(provider.Endpoints{Offered: []*provider.Provider{broken, well}}, []string{"near/small"})
	if err != nil {
		t.Fatal(err)
	}
	w := spender(t, 0, agent.Budget{Who: agent.WhoEverybody, Span: agent.SpanDay, LimitTokens: 100_000, LimitMicros: 1_000_000, AtLimit: agent.LimitPause})
	w.runner.Loop.Provider, w.runner.Loop.Counter = model, model
	w.service.Models.Configured = "far/large"
	w.runner.Loop.Settings.Price = func(model string) (agent.Price, bool) {
		if model == "far/large" {
			return agent.Price{Input: 10_000_000, Output: 100_000_000}, true
		}
		return agent.Price{Input: 1_000_000, Output: 1_000_000}, true
	}
	run := w.post("go")
	steps, err := w.store.Steps(t.Context(), run.ID)
	w.must(err)
	if run.Status != agent.StatusFinished || len(steps) != 2 || run.CostMicros != 3000+4000+205 || run.Usage.Total() != 545 {
		t.Fatalf("run %s at %d for %+v: %+v", run.Status, run.CostMicros, run.Usage, steps)
	}
	if a, v := steps[0], steps[1]; a.Model != "near/small" || a.CostMicros != 205 || v.Kind != agent.StepVoid || v.Model != "far/large" || v.CostMicros != 7000 {
		t.Errorf("lines %+v", steps)
	}
	rows, _, err := w.store.Ledger(t.Context(), run.ID, agent.Page{})
	w.must(err)
	for _, e := range rows {
		if e.Kind == agent.EntryCorrection {
			t.Errorf("booked beyond the reservation: %+v", e)
		}
	}
	w.adds()
}

// saying is an endpoint that says the same to everything.
func saying(t *testing.T, name, stream string) *provider.Provider {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, stream)
	}))
	t.Cleanup(srv.Close)
	p, err := provider.New(provider.Config{Name: name, BaseURL: srv.URL + "/v1", HTTPClient: srv.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
