package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

// children makes child runs of a run.
type children struct {
	t      *testing.T
	s      *store.Store
	clock  *agenttest.Clock
	parent *agent.Run
}

// queued makes a child of an agent that nobody has claimed.
func (c children) queued(name string) agent.Run {
	c.t.Helper()
	run := agent.Run{
		ID: name, ConversationID: "c", UserID: "u", Status: agent.StatusQueued, Model: "demo", Agent: name, CreatedAt: c.clock.Now(),
		Lineage: agent.Lineage{ParentRunID: c.parent.ID, ParentCallID: "call-" + name, RootRunID: c.parent.ID, Depth: 1},
	}
	_, err := c.s.Append(c.t.Context(), agent.Change{ConversationID: "c", RunID: c.parent.ID, Epoch: c.parent.Epoch, Spawn: &agent.NewChild{
		Run: run, Message: agent.Message{ID: "m-" + name, ConversationID: "c", Role: agent.FromUser, Content: "Do it.", RunID: name, CreatedAt: run.CreatedAt},
	}})
	check(c.t, err)
	return run
}

// running makes a child that is at work.
func (c children) running(name string) *agent.Run {
	c.t.Helper()
	c.queued(name)
	run, err := c.s.Claim(c.t.Context(), "p", 100*time.Hour)
	check(c.t, err)
	return run
}

// commits appends what a child does, with its events.
func (c children) commits(run *agent.Run, e agent.Change, told ...agent.EventData) {
	c.t.Helper()
	e.ConversationID, e.RunID, e.ParentRunID, e.Epoch = "c", run.ID, c.parent.ID, run.Epoch
	for _, d := range told {
		e.Events = append(e.Events, agent.Event{RunID: run.ID, ParentRunID: c.parent.ID, Data: d})
	}
	_, err := c.s.Append(c.t.Context(), e)
	check(c.t, err)
}

// told says what the log has about children that stand still.
func (c children) told() map[string][]string {
	c.t.Helper()
	check(c.t, c.s.TellStandstills(c.t.Context(), c.clock.Now().Add(-10*time.Minute), 100))
	log, err := c.s.Events(c.t.Context(), "c", 0, 1000)
	check(c.t, err)
	told := map[string][]string{}
	for _, e := range log {
		if d, ok := e.Data.(agent.Notice); ok && d.ChildRunID != "" {
			if e.RunID != c.parent.ID || e.ParentRunID != "" {
				c.t.Errorf("run %s of %q is told of %s", e.RunID, e.ParentRunID, d.ChildRunID)
			}
			told[d.ChildRunID] = append(told[d.ChildRunID], d.Message)
		}
	}
	return told
}

// TestStandstillsSayWhatIsWaitedFor: of each child that stands still is told what it waits for,
// of one that streams only once it has been silent for as long, of one that has ended nothing.
func TestStandstillsSayWhatIsWaitedFor(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	c := children{t, s, clock, seed(t, s, clock)}

	c.running("thinker")
	streamer := c.running("streamer")
	worker := c.running("worker")
	call := agent.ToolCall{RunID: worker.ID, ID: "w", ConversationID: "c", Step: 1, Name: "run_shell", Args: "{}", StartedAt: clock.Now()}
	for _, next := range []agent.CallChange{
		{Event: agent.CallAsked, Call: agent.ToolCall{State: agent.CallValidating}}, {Event: agent.CallAllowed, Call: agent.ToolCall{State: agent.CallScheduled}},
		{Event: agent.CallClaimed, Call: agent.ToolCall{State: agent.CallExecuting}},
	} {
		next.From, call.State = call.State, next.Call.State
		next.Call = call
		c.commits(worker, agent.Change{Calls: []agent.CallChange{next}})
	}
	late := c.running("late")
	late.Status, late.WakeAt = agent.StatusQueued, clock.Now().Add(24*time.Hour)
	c.commits(late, agent.Change{Run: late})
	waiter := c.running("waiter")
	waiter.Status = agent.StatusPaused
	c.commits(waiter, agent.Change{Run: waiter})
	done := c.running("done")
	done.Status, done.EndedAt = agent.StatusFinished, clock.Now()
	c.commits(done, agent.Change{Run: done})
	c.queued("last")

	clock.Advance(9 * time.Minute)
	c.commits(streamer, agent.Change{}, agent.TextDelta{ID: "x", Delta: "Once"})
	if told := c.told(); len(told) > 0 {
		t.Errorf("after nine minutes: %v", told)
	}
	clock.Advance(time.Minute)
	want := map[string][]string{
		"thinker": {"thinker has shown no progress for 10 minutes: it waits for the model."},
		"worker":  {"worker has shown no progress for 10 minutes: it works on run_shell."},
		"late":    {"late has shown no progress for 10 minutes: it waits to try again."},
		"waiter":  {"waiter has shown no progress for 10 minutes: it waits for a decision."},
		"last":    {"last has shown no progress for 10 minutes: it waits for a place."},
	}
	if diff := cmp.Diff(want, c.told()); diff != "" {
		t.Error(diff)
	}
	clock.Advance(9 * time.Minute)
	want["streamer"] = []string{"streamer has shown no progress for 19 minutes: it waits for the model."}
	if diff := cmp.Diff(want, c.told()); diff != "" {
		t.Error(diff)
	}
	c.commits(worker, agent.Change{}, agent.StepStart{MessageID: "y"})
	clock.Advance(13 * time.Minute)
	want["worker"] = append(want["worker"], "worker has shown no progress for 13 minutes: it works on run_shell.")
	if diff := cmp.Diff(want, c.told()); diff != "" {
		t.Error(diff)
	}
}
