package looptest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/demo"
	"fusebox/agent/loop"
	"fusebox/agent/provider"
)

// strictWorld is a world whose models are the demo model's families, over HTTP,
// with all their rules. Every third chain of calls is broken off in the stream.
func strictWorld(t *testing.T) *world {
	t.Helper()
	var mu sync.Mutex
	var refused []string
	server := httptest.NewServer(demo.Handler(demo.Options{BreakEvery: 3, OnRefused: func(reason string) {
		mu.Lock()
		defer mu.Unlock()
		refused = append(refused, reason)
	}}))
	t.Cleanup(func() {
		server.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, r := range refused {
			t.Errorf("the model had to answer 400: %s", r)
		}
	})
	w := newWorld(t)
	w.tools.specs = append(w.tools.specs, agent.ToolSpec{Name: "calculator", Effect: agent.EffectRead, Idempotent: true})
	w.tools.do["calculator"] = func(_ context.Context, in agent.ToolInput) agent.ToolResult {
		return agent.ToolResult{Content: `{"expression":"of a chain","result":4}`}
	}
	p, err := provider.New(provider.Config{
		BaseURL: server.URL + "/v1", HTTPClient: server.Client(), IdleTimeout: patience, Clock: quickClock(),
		Models: strictModels(), Retry: provider.RetryConfig{Max: 10}, Logger: slog.New(slog.DiscardHandler),
	})
	w.must(err)
	w.useModel(p)
	return w
}

// useModel puts a real provider in the place of the scripted one, also after a restart.
func (w *world) useModel(p *provider.Provider) {
	w.onStart = func() { w.runner.Loop.Provider, w.runner.Loop.Counter = p, p }
	w.onStart()
}

func strictModels() []provider.Model {
	var models []provider.Model
	for _, f := range demo.Families() {
		models = append(models, provider.Model{Name: "demo:" + string(f), Family: provider.Family(f)})
	}
	return models
}

// interruption is what happens to a turn in its middle.
type interruption int

const (
	none interruption = iota
	kill
	stop
)

// turn sends a message and sees to it that its run comes to an end. An
// interruption meets it after some entries in its journal.
func (w *world) turn(text string, how interruption, after int64) *agent.Run {
	w.t.Helper()
	if how == none {
		return w.post(text)
	}
	ctx, cancel := context.WithCancelCause(w.t.Context())
	defer cancel(nil)
	left := &atomic.Int64{}
	left.Store(after)
	switch how {
	case kill:
		w.runner.Loop.Journal = unplugged{w.store, left}
	default:
		w.runner.Loop.Journal = stopping{w.store, left, func() { cancel(&loop.AbortCause{By: ana.Email}) }}
	}
	w.beforeAdvance = func(string) {
		w.beforeAdvance = nil
		if err := w.runner.Loop.Advance(ctx, w.claimed()); err != nil && !errors.Is(err, errPulled) {
			w.t.Fatal(err)
		}
		w.restart()
	}
	return w.post(text)
}

// stopping is a journal that cancels the run after some entries.
type stopping struct {
	agent.Journal
	left *atomic.Int64
	stop func()
}

func (j stopping) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	if j.left.Add(-1) == 0 {
		j.stop()
	}
	return j.Journal.Append(ctx, e)
}

func (w *world) setModel(model string, mode agent.OutputMode) {
	w.t.Helper()
	_, err := w.store.UpdateConversation(w.t.Context(), ana, "c", agent.ConversationPatch{Model: &model, OutputMode: &mode})
	w.must(err)
}

// TestStrictModels: ten turns with two to five calls each, the model changed in
// the middle to one of another family, in half of them with turns that are killed
// or stopped: no model ever has to refuse a request.
func TestStrictModels(t *testing.T) {
	t.Parallel()
	models := append(strictModels(), provider.Model{Name: "demo"})
	for i, first := range models {
		for k, second := range models {
			if i == k || !agenttest.Full() && (i+2*k)%5 != 0 {
				continue
			}
			seed, undisturbed := i*len(models)+k, (i+k)%2 == 0
			mode := []agent.OutputMode{agent.OutputToken, agent.OutputSentence}[seed/2%2]
			t.Run(fmt.Sprintf("%s then %s/%s", first.Name, second.Name, mode), func(t *testing.T) {
				t.Parallel()
				w := strictWorld(t)
				for turn := range 10 {
					w.setModel([]string{first.Name, second.Name}[turn/5], mode)
					how := interruption((seed + turn) % 3)
					if undisturbed {
						how = none
					}
					run := w.turn(fmt.Sprintf("test chain %d", 2+turn%4), how, int64(1+(seed+5*turn)%14))
					if !run.Status.Ended() || how != stop && run.Status != agent.StatusFinished {
						t.Fatalf("turn %d (%d): run %s (%s)", turn, how, run.Status, run.StopReason)
					}
				}
				w.soundHistory()
				if waits := find[agent.RetryEvent](w.events()); undisturbed && len(waits) < 4 {
					t.Errorf("%d chains were broken off, want every third that is streamed", len(waits))
				}
			})
		}
	}
}

// TestStrictModelsAtEveryStep: one chain that is killed or stopped after each
// of its entries in turn; the next message is always accepted. Where not everything is
// asked for, the models share the entries.
func TestStrictModelsAtEveryStep(t *testing.T) {
	t.Parallel()
	for i, m := range strictModels() {
		first, every := int64(1+i%3), int64(3)
		if agenttest.Full() {
			first, every = 1, 1
		}
		for _, how := range []interruption{kill, stop} {
			t.Run(fmt.Sprintf("%s/%d", m.Name, how), func(t *testing.T) {
				t.Parallel()
				w := strictWorld(t)
				w.setModel(m.Name, agent.OutputToken)
				for after := first; after <= 20; after += every {
					run := w.turn("test chain 3", how, after)
					if !run.Status.Ended() {
						t.Fatalf("after %d: run %s", after, run.Status)
					}
				}
				if run := w.post("test chain 2"); run.Status != agent.StatusFinished {
					t.Errorf("the last run %s (%s)", run.Status, run.StopReason)
				}
				w.soundHistory()
			})
		}
	}
}

// TestStrictModelsRefuse: the rules are there; a request that breaks them is refused.
func TestStrictModelsRefuse(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(demo.Handler(demo.Options{}))
	defer server.Close()
	plain, err := provider.New(provider.Config{
		BaseURL: server.URL + "/v1", HTTPClient: &http.Client{}, Models: []provider.Model{{Name: "demo:mistral"}}, Clock: quickClock(), IdleTimeout: patience,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = plain.Complete(t.Context(), agent.Request{Model: "demo:mistral", Messages: []agent.Message{
		{Role: agent.FromUser, Content: "hi"}, {Role: agent.FromAssistant, Content: "hi"},
	}}, func(agent.Delta) error { return nil })
	var failed *agent.ProviderError
	if !errors.As(err, &failed) || failed.Status != http.StatusBadRequest {
		t.Errorf("an assistant's message as the last one: %v", err)
	}
}
