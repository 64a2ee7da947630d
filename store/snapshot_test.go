package store_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

// TestSnapshotIsOfOneMoment: what was committed together is in a snapshot
// together, however many commits come while it is read.
func TestSnapshotIsOfOneMoment(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	run := seed(t, s, clock)
	const commits = 100
	written := make(chan error, 1)
	go func() { written <- addSteps(t, s, *run, commits) }()
	for done := false; !done; {
		select {
		case err := <-written:
			check(t, err)
			done = true // the last snapshot is read after the last commit
		default:
		}
		snap, err := s.Snapshot(t.Context(), run.ID)
		check(t, err)
		n := snap.Run.Steps
		if len(snap.Calls) != n || len(snap.Approvals) != n || len(snap.Branch) != n+1 || len(snap.Compactions) != n {
			t.Fatalf("a run of %d steps has %d calls, %d approvals, %d messages and %d compactions",
				n, len(snap.Calls), len(snap.Approvals), len(snap.Branch), len(snap.Compactions))
		}
		if done && n != commits {
			t.Errorf("the last snapshot has %d steps", n)
		}
	}
}

// addSteps commits entries that each add one step, message, call, approval and
// compaction to a run.
func addSteps(t *testing.T, s *store.Store, run agent.Run, n int) error {
	parent := "m1"
	for i := range n {
		run.Steps = i + 1
		id := fmt.Sprintf("%03d", i)
		m := agent.Message{ID: "n" + id, ConversationID: "c", ParentID: parent, Role: agent.FromAssistant, Content: id, RunID: run.ID}
		call := agent.ToolCall{ID: "t" + id, RunID: run.ID, ConversationID: "c", MessageID: m.ID, Step: i, Name: "probe", State: agent.CallValidating}
		card := agent.Approval{
			ID: "a" + id, Kind: agent.KindTool, RunID: run.ID, ConversationID: "c", ToolCallID: call.ID,
			Evidence: []byte("{}"), Status: agent.ApprovalPending, Generation: 1,
		}
		_, err := s.Append(t.Context(), agent.Change{
			ConversationID: "c", RunID: run.ID, Epoch: run.Epoch, Run: &run, Messages: []agent.Message{m},
			Calls:       []agent.CallChange{{Event: agent.CallAsked, Call: call}},
			Approvals:   []agent.ApprovalChange{{Approval: card}},
			Compactions: []agent.Compaction{{ID: "k" + id, ConversationID: "c", RunID: run.ID, UpTo: m.ID, Leaf: m.ID, Summary: id}},
		})
		if err != nil {
			return err
		}
		parent = m.ID
	}
	return nil
}

// TestSnapshotHasTheAgentsOfNow: the definitions are read once, and again after each change of one.
func TestSnapshotHasTheAgentsOfNow(t *testing.T) {
	t.Parallel()
	path, clock, admin := filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), agent.Viewer{Role: agent.RoleAdmin}
	s := open(t, path, clock, nil)
	run := seed(t, s, clock)
	var made []agent.Agent
	wants := func() {
		t.Helper()
		snap, err := s.Snapshot(t.Context(), run.ID)
		check(t, err)
		if diff := cmp.Diff(made, snap.Agents, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
	wants()
	for _, name := range []string{"hand", "lead"} {
		a, err := s.CreateAgent(t.Context(), admin, agent.Agent{Name: name, Purpose: "Works.", Instructions: "Work.", Tools: []string{}})
		check(t, err)
		made = append(made, a)
		wants()
	}
	changed := made[0]
	changed.Purpose = "Works hard."
	var err error
	made[0], err = s.UpdateAgent(t.Context(), admin, changed)
	check(t, err)
	wants()
	check(t, s.DeleteAgent(t.Context(), admin, "hand"))
	made = made[1:]
	wants()
	db, err := sql.Open("sqlite3", path)
	check(t, err)
	_, err = db.ExecContext(t.Context(), `UPDATE agent_versions SET definition = '' WHERE name = 'lead'`)
	check(t, err)
	check(t, db.Close())
	wants() // what is known is not read
}
