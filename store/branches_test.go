package store_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestLongBranchIsReadAsItIs: what is kept of a long branch changes nothing of what a
// run gets to see, whether the conversation goes on, forks, is pinned, goes back to
// an earlier fork, or loses one.
func TestLongBranchIsReadAsItIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	clock := agenttest.NewClock()
	s := open(t, path, clock, nil)
	run := seed(t, s, clock)
	parents := map[string]string{"m1": ""}
	leaf := "m1"
	say := func(parent, id string) {
		t.Helper()
		forks := parent != leaf
		parents[id], leaf = parent, id
		m := agent.Message{ID: id, ConversationID: "c", ParentID: parent, Role: agent.FromUser, Content: "text of " + id, CreatedAt: clock.Now()}
		_, err := s.Append(t.Context(), agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Messages: []agent.Message{m}})
		check(t, err)
		if forks { // a run goes on in its own branch, which is not the one that is chosen
			_, err := s.UpdateConversation(t.Context(), owner, "c", agent.ConversationPatch{LeafID: &id})
			check(t, err)
		}
	}
	same := func(pinned ...string) {
		t.Helper()
		var want []string
		for id := leaf; id != ""; id = parents[id] {
			want = append([]string{id}, want...)
		}
		other := open(t, path, clock, nil) // another process has nothing kept
		for range 2 {
			got, err := s.Messages(t.Context(), owner, "c")
			check(t, err)
			fresh, err := other.Messages(t.Context(), owner, "c")
			check(t, err)
			var ids, pins []string
			for _, m := range got {
				ids = append(ids, m.ID)
				if m.Pinned {
					pins = append(pins, m.ID)
				}
			}
			if d := cmp.Diff(want, ids) + cmp.Diff(fresh, got) + cmp.Diff(pinned, pins); d != "" {
				t.Fatal(d)
			}
		}
	}
	for i := range 100 {
		say(leaf, fmt.Sprintf("n%03d", i))
		if i%10 == 5 {
			same()
		}
	}
	check(t, s.SetPinned(t.Context(), owner, "c", "n010", true))
	same("n010")
	say("n050", "fork")
	same("n010")
	say("fork", "further")
	same("n010")
	check(t, s.SetPinned(t.Context(), owner, "c", "n010", false))
	same()
	say("n099", "back")
	same()
	say("n002", "short")
	same()
	say("back", "long")
	same()
	for _, tc := range []struct{ version, leaf string }{{"long", "back"}, {"short", "back"}, {"n060", "n059"}, {"n051", "further"}, {"fork", "n050"}} {
		_, err := s.DeleteVersion(t.Context(), agent.Version{ConversationID: "c", ID: tc.version})
		check(t, err)
		leaf = tc.leaf
		same()
	}
}
