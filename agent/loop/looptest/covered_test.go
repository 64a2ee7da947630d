package looptest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestADecisionCoversWhatWaits: what a decision covers beyond its own call goes on also
// where it has been waiting already; what it does not cover waits on.
func TestADecisionCoversWhatWaits(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		dec   agent.Decision
		waits int // of the two siblings
	}{
		"once":             {agent.Decision{Verb: agent.DecideApprove}, 2},
		"this run":         {agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeRun}, 0},
		"edited, this run": {agent.Decision{Verb: agent.DecideEdit, Scope: agent.ScopeRun, Args: []byte(`{"path":"z"}`)}, 0},
		"calls like it":    {agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeConversation}, 2},
		"refused":          {agent.Decision{Verb: agent.DecideReject}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var turn agenttest.Turn
			for _, path := range []string{"a", "b", "c"} {
				turn.Calls = append(turn.Calls, agenttest.Call(path, "save", fmt.Sprintf(`{"path":%q}`, path)))
			}
			w := newWorld(t, turn, agenttest.Turn{Text: "Done."})
			run := w.post("save all three")
			cards := w.cardsOf(run.ID)
			if len(cards) != 3 || cards[0].ToolCallID != "a" {
				t.Fatalf("%d cards wait", len(cards))
			}
			dec := row.dec
			dec.ArgsHash, dec.Generation = cards[0].ArgsHash, cards[0].Generation
			w.decide(rex, cards[0].ID, dec)
			run = w.advance(run.ID)
			waits := slices.DeleteFunc(w.cardsOf(run.ID), func(a agent.Approval) bool { return !a.Status.Open() })
			if len(waits) != row.waits {
				t.Fatalf("%d cards wait, not %d", len(waits), row.waits)
			}
			if row.waits > 0 {
				return
			}
			if run.Status != agent.StatusFinished || w.tools.executed("save") != 3 {
				t.Errorf("the run is %s after %d calls", run.Status, w.tools.executed("save"))
			}
			for _, a := range w.cardsOf(run.ID)[1:] {
				if a.Decision != agent.DecideApprove || a.DecidedBy != rex.Email || !a.Applied {
					t.Errorf("the card of %s says %s by %s", a.ToolCallID, a.Decision, a.DecidedBy)
				}
			}
			rows, _, err := w.store.AuditRows(t.Context(), agent.AuditFilter{Action: "approval.cover"}, agent.Page{})
			if w.must(err); len(rows) != 2 || rows[0].Actor != rex.Email {
				t.Errorf("the audit log has %+v", rows)
			}
		})
	}
}

// TestADecisionCoversNothingBegun: a call whose arguments somebody has edited, or on which
// somebody has voted, is not let go on by a decision on another one.
func TestADecisionCoversNothingBegun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Turn{Calls: []agent.CallRequest{
		agenttest.Call("a", "run_shell", `{"command":"chmod 755 a"}`), agenttest.Call("b", "run_shell", `{"command":"chmod 755 b"}`),
	}}, agenttest.Turn{Text: "Done."})
	w.staff(rey)
	run := w.post("go")
	cards := w.cardsOf(run.ID)
	if len(cards) != 2 {
		t.Fatalf("%d cards wait", len(cards))
	}
	w.decide(rey, cards[1].ID, agent.Decision{Verb: agent.DecideEdit, Args: []byte(`{"command":"chmod 700 b"}`), ArgsHash: cards[1].ArgsHash, Generation: cards[1].Generation})
	w.decide(rex, cards[0].ID, agent.Decision{Verb: agent.DecideApprove, Scope: agent.ScopeRun, ArgsHash: cards[0].ArgsHash, Generation: cards[0].Generation})
	w.advance(run.ID)
	if got := strings.Join(w.tools.runs, " "); strings.Contains(got, "chmod 755 b") {
		t.Errorf("nobody has approved what ran: %s", got)
	}
}
