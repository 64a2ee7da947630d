package looptest

import (
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestTryAgainTellsWhatWasAsked: a run that goes on behind the result of a tool still works on
// what the person has asked, and no card shows that result in its place.
func TestTryAgainTellsWhatWasAsked(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string][]agenttest.Turn{"hand": {{Calls: []agent.CallRequest{agenttest.Call("h", "save", `{"text":"x"}`)}}, {Text: "Saved."}}},
		agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("1", "look", `{}`)}}, down(),
		agenttest.Turn{Calls: []agent.CallRequest{delegateCall("2", "hand", "Save it.")}}, agenttest.Turn{Text: "It is saved."})
	failed := w.post("Look, and have it saved.")
	done, err := w.service.Retry(t.Context(), ana, failed.ID)
	w.must(err)
	w.advance(done.RunID)
	path := w.card().Path
	if len(path) != 2 || path[0].Task != "Look, and have it saved." || path[1].Task != "Save it." {
		t.Errorf("the way to the card is %+v", path)
	}
}
