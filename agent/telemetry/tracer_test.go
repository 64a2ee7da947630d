package telemetry_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/telemetry"
)

// archive is the rows of one run, under any id.
type archive struct {
	run    agent.Run
	steps  []agent.Step
	calls  []agent.ToolCall
	cards  []agent.Approval
	events []agent.Event
}

func (a archive) Run(_ context.Context, _ agent.Viewer, id string) (*agent.Run, error) {
	if id == "deleted" {
		return nil, agent.Errorf(agent.NotFound, "There is no such run.")
	}
	r := a.run
	r.ID = id
	return &r, nil
}
func (a archive) Steps(context.Context, string) ([]agent.Step, error)         { return a.steps, nil }
func (a archive) ToolCalls(context.Context, string) ([]agent.ToolCall, error) { return a.calls, nil }
func (a archive) RunEvents(context.Context, string) ([]agent.Event, error)    { return a.events, nil }
func (a archive) Approvals(context.Context, agent.Viewer, agent.ApprovalFilter, agent.Page) ([]agent.Approval, string, error) {
	return a.cards, "", nil
}

// inbox is a collector that keeps what it got.
type inbox struct {
	status atomic.Int64
	mu     sync.Mutex
	docs   []*otlp.TracesData
	tries  atomic.Int64
	leads  string // where its redirects go
}

func (i *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.tries.Add(1)
	if status := int(i.status.Load()); status != 0 {
		w.Header().Set("Location", i.leads)
		w.WriteHeader(status)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	doc := &otlp.TracesData{}
	if proto.Unmarshal(raw, doc) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.docs = append(i.docs, doc)
}

func (i *inbox) got() []*otlp.TracesData {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.docs
}

// hurried is a clock whose waits are over at once.
func hurried() *agenttest.Clock {
	c := agenttest.NewClock()
	c.Hurry(func(time.Duration) bool { return true })
	return c
}

// tracer is one that exports to an inbox; begin starts it.
func tracer(t *testing.T, a archive, i *inbox) (m *telemetry.Metrics, tr *telemetry.Tracer, begin func()) {
	t.Helper()
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	m = start(t, &fakeStore{})
	tr = telemetry.NewTracer(telemetry.TracerOptions{
		Collector: telemetry.Collector{
			URL: server.URL + "/v1/traces", Headers: map[string]string{"x-secret": "s"}, Client: server.Client(), Clock: hurried(),
		},
		Service: "box", Version: "test", Log: slog.New(slog.DiscardHandler),
	}, m)
	return m, tr, func() {
		tr.Start(t.Context(), a, telemetry.Instance{KnowsTool: knowsShell, Provider: func(string) string { return "openai" }})
	}
}

func ended(ids ...string) (events []agent.Event) {
	for _, id := range ids {
		events = append(events, at(9, id, agent.Finish{Status: agent.StatusFinished}))
	}
	return events
}

func closes(t *testing.T, tr *telemetry.Tracer) {
	t.Helper()
	tr.Close(agenttest.Context(t))
}

// brokenRun failed in its second step, while a call was executed and an approval waited.
func brokenRun() archive {
	return archive{
		run: agent.Run{
			Model: "m", ConversationID: "c", Status: agent.StatusFailed, StopReason: agent.StopProviderError,
			CreatedAt: t0, StartedAt: t0.Add(time.Second), EndedAt: t0.Add(time.Minute), CostMicros: 7,
		},
		steps: []agent.Step{
			{N: 1, Model: "second", FinishReason: "tool_calls", StartedAt: t0.Add(2 * time.Second), EndedAt: t0.Add(5 * time.Second)},
			{N: 2, Kind: agent.StepJudge, Model: "judge", StartedAt: t0.Add(6 * time.Second), EndedAt: t0.Add(7 * time.Second)},
		},
		calls: []agent.ToolCall{
			{ID: "1", Name: "run_shell", State: agent.CallCancelled, ErrorType: agent.ErrCancelled, Args: "secret", StartedAt: t0.Add(8 * time.Second)},
			{ID: "2", Name: "secret name", State: agent.CallError, StartedAt: t0.Add(8 * time.Second), EndedAt: t0.Add(9 * time.Second)},
			{ID: "3", Name: "run_shell", State: agent.CallError},
		},
		cards: []agent.Approval{{
			ID: "a", Kind: agent.KindQuestion, Status: agent.ApprovalCancelled, Message: "secret", DecidedBy: "secret@example.org",
			RequestedAt: t0.Add(10 * time.Second),
		}},
		events: []agent.Event{
			{Step: 1, At: t0.Add(2 * time.Second), Data: agent.StepStart{}},
			{Step: 1, At: t0.Add(5 * time.Second), Data: agent.StepFinish{}},
			{Step: 1, At: t0.Add(6 * time.Second), Data: agent.FallbackEvent{Reason: "budget", Model: "cheap"}},
			{Step: 2, At: t0.Add(11 * time.Second), Data: agent.StepStart{}},
			{Step: 2, At: t0.Add(12 * time.Second), Data: agent.RetryEvent{Attempt: 1, Status: 500, Message: "secret"}},
			{Step: 2, At: t0.Add(13 * time.Second), Data: agent.FallbackEvent{Reason: "model-unavailable", Model: "third"}},
		},
	}
}

// TestSpansOfABrokenRun: what never came to its end ends with the run, what
// failed says so, and nobody's texts are told.
func TestSpansOfABrokenRun(t *testing.T) {
	t.Parallel()
	in := &inbox{}
	_, tr, begin := tracer(t, brokenRun(), in)
	tr.Observe(ended("r"))
	begin()
	closes(t, tr)
	if len(in.got()) != 1 {
		t.Fatalf("%d traces", len(in.got()))
	}
	var got []string
	for _, s := range in.got()[0].ResourceSpans[0].ScopeSpans[0].Spans {
		line := s.Name + " " + clock(s.StartTimeUnixNano) + "-" + clock(s.EndTimeUnixNano)
		if s.Status.GetCode() == otlp.Status_STATUS_CODE_ERROR {
			line += " " + s.Attributes[len(s.Attributes)-1].Value.GetStringValue()
		}
		for _, e := range s.Events {
			line += " +" + e.Name
		}
		got = append(got, line)
	}
	want := []string{
		"invoke_agent fusebox 00:01-01:00 provider_error",
		"chat m 00:02-00:05",
		"chat judge 00:06-00:07",
		"chat cheap 00:11-01:00 provider_error +retry +fallback",
		"execute_tool run_shell 00:08-01:00 cancelled",
		"execute_tool other 00:08-00:09",
		"wait approval question 00:10-01:00",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if strings.Contains(in.got()[0].String(), "secret") {
		t.Error("the trace gives away private text")
	}
}

// TestTreeIsOneTrace: the spans of a child run are in the trace of its root, below the call
// that made it.
func TestTreeIsOneTrace(t *testing.T) {
	t.Parallel()
	root := brokenRun()
	root.calls = root.calls[:1]
	child := brokenRun()
	child.run.Agent, child.run.Lineage = "scout", agent.Lineage{ParentRunID: "r", ParentCallID: "1", RootRunID: "r", Depth: 1}
	var spans [2][]*otlp.Span
	for i, a := range []archive{root, child} {
		in := &inbox{}
		_, tr, begin := tracer(t, a, in)
		tr.Observe(ended([]string{"r", "child"}[i]))
		begin()
		closes(t, tr)
		spans[i] = in.got()[0].ResourceSpans[0].ScopeSpans[0].Spans
	}
	call := spans[0][slices.IndexFunc(spans[0], func(s *otlp.Span) bool { return s.Name == "execute_tool run_shell" })]
	top := spans[1][0]
	if top.Name != "invoke_agent scout" || !bytes.Equal(top.TraceId, call.TraceId) || !bytes.Equal(top.ParentSpanId, call.SpanId) {
		t.Errorf("the child is %s in trace %x below %x, its call is %x in trace %x", top.Name, top.TraceId, top.ParentSpanId, call.SpanId, call.TraceId)
	}
}

// clock shows how long after t0 an instant is.
func clock(nanos uint64) string {
	return time.Unix(0, int64(nanos)).UTC().Add(-12 * time.Hour).Format("04:05")
}

// TestTraceTwice: a run that is exported twice is one trace.
func TestTraceTwice(t *testing.T) {
	t.Parallel()
	in := &inbox{}
	m, tr, begin := tracer(t, brokenRun(), in)
	tr.Observe(ended("r", "r", "other", "deleted"))
	begin()
	closes(t, tr)
	docs := in.got()
	if len(docs) != 3 {
		t.Fatalf("%d traces", len(docs))
	}
	if !proto.Equal(docs[0], docs[1]) {
		t.Error("the second export differs")
	}
	seen := map[string]bool{}
	for _, s := range append(docs[0].ResourceSpans[0].ScopeSpans[0].Spans, docs[2].ResourceSpans[0].ScopeSpans[0].Spans...) {
		seen[string(s.SpanId)] = true
	}
	if len(seen) != 14 {
		t.Errorf("%d ids for 14 spans", len(seen))
	}
	if got := family(t, m, "fusebox_traces_exported_total"); got[""] != 3 {
		t.Errorf("exported: %v", got)
	}
}

// TestTracesAreDropped: what does not fit the queue, and what the collector does
// not take, is counted and holds nobody up.
func TestTracesAreDropped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status int
		tries  int64
	}{
		{"refused", http.StatusForbidden, 1},
		{"busy", http.StatusTooManyRequests, 4},
		{"moved", http.StatusTemporaryRedirect, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			elsewhere := &inbox{}
			far := httptest.NewServer(elsewhere)
			defer far.Close()
			in := &inbox{leads: far.URL}
			in.status.Store(int64(c.status))
			m, tr, begin := tracer(t, brokenRun(), in)
			tr.Observe(ended("r"))
			begin()
			closes(t, tr)
			if got := family(t, m, "fusebox_traces_dropped_total"); got["failed"] != 1 || in.tries.Load() != c.tries {
				t.Errorf("dropped: %v after %d tries, want 1 after %d", got, in.tries.Load(), c.tries)
			}
			if elsewhere.tries.Load() != 0 {
				t.Error("a redirect took the trace and its headers elsewhere")
			}
		})
	}
	t.Run("full", func(t *testing.T) {
		t.Parallel()
		m, tr, _ := tracer(t, brokenRun(), &inbox{})
		for range 1030 {
			tr.Observe(ended("r"))
		}
		if got := family(t, m, "fusebox_traces_dropped_total"); got["queue_full"] != 6 {
			t.Errorf("dropped: %v", got)
		}
	})
}

// TestCloseIsBounded: a collector that never answers does not keep the program
// from stopping.
func TestCloseIsBounded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(agenttest.Context(t))
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else nobody notices that the client leaves
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	m := start(t, &fakeStore{})
	tr := telemetry.NewTracer(telemetry.TracerOptions{
		Collector: telemetry.Collector{URL: server.URL, Client: server.Client(), Clock: hurried()},
		Log:       slog.New(slog.DiscardHandler),
	}, m)
	tr.Observe(ended("1", "2", "3"))
	tr.Start(t.Context(), brokenRun(), telemetry.Instance{KnowsTool: knowsShell, Provider: func(string) string { return "" }})
	tr.Close(ctx)
	if got := family(t, m, "fusebox_traces_dropped_total"); got["failed"] != 3 {
		t.Errorf("dropped: %v", got)
	}
}
