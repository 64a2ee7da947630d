package looptest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// toldOf are the notices about children that stand still, with the run whose log has them.
func (w *world) toldOf() (told []string) {
	w.t.Helper()
	for _, e := range w.events() {
		if d, ok := e.Data.(agent.Notice); ok && d.ChildRunID != "" {
			told = append(told, e.RunID+" of "+e.ParentRunID+": "+d.Message)
		}
	}
	return told
}

// TestStandstillIsToldOnce: the parent of a child that waits for a decision is told after ten
// minutes, once, whatever is restarted and whoever is reminded; once more where it goes on and
// stands still again. Its result says how long it took.
func TestStandstillIsToldOnce(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string][]agenttest.Turn{
		"lead": {{Calls: []agent.CallRequest{delegateCall("l", "hand", "Save it.")}}, {Text: "It is saved."}},
		"hand": {
			{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{"text":"x"}`)}},
			{Calls: []agent.CallRequest{agenttest.Call("i", "save", `{"text":"y"}`)}},
			{Text: "Saved."},
		},
	},
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("1", "lead", "Have it saved.")}},
		agenttest.Turn{Text: "All is saved."})
	run := w.post("Save x.")
	card := w.card()
	root, lead := run.ID, card.Path[1].RunID
	var want []string
	after := func(d time.Duration, more ...string) {
		t.Helper()
		w.clock.Advance(d)
		want = append(want, more...)
		for range 2 {
			w.must(w.service.Tick(t.Context()))
			w.restart()
		}
		if diff := cmp.Diff(want, w.toldOf()); diff != "" {
			t.Fatalf("%s later (-want +got):\n%s", d, diff)
		}
	}
	after(10*time.Minute - time.Millisecond)
	after(time.Millisecond,
		root+" of : lead has shown no progress for 10 minutes: it waits for hand.",
		lead+" of "+root+": hand has shown no progress for 10 minutes: it waits for a decision.")
	after(20 * time.Minute)
	after(18 * time.Hour) // the reviewers are reminded

	w.decide(rex, card.ID, agent.Decision{Verb: agent.DecideApprove})
	w.advance(root)
	after(9 * time.Minute)
	after(time.Minute, lead+" of "+root+": hand has shown no progress for 10 minutes: it waits for a decision.")
	w.decide(rex, w.card().ID, agent.Decision{Verb: agent.DecideApprove})
	if run = w.advance(root); run.Status != agent.StatusFinished {
		t.Fatalf("the root is %s", run.Status)
	}
	after(time.Hour)
	if res, text := w.handedIn(0); res.TookMS != (18*time.Hour + 40*time.Minute).Milliseconds() {
		t.Errorf("it took %d ms: %s", res.TookMS, text)
	}
}
