package agent_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

func TestMirror(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	after := func(by string, d time.Duration, verb agent.Verb, marks ...string) agent.ReviewerDecision {
		m := agent.ReviewerDecision{By: by, Decision: verb, RequestedAt: noon, DecidedAt: noon.Add(d)}
		for _, mark := range marks {
			m.Call = m.Call || mark == "call"
			m.Opened = m.Opened || mark == "opened"
			m.Failed = m.Failed || mark == "failed"
		}
		return m
	}
	lines, whole := agent.SumReviewerStats([]agent.ReviewerDecision{
		after("rex", 4*time.Second, agent.DecideApprove, "call"),
		after("ana", 10*time.Second, agent.DecideApprove, "call", "opened"),
		after("ana", 30*time.Second, agent.DecideReject, "call"),
		after("ana", 20*time.Second, agent.DecideEdit, "call", "failed"),
		after("rex", 6*time.Second, agent.DecideResume),
		after("rex", time.Second, agent.DecideAnswer),
		after("rex", time.Hour, agent.DecideTakeover, "call"),
	}, map[string]int{"rex": 2, "zoe": 1})
	want := []agent.ReviewerStats{
		{Who: "ana", Decisions: 3, Median: 20 * time.Second, Approved: 2, Calls: 2, Unopened: 1, Failed: 1},
		{Who: "rex", Decisions: 4, Median: 5 * time.Second, Approved: 2, Calls: 1, Unopened: 1, Undone: 2},
		{Who: "zoe", Undone: 1},
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(agent.ReviewerStats{Decisions: 7, Median: 10 * time.Second, Approved: 4, Calls: 3, Unopened: 2, Failed: 1, Undone: 3}, whole); diff != "" {
		t.Error(diff)
	}
	if lines, whole := agent.SumReviewerStats(nil, nil); len(lines) != 0 || whole != (agent.ReviewerStats{}) {
		t.Errorf("of nothing: %v %v", lines, whole)
	}
}
