package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

// spawnCalls hands n tasks over in the first answer of a run, and has each child make some calls
// in turns with the others, one second after the other.
func spawnCalls(t testing.TB, s *store.Store, clock *agenttest.Clock, root *agent.Run, n, calls int, result string) {
	t.Helper()
	at := clock.Now()
	add := func(run, id string, parent string, c agent.ToolCall) {
		at = at.Add(time.Second)
		c.ID, c.RunID, c.ConversationID, c.StartedAt, c.State = id, run, "c", at, agent.CallValidating
		e := agent.Change{ConversationID: "c", RunID: run, Calls: []agent.CallChange{{Event: agent.CallAsked, Call: c}}}
		if parent != "" {
			e.Spawn = &agent.NewChild{
				Run: agent.Run{
					ID: parent, ConversationID: "c", UserID: "u", Agent: "scout", CreatedAt: at,
					Lineage: agent.Lineage{ParentRunID: run, ParentCallID: id, RootRunID: root.ID, Depth: 1},
				},
				Message: agent.Message{ID: "m" + parent, ConversationID: "c", Role: agent.FromUser, Content: "Look.", RunID: parent, CreatedAt: at},
			}
		}
		_, err := s.Append(t.Context(), e)
		check(t, err)
		c.State, c.Result = agent.CallError, result
		_, err = s.Append(t.Context(), agent.Change{ConversationID: "c", RunID: run, Calls: []agent.CallChange{{From: agent.CallValidating, Event: agent.CallRefused, Call: c}}})
		check(t, err)
	}
	for i := range n {
		add(root.ID, fmt.Sprint("d", i), fmt.Sprintf("child%02d", i), agent.ToolCall{Name: agent.DelegateTool, Step: 1, Index: i, Args: "{}"})
	}
	for k := range calls {
		for i := range n {
			add(fmt.Sprintf("child%02d", i), fmt.Sprint("k", k), "", agent.ToolCall{Name: "look", Step: k + 1, Args: `{"at":"` + strings.Repeat("x", 5000) + `"}`})
		}
	}
}

// The newest calls of a tree come in the order in which they began, with where their runs
// stand; of what is long only the beginning. Calls that wait are not among them, nor are those
// of other trees.
func TestTreeCalls(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	spawnCalls(t, s, clock, run, 2, 2, strings.Repeat("y", 10_000))
	_, err := s.Append(t.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Calls: []agent.CallChange{{Event: agent.CallAsked, Call: agent.ToolCall{
		ID: "waits", RunID: run.ID, ConversationID: "c", Name: "look", Step: 2, Args: "{}", State: agent.CallValidating,
	}}}})
	check(t, err)
	for limit, want := range map[int]string{
		9: "r1/d0//0 r1/d1//0 child00/k0/scout/1 child01/k0/scout/1 child00/k1/scout/1 child01/k1/scout/1",
		2: "child00/k1/scout/1 child01/k1/scout/1",
	} {
		calls, err := s.TreeCalls(t.Context(), run.ID, limit)
		check(t, err)
		var got []string
		for _, c := range calls {
			got = append(got, fmt.Sprintf("%s/%s/%s/%d", c.RunID, c.ID, c.Agent, c.ParentStep))
			if len(c.Args) > 4096 || len(c.Result) > 8192 || (c.ParentRunID == run.ID) != (c.Agent != "") {
				t.Errorf("%s has %d and %d bytes, its parent is %q", c.ID, len(c.Args), len(c.Result), c.ParentRunID)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("the newest %d are %s, want %s", limit, got, want)
		}
	}
	if calls, err := s.TreeCalls(t.Context(), "another", 9); err != nil || len(calls) > 0 {
		t.Errorf("another tree has %d calls, %v", len(calls), err)
	}
}

// BenchmarkTreeCalls reads what the breakers look at of the largest tree: 50 runs with 20 calls
// of 10 KB each.
func BenchmarkTreeCalls(b *testing.B) {
	clock := agenttest.NewClock()
	s := open(b, filepath.Join(b.TempDir(), "f.db"), clock, nil)
	run := seed(b, s, clock)
	spawnCalls(b, s, clock, run, agent.MaxTree-1, 20, strings.Repeat("y", 5000))
	for b.Loop() {
		calls, err := s.TreeCalls(b.Context(), run.ID, agent.TreeReach)
		if err != nil || len(calls) != agent.TreeReach {
			b.Fatal(len(calls), err)
		}
	}
}
