package agent_test

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
