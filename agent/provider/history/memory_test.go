package history

import (
	"math/rand/v2"
	"slices"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/history/historytest"
)

// TestRepairWithMemory: a history repaired as it grows is repaired as one that
// was repaired at once, and takes the same ids.
func TestRepairWithMemory(t *testing.T) {
	t.Parallel()
	historytest.EachWalk(t, 11, func(_ *rand.Rand, req agent.Request) {
		kept := Of(req)
		got, repairs := kept.Repair(req)
		want, wanted := newRepairer().repair(req.Messages)
		if encoded(got) != encoded(want) || repairs != wanted {
			t.Errorf("%d repairs as it grew, %d at once:\n%s\n%s", repairs, wanted, encoded(got), encoded(want))
		}
		calls := 0
		for _, m := range slices.Concat(req.Messages, want) {
			for _, c := range m.ToolCalls {
				if !kept.Taken(c.ID) {
					t.Errorf("the id %q is free", c.ID)
				}
			}
		}
		for _, m := range req.Messages {
			calls += len(m.ToolCalls)
		}
		if kept.Calls() != calls || kept.Taken("none") {
			t.Errorf("%d calls are known of %d", kept.Calls(), calls)
		}
	})
}

// TestMemoryOfAnotherRun: the ids of calls that a run has left out of its requests
// are free again in the next run of the conversation.
func TestMemoryOfAnotherRun(t *testing.T) {
	t.Parallel()
	req := agent.Request{RunID: "r1", Memory: &agent.Memory{}, CallIDs: []string{"old"}, Messages: []agent.Message{historytest.Says("hi")}}
	kept := Of(req)
	kept.Repair(req)
	if !kept.Taken("old") {
		t.Error("the id of an earlier call of the run is free")
	}
	req.RunID, req.CallIDs = "r2", []string{"new"}
	kept.Repair(req)
	if kept.Taken("old") || !kept.Taken("new") {
		t.Error("the next run has the calls of the one before it")
	}
}
