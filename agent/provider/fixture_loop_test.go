package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/guards"
	"fusebox/agent/loop"
	"fusebox/agent/policy"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/streamtest"
	"fusebox/agent/service"
)

// fixtureStack is the real loop over a provider over HTTP.
type fixtureStack struct {
	t        *testing.T
	journal  *chat
	messages *service.Messages
	loop     *loop.Loop
	tools    *fixtureToolbox
}

var reader = agent.Viewer{UserID: "ana", Email: "ana@example.org", Role: agent.RoleUser}

// newStack serves the answers in turn, and then a plain one.
func newStack(t *testing.T, f fixture, answers ...http.HandlerFunc) (*fixtureStack, *script) {
	t.Helper()
	srv := serve(t, append(answers, raw(streamtest.Good))...)
	p, waits := newProvider(t, srv.URL, func(c *Config) { c.Retry.Max = 0 })
	hurry(waits, defaultBase) // what a busy endpoint makes the next message wait
	clock, ids := agenttest.NewClock(), agenttest.IDs()
	s := &fixtureStack{t: t, journal: &chat{clock: clock}, tools: &fixtureToolbox{}}
	if f.Tools {
		s.tools.specs = streamtest.Offered
	}
	settings := agent.DefaultGuardSettings()
	log := slog.New(slog.DiscardHandler)
	s.loop = &loop.Loop{
		Journal: s.journal, Provider: p, Counter: p, Tools: s.tools, Policy: policy.New(), Guards: guards.All, Streams: noStreamGuards,
		Reminder: guards.Reminder, Clock: clock, NewID: ids, Log: log, Settings: loop.Settings{
			Guards: settings, Parallel: 2, MaxOutput: 1 << 30, Price: func(string) (agent.Price, bool) { return agent.Price{}, true },
		},
	}
	s.messages = agenttest.NewCommands(s.journal, &loop.Runner{Loop: s.loop, Clock: clock, Log: log}, s.tools, clock, ids).Messages
	s.messages.Models.Configured, s.messages.Limits, s.messages.Guards = "m", agent.Limits{Tokens: 1 << 40}, settings
	return s, srv
}

// noStreamGuards lets a text repeat itself as it likes.
func noStreamGuards(agent.GuardSettings, string, agent.DeltaKind) []agent.StreamGuard { return nil }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run sends a message and returns its run once it rests.
func (s *fixtureStack) run(text string) *agent.Run {
	s.t.Helper()
	done, err := s.messages.Post(s.t.Context(), reader, service.Post{ConversationID: "c", Content: text})
	must(s.t, err)
	must(s.t, s.loop.Advance(s.t.Context(), &agent.Run{ID: done.RunID, Epoch: s.journal.run.Epoch}))
	run := s.journal.run
	return &run
}

// told is what the log of events says of the first answer.
type told struct {
	Text, Reasoning string
	Calls           []agent.CallRequest
	Usage           agent.Usage
	Finish          string
}

// told folds the events of the first step as a page does, and holds what was
// streamed against the message that came of it.
func (s *fixtureStack) told() (first told) {
	s.t.Helper()
	var streamed told
	for _, e := range s.journal.events {
		switch d := e.Data.(type) {
		case agent.TextDelta:
			streamed.Text += d.Delta
		case agent.ReasoningDelta:
			streamed.Reasoning += d.Delta
		case agent.MessageReset:
			streamed = told{}
		case agent.MessageEvent:
			if m := d.Message; m.Role == agent.FromAssistant {
				first = told{Text: m.Content, Reasoning: m.Reasoning, Calls: m.ToolCalls}
			}
		case agent.StepFinish:
			if first.Text != streamed.Text || first.Reasoning != streamed.Reasoning {
				s.t.Errorf("streamed %s after %s, the message says %s after %s",
					brief(streamed.Text), brief(streamed.Reasoning), brief(first.Text), brief(first.Reasoning))
			}
			first.Usage, first.Finish = d.Usage, d.FinishReason
			return first
		}
	}
	return streamed
}

// throughTheLoop are the fixtures that the loop can ask for, which makes its own ids
// unique: all of them, or every fifth where each takes ten times as long and not
// everything is asked for.
func throughTheLoop() (list []fixture) {
	for i, f := range allFixtures() {
		if f.History == nil && (!raceDetector || agenttest.Full() || i%5 == 0) {
			list = append(list, f)
		}
	}
	return list
}

// TestFixturesReachTheEvents: each stream, in small pieces, and byte by byte where
// everything is asked for, through provider, loop and journal: text, reasoning, calls,
// usage and finish reason as told. Calls have one result each, and the next message is
// accepted.
func TestFixturesReachTheEvents(t *testing.T) {
	t.Parallel()
	pieces := 16
	if agenttest.Full() {
		pieces = 1
	}
	for _, f := range throughTheLoop() {
		t.Run(f.Quirk+"/"+f.Name, func(t *testing.T) {
			t.Parallel()
			s, srv := newStack(t, f, f.inPieces(pieces))
			run := s.run("What is the weather in Rome?")
			if f.Want.Err != "" {
				mended := run.Status == agent.StatusFinished && run.State.FallbackUsed // asked in one piece
				if run.Status != agent.StatusFailed && !mended || len(s.tools.ran) > 0 {
					t.Errorf("run %s, %d tools ran", run.Status, len(s.tools.ran))
				}
			} else {
				s.wantTold(f.Want)
			}
			s.acceptsMore(srv)
		})
	}
}

func (s *fixtureStack) wantTold(w streamtest.Want) {
	s.t.Helper()
	got := s.told()
	expected := told{Text: w.Text, Reasoning: w.Reasoning, Usage: w.Usage, Finish: w.Finish}
	for i, c := range w.Calls {
		if i < len(got.Calls) && c.ID == "" {
			c.ID = got.Calls[i].ID
		}
		expected.Calls = append(expected.Calls, c)
	}
	if (w.Usage == agent.Usage{}) && got.Usage.Estimated {
		expected.Usage = got.Usage
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		s.t.Errorf("told (-want +got):\n%.2000s", diff)
	}
}

// acceptsMore sends one more message and checks every request's history against
// the rule of calls and results.
func (s *fixtureStack) acceptsMore(srv *script) {
	s.t.Helper()
	if run := s.run("And now?"); run.Status != agent.StatusFinished {
		s.t.Errorf("the next message: run %s", run.Status)
	}
	for _, body := range srv.requests() {
		if err := soundRequest(body); err != nil {
			s.t.Error(err)
		}
	}
}

// soundRequest checks that each call is followed by its result, and nothing else.
func soundRequest(body string) error {
	var req struct {
		Messages []struct {
			Role       string                `json:"role"`
			ToolCallID string                `json:"tool_call_id"`
			ToolCalls  []struct{ ID string } `json:"tool_calls"`
		} `json:"messages"`
	}
	if err := json.Unmarshal([]byte(body), &req); err != nil {
		return err
	}
	var open []string
	for i, m := range req.Messages {
		at := slices.Index(open, m.ToolCallID)
		switch {
		case m.Role == "tool" && at < 0:
			return fmt.Errorf("message %d is a result without its call", i)
		case m.Role == "tool":
			open = slices.Delete(open, at, at+1)
		case len(open) > 0:
			return fmt.Errorf("message %d stands before the result of %s", i, open[0])
		}
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("the result of %s is missing", open[0])
	}
	return nil
}

// TestFixturesCutInTheLoop: a stream that ends behind any of its events is no
// success, runs no tool, and the next message is accepted. Where not everything is asked
// for, each stream ends behind some of them, others than those of the stream before.
func TestFixturesCutInTheLoop(t *testing.T) {
	t.Parallel()
	for i, f := range throughTheLoop() {
		if len(f.Body) >= small || f.Want.Err != "" {
			continue
		}
		t.Run(f.Quirk+"/"+f.Name, func(t *testing.T) {
			t.Parallel()
			cuts := f.cuts()
			every := min(3, len(cuts))
			for k, at := range cuts {
				if !agenttest.Full() && k%every != i%every {
					continue
				}
				s, srv := newStack(t, f, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, f.Body[:at])
				})
				run := s.run("What is the weather in Rome?")
				if run.Status != agent.StatusFailed || len(s.tools.ran) > 0 {
					t.Errorf("cut behind %s: run %s, %d tools ran", brief(f.Body[max(0, at-40):at]), run.Status, len(s.tools.ran))
				}
				s.acceptsMore(srv)
			}
		})
	}
}

// fixtureToolbox counts what is executed.
type fixtureToolbox struct {
	specs []agent.ToolSpec
	mu    sync.Mutex
	ran   []string
}

func (b *fixtureToolbox) Outcome(context.Context, string, agent.ToolInput) (agent.ToolResult, bool) {
	return agent.ToolResult{}, false
}

func (b *fixtureToolbox) Specs() []agent.ToolSpec { return b.specs }

func (b *fixtureToolbox) Lookup(name string) (agent.ToolSpec, bool) {
	for _, s := range b.specs {
		if s.Name == name {
			return s, true
		}
	}
	return agent.ToolSpec{}, false
}

func (b *fixtureToolbox) Validate(name, args string) (json.RawMessage, error) {
	spec, known := b.Lookup(name)
	if !known || !answer.FitsSchema(spec.Parameters, args) {
		return nil, agent.InvalidField("", "does not fit")
	}
	return json.RawMessage(strings.TrimSpace(args)), nil
}

func (b *fixtureToolbox) Execute(_ context.Context, name string, _ agent.ToolInput) agent.ToolResult {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ran = append(b.ran, name)
	return agent.ToolResult{Content: "done"}
}

func (b *fixtureToolbox) Evidence(string, agent.ToolInput) agent.ToolEvidence {
	return agent.ToolEvidence{}
}
