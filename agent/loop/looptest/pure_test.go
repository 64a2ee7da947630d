package looptest

import (
	"context"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// pureWorld has the tool "add", which only computes.
func pureWorld(t *testing.T, turns ...agenttest.Turn) *world {
	t.Helper()
	w := newWorld(t, turns...)
	w.tools.specs = append(w.tools.specs, agent.ToolSpec{Name: "add", Effect: agent.EffectRead, Idempotent: true, Pure: true})
	return w
}

// TestStepsThatComputeAreOneCommit: a step is durable before the next one begins, and
// with a call that only computes it takes the disk one wait. A call that reads is known
// to have begun before it does.
func TestStepsThatComputeAreOneCommit(t *testing.T) {
	t.Parallel()
	for tool, perStep := range map[string]int64{"add": 1, "look": 2} {
		commits := func(steps int) int64 {
			w := pureWorld(t, append(calling(steps, tool, true), agenttest.Turn{Text: "Done."})...)
			journal := &countedJournal{Journal: w.store}
			w.runner.Loop.Journal = journal
			if run := w.post("count"); run.Status != agent.StatusFinished || w.tools.executed(tool) != steps {
				t.Fatalf("%s: %s after %d calls", tool, run.Status, w.tools.executed(tool))
			}
			return journal.appended
		}
		if got := (commits(12) - commits(2)) / 10; got != perStep {
			t.Errorf("a step that calls %s appends %d times, not %d", tool, got, perStep)
		}
	}
}

// countedJournal counts what is appended to a journal.
type countedJournal struct {
	agent.Journal
	appended int64
}

func (j *countedJournal) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	j.appended++
	return j.Journal.Append(ctx, e)
}

// TestCrashInACallThatComputes: the answer is not stored yet when its process dies, so the
// model is asked again; history, events, and the bill have each step once.
func TestCrashInACallThatComputes(t *testing.T) {
	t.Parallel()
	turns := calling(3, "add", true)
	w := pureWorld(t, turns[0], turns[1], turns[1], turns[2], agenttest.Turn{Text: "Done."})
	crashed := false
	w.tools.do["add"] = func(_ context.Context, in agent.ToolInput) agent.ToolResult {
		if string(in.Args) == `{"x":1}` && !crashed {
			crashed = true
			w.restart() // what comes back from here is of a process that has lost the run
		}
		return agent.ToolResult{Content: "sum of " + string(in.Args)}
	}
	done, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "count"})
	w.must(err)
	claimed := w.claimed()
	dying := w.runner.Loop
	if err := dying.Advance(t.Context(), claimed); err == nil {
		t.Fatal("the process that lost its run wrote on")
	}
	run := w.advance(done.RunID)
	if run.Status != agent.StatusFinished || run.Steps != 4 {
		t.Fatalf("the run is %s after %d steps", run.Status, run.Steps)
	}
	if results := find[agent.ToolCallResult](w.events()); len(results) != 3 {
		t.Errorf("%d results of 3 calls", len(results))
	}
	steps, err := w.store.Steps(t.Context(), run.ID)
	w.must(err)
	if len(steps) != 4 {
		t.Errorf("the bill has %d lines", len(steps))
	}
	w.soundHistory()
}
