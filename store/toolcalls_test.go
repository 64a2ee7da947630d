package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// Of a tool's calls in a person's runs the newest come first; those that never started do
// not count, nor do those of others.
func TestRecentCalls(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	for i, c := range []agent.ToolCall{
		{ID: "old", Name: "run_shell", StartedAt: clock.Now()},
		{ID: "other", Name: "look", StartedAt: clock.Now()},
		{ID: "never", Name: "run_shell"},
		{ID: "new", Name: "run_shell", StartedAt: clock.Now().Add(time.Minute)},
		{ID: "newest", Name: "run_shell", StartedAt: clock.Now().Add(time.Hour)},
	} {
		c.RunID, c.ConversationID, c.Index, c.State, c.Args = run.ID, "c", i, agent.CallValidating, "{}"
		_, err := s.Append(t.Context(), agent.Change{
			ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Calls: []agent.CallChange{{Event: agent.CallAsked, Call: c}},
		})
		check(t, err)
	}
	if calls, err := s.RecentCalls(t.Context(), "somebody else", "run_shell", 200); err != nil || len(calls) > 0 {
		t.Errorf("%d calls of another person, %v", len(calls), err)
	}
	for limit, want := range map[int]string{2: "newest new", 200: "newest new old"} {
		calls, err := s.RecentCalls(t.Context(), "u", "run_shell", limit)
		check(t, err)
		got := ""
		for _, c := range calls {
			got += " " + c.ID
		}
		if got != " "+want {
			t.Errorf("the newest %d are%s, want %s", limit, got, want)
		}
	}
}
