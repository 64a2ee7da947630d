package looptest

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// shares has ben own the documents of the library that are named, in a collection which is open to
// everybody, or to nobody else.
func (w *world) shares(names ...string) (openTo func(agent.Visibility)) {
	w.t.Helper()
	ctx := w.t.Context()
	house := agent.Collection{ID: "house", OwnerID: "ben", Name: "House", Visibility: agent.VisibleEverybody, Access: agent.RightWrite}
	w.must(w.store.CreateUser(ctx, agent.User{ID: "ben", Email: "ben@example.org", Role: agent.RoleUser, CreatedAt: w.clock.Now()}, "x"))
	w.must(w.store.CreateCollection(ctx, house))
	for _, name := range names {
		w.must(w.store.MoveDocument(ctx, ana.UserID, "d"+name, house.ID))
	}
	return func(v agent.Visibility) {
		w.t.Helper()
		house.Visibility = v
		w.must(w.store.UpdateCollection(ctx, "ben", house))
	}
}

// TestSourcesOfAgentsAreClosed: what an agent hands back names no document that is closed since, nor
// does what is read of it by part; its words stay, and so do its other sources.
func TestSourcesOfAgentsAreClosed(t *testing.T) {
	t.Parallel()
	reads := agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("r", agent.ReadResultTool, `{"runId":"the hand's"}`)}}
	saves := func(id string) agenttest.Turn {
		return agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(id, "save", `{"text":"`+id+`"}`)}}
	}
	w := newLibrary(t, map[string][]agenttest.Turn{"hand": {searches("pump", "valve"), {Text: "Ask Ada [1, 2, 3]."}}},
		handTo("hand"), saves("a"), reads, saves("b"), agenttest.Turn{Text: "Ask Ada [1] [2] [3]."})
	w.tools.do[agent.ReadResultTool] = w.readsResult(realTools(t), 0)
	openTo := w.shares("Pump", "Valve")
	run := w.post("Whom do I ask?")
	shows := func(names ...string) {
		t.Helper()
		for _, shown := range w.shown() {
			if strings.HasPrefix(shown, "[From") {
				for _, name := range []string{"Pump", "Strainer", "Valve"} {
					if got, want := strings.Contains(shown, name+".md"), strings.Contains(strings.Join(names, " "), name); got != want {
						t.Errorf("the model is shown %s: %t, want %t: %s", name, got, want, shown)
					}
				}
				if !strings.Contains(shown, "Ask Ada [1][2][3].") {
					t.Errorf("the model is shown %s", shown)
				}
			}
		}
	}
	shows("Pump", "Strainer", "Valve")
	openTo(agent.VisiblePrivate)
	w.restart()
	w.decide(rex, w.card().ID, approve)
	w.advance(run.ID)
	shows("Strainer")
	openTo(agent.VisibleEverybody)
	w.decide(rex, w.card().ID, approve)
	w.advance(run.ID)
	shows("Pump", "Strainer", "Valve")
}
