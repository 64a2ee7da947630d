package looptest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

const asksToHandIn = "Hand in what you have: say what is done, what is not done, and what is unknown."

// handInRequests are the requests that ask to hand in; all of them offer no tools.
func handInRequests(w *world) (asked []string) {
	w.t.Helper()
	for _, r := range w.model.Requests() {
		last := r.Messages[len(r.Messages)-1].Content
		if !strings.Contains(last, asksToHandIn) {
			continue
		}
		asked = append(asked, last)
		if len(r.Tools) > 0 {
			w.t.Errorf("a model that has to hand in is offered %d tools", len(r.Tools))
		}
	}
	return asked
}

// endsAt wants a run to be stopped by a limit, after it was asked once to hand in.
func (w *world) endsAt(run *agent.Run, reason agent.StopReason, requests int, says string) {
	w.t.Helper()
	if run.Status != agent.StatusStopped || run.StopReason != reason {
		w.t.Errorf("the run is %s (%s), want stopped (%s)", run.Status, run.StopReason, reason)
	}
	if n := len(w.model.Requests()); n != requests {
		w.t.Errorf("%d requests, want %d", n, requests)
	}
	if ends := find[agent.Finish](w.events()); len(ends) != 1 || !strings.HasPrefix(ends[0].Message, says) || ends[0].ToolCalls != ends[0].ToolReturns {
		w.t.Errorf("it ends with %+v, want %q", ends, says)
	}
}

// TestStepLimitHandsIn: the last model call is one beyond the limit, has no tools, and
// the run ends with the limit's status whatever the model answers.
func TestStepLimitHandsIn(t *testing.T) {
	t.Parallel()
	declared := map[string]string{"city": "string", "days": "integer"}
	used := func(tokens int64) []agenttest.Turn {
		turns := calling(3, "look", true)
		turns[2].Usage.InputTokens = tokens
		return turns
	}
	for name, tc := range map[string]struct {
		turns    []agenttest.Turn
		last     agenttest.Turn
		requests int
		says     string
		history  string // the last message
		values   map[string]string
	}{
		"it says what it has": {
			last: agenttest.Turn{Text: "Two of three are done."}, requests: 4, history: "Two of three are done.",
			says: "The run handed in what it had. Done: look (3 times). The limit of model calls was reached.",
		},
		"it delivers outputs": {
			last: agenttest.Turn{Text: "So far:\n```json\n{\"city\":\"Paris\",\"days\":\"three\"}\n```"}, requests: 4, history: "So far:\n```json\n{\"city\":\"Paris\",\"days\":\"three\"}\n```",
			says: "The run handed in what it had. Done:", values: map[string]string{"city": `"Paris"`},
		},
		"it calls a tool again": {
			last: agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("again", "save", `{}`)}}, requests: 4,
			says: "The run could not hand in what it had. Done: look (3 times). The limit",
		},
		"it speaks and calls a tool": {
			last: agenttest.Turn{Text: `{"days":2}`, Calls: []agent.CallRequest{agenttest.Call("again", "save", `{}`)}}, requests: 4, history: `{"days":2}`,
			says: "The run handed in what it had. Done: look (3 times). The limit", values: map[string]string{"days": "2"},
		},
		"it chants": {
			last: agenttest.Turn{Text: "Good. " + strings.Repeat("I say it again and again. ", 60)}, requests: 4, history: "Good",
			says: "The run was cut off while it handed in what it had. ",
		},
		"its model is down": {
			last: agenttest.Turn{Text: "I beg", Err: &agent.ProviderError{Status: 500, Message: "It is down.", Attempts: 3}}, requests: 4, history: "I beg",
			says: "The run was cut off while it handed in what it had. It is down. Done:",
		},
		"its model does not answer": {
			last: agenttest.Turn{Err: &agent.ProviderError{Status: 500, Message: "It is down.", Attempts: 3}}, requests: 4, history: "result of look",
			says: "The run could not hand in what it had. It is down. Done:",
		},
		"a further try does not fit its budget": {
			last: agenttest.Turn{Err: &agent.InsufficientBudget{NextTokens: 1000}}, requests: 4, history: "result of look",
			says: "The run could not hand in what it had. The token budget of",
		},
		"its budget has no room": {
			turns: used(199_900), requests: 3, history: "result of look",
			says: "The run could not hand in what it had. The token budget of the run would be exceeded:",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turns := tc.turns
			if turns == nil {
				turns = calling(3, "look", true)
			}
			w := newWorld(t, append(turns, tc.last)...)
			w.service.Guards.MaxSteps = 3
			done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go", Outputs: declared})
			w.must(err)
			run := w.advance(done.RunID)
			w.endsAt(run, agent.StopMaxSteps, tc.requests, tc.says)
			asked := handInRequests(w)
			if len(asked) != tc.requests-3 || run.Steps != tc.requests {
				t.Errorf("asked to hand in %d times, in %d steps", len(asked), run.Steps)
			}
			for _, reminder := range asked {
				if !strings.Contains(reminder, "its limit of model calls") || !strings.Contains(reminder, "as one JSON object with these names: city (string), days (integer).") {
					t.Errorf("the reminder says %q", reminder)
				}
			}
			if trips := find[agent.GuardEvent](w.events()); len(trips) == 0 || w.tools.executed("save") > 0 || len(find[agent.ApprovalRequestedEvent](w.events())) > 0 {
				t.Errorf("the breakers said %+v, save ran %d times, cards: %+v", trips, w.tools.executed("save"), find[agent.ApprovalRequestedEvent](w.events()))
			}
			messages := w.soundHistory()
			if last := messages[len(messages)-1]; !strings.HasPrefix(last.Content, tc.history) || len(last.ToolCalls) > 0 {
				t.Errorf("the last message is %+v", last)
			}
			values := map[string]string{}
			for name, value := range run.State.Values {
				values[name] = string(value)
			}
			if diff := cmp.Diff(tc.values, values, cmp.Transformer("empty", func(m map[string]string) []string {
				return []string{m["city"], m["days"]}
			})); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

// TestHandInLeavesWhatWasDelivered: what emit_value has delivered stays, and is not asked for.
func TestHandInLeavesWhatWasDelivered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(calling(1, "emit", true), agenttest.Turn{Text: `{"city":"Rome","days":3}`})...)
	w.tools.specs = append(w.tools.specs, agent.ToolSpec{Name: "emit", Effect: agent.EffectRead, Idempotent: true})
	w.tools.do["emit"] = func(context.Context, agent.ToolInput) agent.ToolResult {
		return agent.ToolResult{Content: "delivered", Emit: &agent.Emission{Name: "city", Value: []byte(`"Paris"`)}}
	}
	w.service.Guards.MaxSteps = 1
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "go", Outputs: map[string]string{"city": "string", "days": "integer"}})
	w.must(err)
	run := w.advance(done.RunID)
	w.endsAt(run, agent.StopMaxSteps, 2, "The run handed in what it had. Done: emit.")
	if city, days := string(run.State.Values["city"]), string(run.State.Values["days"]); city != `"Paris"` || days != "3" {
		t.Errorf("city %s, days %s", city, days)
	}
	if asked := handInRequests(w); len(asked) != 1 || strings.Contains(asked[0], "city") || !strings.Contains(asked[0], "names: days (integer).") {
		t.Errorf("asked %q", asked)
	}
}

// moved advances a run while the test moves the clock.
func (w *world) moved(move func()) *agent.Run {
	w.t.Helper()
	done, err := w.service.Post(w.t.Context(), ana, service.Post{ConversationID: "c", Content: "go", Outputs: map[string]string{"city": "string"}})
	w.must(err)
	claimed := w.claimed()
	left := make(chan error, 1)
	go func() { left <- w.runner.Loop.Advance(w.t.Context(), claimed) }()
	move()
	w.must(agenttest.Receive(w.t, "the end of the run", left))
	run, err := w.store.Run(w.t.Context(), ana, done.RunID)
	w.must(err)
	return run
}

// TestTimeLimitHandsIn: what works when the time is up is cut off, and its model is asked
// with what there is.
func TestTimeLimitHandsIn(t *testing.T) {
	t.Parallel()
	t.Run("a tool runs and a card waits", func(t *testing.T) {
		t.Parallel()
		both := agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("a", "look", `{}`), agenttest.Call("b", "run_shell", `{"command":"x"}`)}}
		w := newWorld(t, both, agenttest.Turn{Text: "I was looking."})
		inside := make(chan struct{})
		w.tools.do["look"] = func(ctx context.Context, _ agent.ToolInput) agent.ToolResult {
			close(inside)
			<-ctx.Done()
			return agent.ToolResult{ErrorType: agent.ErrCancelled, Content: "cut off"}
		}
		run := w.moved(func() {
			agenttest.Receive(t, "the tool", inside)
			w.clock.Outwait(t, 10*time.Minute)
		})
		w.endsAt(run, agent.StopTimeout, 2, "The run handed in what it had. No tools ran. Not done: run_shell. Interrupted, may have taken effect: look. The time limit")
		if asked := handInRequests(w); len(asked) != 1 || !strings.Contains(asked[0], "its limit of running time") {
			t.Errorf("asked %q", asked)
		}
		if m := w.soundHistory(); len(m) != 5 || !strings.Contains(m[2].Content, "cut off") || m[4].Content != "I was looking." || w.tools.executed("run_shell") > 0 {
			t.Errorf("history %+v", m)
		}
		if cards, _, err := w.store.Approvals(t.Context(), rex, agent.ApprovalFilter{}, agent.Page{}); err != nil || len(cards) != 1 || cards[0].Status != agent.ApprovalCancelled {
			t.Errorf("cards %+v, %v", cards, err)
		}
	})
	t.Run("the model speaks", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, agenttest.Turn{Text: "It is about", Hold: true}, agenttest.Turn{Text: "No more than that."})
		run := w.moved(func() {
			agenttest.Receive(t, "the model", w.model.Holding)
			w.clock.Outwait(t, 10*time.Minute)
		})
		w.endsAt(run, agent.StopTimeout, 2, "The run handed in what it had. No tools ran. The time limit")
		if m := w.soundHistory(); len(m) != 3 || m[1].Content != "It is about" || m[2].Content != "No more than that." || len(handInRequests(w)) != 1 {
			t.Errorf("history %+v", m)
		}
	})
}

// TestHandInIsBounded: after a tenth of the limit, within bounds, the run ends with what
// was streamed.
func TestHandInIsBounded(t *testing.T) {
	t.Parallel()
	for limit, grace := range map[time.Duration]time.Duration{20 * time.Second: 10 * time.Second, 5 * time.Minute: 30 * time.Second, time.Hour: time.Minute} {
		t.Run(limit.String(), func(t *testing.T) {
			t.Parallel()
			const said = `{"city":"Paris"} And`
			w := newWorld(t, append(calling(1, "look", true), agenttest.Turn{Text: said, Hold: true})...)
			w.service.Guards.MaxDuration = limit
			w.tools.do["look"] = func(context.Context, agent.ToolInput) agent.ToolResult {
				w.clock.Advance(limit + time.Minute)
				return agent.ToolResult{Content: "slow"}
			}
			run := w.moved(func() {
				agenttest.Receive(t, "the model", w.model.Holding)
				w.clock.Outwait(t, grace)
			})
			w.endsAt(run, agent.StopTimeout, 2, "The run was cut off while it handed in what it had. Done: look. The time limit")
			if m := w.soundHistory(); m[len(m)-1].Content != said || string(run.State.Values["city"]) != `"Paris"` {
				t.Errorf("last %+v, values %s", m[len(m)-1], run.State.Values)
			}
		})
	}
}
