package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/telemetry"
)

// fakeStore is what metrics read of a database.
type fakeStore struct {
	totals []agent.SpendRow
	cards  []agent.Approval
	runs   []agent.Run
	calls  []agent.ToolCall
	fails  error
}

func (h *fakeStore) SpendTotals(context.Context) ([]agent.SpendRow, error)       { return h.totals, h.fails }
func (h *fakeStore) PendingByKind(context.Context) ([]agent.PendingCount, error) { return nil, nil }
func (h *fakeStore) OpenRuns(context.Context) ([]agent.OpenRuns, error)          { return nil, nil }
func (h *fakeStore) UnendedRuns(context.Context) ([]agent.Run, error)            { return h.runs, nil }
func (h *fakeStore) UnendedCalls(context.Context) ([]agent.ToolCall, error) {
	return h.calls, nil
}
func (h *fakeStore) PendingApprovals(context.Context) ([]agent.Approval, error) { return h.cards, nil }

func knowsShell(name string) bool { return name == "run_shell" }

func start(t *testing.T, h *fakeStore) *telemetry.Metrics {
	t.Helper()
	m := telemetry.NewMetrics(agenttest.NewClock(), slog.New(slog.DiscardHandler), "test")
	err := m.Start(t.Context(), telemetry.Instance{
		Source: h, KnowsTool: knowsShell, Provider: func(string) string { return "openai" }, Readers: func() int { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// family is one metric with its series: the values of the labels, and the value
// or, of a histogram, the count.
func family(t *testing.T, m *telemetry.Metrics, name string) map[string]float64 {
	t.Helper()
	all, err := m.Registry().Gather()
	if err != nil && name != "" {
		t.Fatal(err)
	}
	series := map[string]float64{}
	for _, f := range all {
		if f.GetName() != name {
			continue
		}
		for _, s := range f.GetMetric() {
			series[labels(s)] = s.GetCounter().GetValue() + s.GetGauge().GetValue() + float64(s.GetHistogram().GetSampleCount())
		}
	}
	return series
}

func labels(s *dto.Metric) string {
	var values []string
	for _, l := range s.GetLabel() {
		values = append(values, l.GetValue())
	}
	return strings.Join(values, " ")
}

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(seconds int, run string, data agent.EventData) agent.Event {
	return agent.Event{At: t0.Add(time.Duration(seconds) * time.Second), RunID: run, Step: 1, Data: data}
}

// TestModelsAreBounded: models beyond the bound come under one label, and all
// labels together are the whole bill.
func TestModelsAreBounded(t *testing.T) {
	t.Parallel()
	h := &fakeStore{}
	for i := range 150 {
		h.totals = append(h.totals, agent.SpendRow{Key: fmt.Sprintf("model-%03d", i), Tokens: agent.Tokens{InputTokens: 10}, Lines: 1})
	}
	m := start(t, h)
	for range 2 {
		series, sum := family(t, m, "fusebox_model_calls_total"), 0.0
		for _, v := range series {
			sum += v
		}
		if len(series) != 101 || sum != 150 || series["other"] != 50 {
			t.Fatalf("%d models with %v calls, %v of them others", len(series), sum, series["other"])
		}
	}
	m.Observe([]agent.Event{at(0, "r", agent.RunStart{Model: "one more"}), at(0, "r", agent.StepStart{}), at(1, "r", agent.StepFinish{})})
	if got := family(t, m, "fusebox_steps_total"); got["other"] != 1 || len(got) != 1 {
		t.Errorf("steps: %v", got)
	}
	if got := family(t, m, "gen_ai_client_operation_duration_seconds"); got["chat other other"] != 1 {
		t.Errorf("durations: %v", got)
	}
}

// TestStrangeNames: what models and providers write becomes a label only where
// it is known, and never breaks a scrape.
func TestStrangeNames(t *testing.T) {
	t.Parallel()
	m := start(t, &fakeStore{totals: []agent.SpendRow{{Key: "a\xffb" + strings.Repeat("x", 500), Lines: 1}, {Key: "ab" + strings.Repeat("x", 400), Lines: 1}}})
	call := func(id, tool string) agent.MessageEvent {
		return agent.MessageEvent{Message: agent.Message{ToolCalls: []agent.CallRequest{{ID: id, Name: tool}}}}
	}
	m.Observe([]agent.Event{
		at(0, "r", agent.RunStart{Model: "m"}), at(0, "r", call("1", "made up by a model")), at(0, "r", call("2", "run_shell")),
		at(1, "r", agent.ToolCallStateEvent{ToolCallID: "1", State: agent.CallError}),
		at(1, "r", agent.ToolCallStateEvent{ToolCallID: "2", State: agent.CallExecuting}),
		at(3, "r", agent.ToolCallStateEvent{ToolCallID: "2", State: agent.CallSuccess}),
		at(3, "of nobody", agent.ToolCallStateEvent{ToolCallID: "3", State: agent.CallCancelled}),
		at(4, "r", agent.RetryEvent{Status: 99999}), at(4, "r", agent.RetryEvent{Status: 429}),
	})
	got := family(t, m, "fusebox_tool_calls_total")
	if got["other error"] != 1 || got["run_shell success"] != 1 || got["other cancelled"] != 1 || len(got) != 3 {
		t.Errorf("calls: %v", got)
	}
	if got := family(t, m, "fusebox_model_retries_total"); got["none"] != 1 || got["4xx"] != 1 {
		t.Errorf("retries: %v", got)
	}
	if got := family(t, m, "fusebox_model_calls_total"); len(got) == 0 {
		t.Error("no model calls are told")
	}
}

// TestCardsAreCountedOnce: a vote, an edit and a reminder put an approval before
// people again and are not a further approval; one that is asked again is.
func TestCardsAreCountedOnce(t *testing.T) {
	t.Parallel()
	m := start(t, &fakeStore{cards: []agent.Approval{{ID: "old", Kind: agent.KindLoop, RequestedAt: t0.Add(-time.Hour)}}})
	asked := agent.ApprovalRequestedEvent{ApprovalID: "a", Kind: agent.KindTool, Risk: agent.RiskHigh}
	decided := agent.ApprovalDecidedEvent{ApprovalID: "a", Kind: "tool", Decision: "expired"}
	m.Observe([]agent.Event{at(0, "r", asked), at(5, "r", asked), at(6, "r", decided), at(9, "r", asked)})
	decided.Decision = "approve"
	m.Observe([]agent.Event{at(19, "r", decided), at(20, "r", agent.ApprovalDecidedEvent{ApprovalID: "old", Kind: "loop", Decision: "resume"})})
	if got := family(t, m, "fusebox_approvals_requested_total"); got["tool high"] != 2 || len(got) != 1 {
		t.Errorf("asked: %v", got)
	}
	if got := family(t, m, "fusebox_approvals_decided_total"); got["approve tool"] != 1 || got["expired tool"] != 1 || got["resume loop"] != 1 {
		t.Errorf("decided: %v", got)
	}
	if got := sums(t, m, "fusebox_approval_wait_seconds"); got["tool"] != 10 || got["loop"] != 3620 {
		t.Errorf("waited: %v", got)
	}
}

func sums(t *testing.T, m *telemetry.Metrics, name string) map[string]float64 {
	t.Helper()
	all, err := m.Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	series := map[string]float64{}
	for _, f := range all {
		for _, s := range f.GetMetric() {
			if f.GetName() == name {
				series[labels(s)] = s.GetHistogram().GetSampleSum()
			}
		}
	}
	return series
}

// TestFirstToken: the first piece of a step counts, once, whatever kind it is,
// and a step that another model answers is told under that one.
func TestFirstToken(t *testing.T) {
	t.Parallel()
	m := start(t, &fakeStore{})
	m.Observe([]agent.Event{
		at(0, "r", agent.RunStart{Model: "wanted"}), at(0, "r", agent.StepStart{}),
		at(2, "r", agent.ReasoningDelta{}), at(3, "r", agent.MessageReset{}), at(4, "r", agent.TextDelta{}), at(9, "r", agent.StepFinish{}),
		at(10, "r", agent.StepStart{}), at(11, "r", agent.FallbackEvent{Reason: "model-unavailable", Model: "second"}),
		at(13, "r", agent.ToolCallStart{}), at(14, "r", agent.StepFinish{}),
		at(14, "r", agent.FallbackEvent{Reason: "budget", Model: "cheap"}), // between steps: for all that follow
		at(15, "r", agent.StepStart{}), at(16, "r", agent.StepFinish{}), at(16, "r", agent.StepStart{}), at(16, "r", agent.StepFinish{}),
		at(16, "r", agent.StepStart{}), at(16, "r", agent.Finish{Status: agent.StatusAborted, StopReason: agent.StopUserAbort}),
		at(17, "r", agent.TextDelta{}), // a run that is over is forgotten
	})
	want := map[string]float64{"chat openai wanted": 2, "chat openai second": 3}
	if got := sums(t, m, "gen_ai_server_time_to_first_token_seconds"); len(got) != 2 || got["chat openai wanted"] != 2 || got["chat openai second"] != 3 {
		t.Errorf("first tokens after %v, want %v", got, want)
	}
	if got := sums(t, m, "gen_ai_client_operation_duration_seconds"); got["chat openai wanted"] != 9 || got["chat openai second"] != 4 {
		t.Errorf("answers after %v", got)
	}
	if got := family(t, m, "fusebox_steps_total"); got["wanted"] != 1 || got["second"] != 1 || got["cheap"] != 2 {
		t.Errorf("steps: %v", got)
	}
}

// TestMemoryIsBounded: runs that never end, because their conversations were
// deleted, do not keep later ones from being counted under their names.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := start(t, &fakeStore{})
	for i := range 10_100 {
		run := fmt.Sprint(i)
		m.Observe([]agent.Event{
			at(0, run, agent.RunStart{Model: "m"}), at(0, run, agent.StepStart{}),
			at(1, run, agent.ApprovalRequestedEvent{ApprovalID: run, Kind: agent.KindTool}),
		})
	}
	m.Observe([]agent.Event{at(2, "10099", agent.StepFinish{}), at(3, "10099", agent.ApprovalDecidedEvent{ApprovalID: "10099", Kind: "tool", Decision: "approve"})})
	if got := family(t, m, "fusebox_steps_total"); got["m"] != 1 {
		t.Errorf("steps: %v", got)
	}
	if got := sums(t, m, "fusebox_approval_wait_seconds"); got["tool"] != 2 {
		t.Errorf("waited: %v", got)
	}
}

// TestLedgerOutOfReach: the bill is left out rather than told wrong, and all
// else is told.
func TestLedgerOutOfReach(t *testing.T) {
	t.Parallel()
	h := &fakeStore{fails: errors.New("the disk is gone")}
	m := start(t, h)
	all, err := m.Registry().Gather()
	if err == nil {
		t.Error("the fault is not reported")
	}
	for _, f := range all {
		if f.GetName() == "fusebox_tokens_total" {
			t.Errorf("tokens are told: %v", f)
		}
	}
	if len(all) < 10 {
		t.Errorf("only %d metrics are told", len(all))
	}
}

// BenchmarkObserve is what a commit of deltas costs.
func BenchmarkObserve(b *testing.B) {
	m := telemetry.NewMetrics(agenttest.NewClock(), slog.New(slog.DiscardHandler), "test")
	err := m.Start(b.Context(), telemetry.Instance{
		Source: &fakeStore{}, KnowsTool: knowsShell, Provider: func(string) string { return "openai" }, Readers: func() int { return 0 },
	})
	if err != nil {
		b.Fatal(err)
	}
	m.Observe([]agent.Event{at(0, "r", agent.RunStart{Model: "m"}), at(0, "r", agent.StepStart{})})
	events := []agent.Event{at(1, "r", agent.TextDelta{ID: "x", Delta: "y"})}
	for b.Loop() {
		m.Observe(events)
	}
}
