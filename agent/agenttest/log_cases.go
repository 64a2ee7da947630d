package agenttest

import (
	"fmt"
	"reflect"
	"testing"

	"fusebox/agent"
)

func replaysFromAnywhere(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	for i := range 20 {
		commit(t, j, entry(run, agent.TextDelta{ID: "m", Delta: fmt.Sprint(i)}, agent.Notice{Message: "n"}))
	}
	whole, err := j.Events(t.Context(), "c", 0, 1000)
	must(t, err)
	for after := range len(whole) + 2 {
		tail, err := j.Events(t.Context(), "c", int64(after), 1000)
		must(t, err)
		want := whole[min(after, len(whole)):]
		if len(tail) != len(want) {
			t.Fatalf("after %d came %d events, want %d", after, len(tail), len(want))
		}
		for i := range tail {
			if !reflect.DeepEqual(tail[i], want[i]) {
				t.Errorf("after %d, event %d is %+v, want %+v", after, i, tail[i], want[i])
			}
		}
	}
}

func refusesForeignRun(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	must(t, j.CreateConversation(t.Context(), agent.Conversation{
		ID: "d", OwnerID: "u", ApprovalMode: agent.ModeDefault, CreatedAt: clock.Now(), UpdatedAt: clock.Now(),
	}))
	e := entry(run, agent.Notice{Message: "to the wrong log"})
	e.ConversationID = "d"
	_, err := j.Append(t.Context(), e)
	wantCode(t, err, agent.NotFound)
}

func takesBackWhole(t *testing.T, j Journal, clock *Clock) {
	run := start(t, j, clock)
	next := *run
	next.Steps = 7
	e := entry(run, agent.Notice{Message: "never told"})
	e.Run = &next
	e.Messages = []agent.Message{{ID: "n1", ConversationID: "c", ParentID: "m1", Role: agent.FromAssistant, RunID: run.ID, CreatedAt: clock.Now()}}
	e.Steps = []agent.Step{{RunID: run.ID, N: 1, ConversationID: "c", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 9}}}}
	e.Calls = []agent.CallChange{{From: agent.CallScheduled, Event: agent.CallClaimed, Call: call(run, agent.CallExecuting)}} // there is none
	_, err := j.Append(t.Context(), e)
	wantCode(t, err, agent.Conflict)
	snap := snapshot(t, j, run.ID)
	if snap.Run.Steps != 0 || len(snap.Branch) != 1 || snap.Conversation.LeafID != "m1" {
		t.Errorf("part of a refused entry stands: %+v", snap)
	}
	commit(t, j, entry(run, agent.Notice{Message: "told"}))
	events, err := j.Events(t.Context(), "c", 0, 10)
	must(t, err)
	if len(events) != 2 || events[1].Seq != 2 {
		t.Errorf("the log has a hole or too much: %+v", events)
	}
}

// finish ends a run.
func finish(t *testing.T, j Journal, run *agent.Run, clock *Clock) {
	t.Helper()
	end := *run
	end.Status, end.StopReason, end.EndedAt = agent.StatusFinished, agent.StopGoal, clock.Now()
	e := entry(run)
	e.Run = &end
	commit(t, j, e)
}

// branchesOfRuns: the second run asks again beside the first one's answer.
func branchesOfRuns(t *testing.T, j Journal, clock *Clock) {
	first := start(t, j, clock)
	e := entry(first)
	e.Messages = []agent.Message{{ID: "n1", ConversationID: "c", ParentID: "m1", Role: agent.FromAssistant, RunID: first.ID, CreatedAt: clock.Now()}}
	commit(t, j, e)
	finish(t, j, first, clock)
	p := prompt("2")
	p.ParentID = "m1"
	_, err := j.Enqueue(t.Context(), p)
	must(t, err)
	for runID, want := range map[string]string{first.ID: "[m1 n1]", "r2": "[m1 m2]"} {
		snap := snapshot(t, j, runID)
		var ids []string
		for _, m := range snap.Branch {
			ids = append(ids, m.ID)
		}
		if got := fmt.Sprint(ids); got != want {
			t.Errorf("branch of %s is %s, want %s", runID, got, want)
		}
	}
}
